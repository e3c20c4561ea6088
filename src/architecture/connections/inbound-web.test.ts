import { expect, it } from 'vitest'
import { inboundRows, type Snippet } from '../../../test/support/project-rows.ts'

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'joins the path of a Spring method with the path of its controller',
    files: {
      'Shop.java': `@RestController
@RequestMapping("/shop")
class Shop {
  @GetMapping("/items/{id}") Item item(String id) { return null; }
  @PostMapping Item add() { return null; }
}`,
    },
    rows: ['4: REST GET /shop/items/{id}, Shop.item', '5: REST POST /shop, Shop.add'],
  },
  {
    title: 'gives each of two methods of one name its line',
    files: {
      'Shop.java': `@RestController class Shop {
  @GetMapping("/items/{id}") Item read(String id) { return null; }
  @GetMapping("/items") Items read(List<String> ids) { return null; }
}`,
    },
    rows: ['2: REST GET /items/{id}, Shop.read', '3: REST GET /items, Shop.read'],
  },
  {
    title: 'gives one row for each path and each method of a mapping',
    files: {
      'Shop.java': `@RestController class Shop {
  @RequestMapping(path = {"/a", "/b"}, method = {RequestMethod.GET, RequestMethod.PUT}) void both() {}
  @RequestMapping("/any") void any() {}
}`,
    },
    rows: [
      '2: REST GET /a, Shop.both',
      '2: REST GET /b, Shop.both',
      '2: REST PUT /a, Shop.both',
      '2: REST PUT /b, Shop.both',
      '3: REST ANY /any, Shop.any',
    ],
  },
  {
    title: 'resolves constants, and settings with less confidence',
    files: {
      'Paths.java': 'class Paths { static final String ROOT = "/v1"; }',
      'Shop.java': `@RestController @RequestMapping(Paths.ROOT) class Shop {
  @GetMapping("\${shop.path}/x") void x() {}
}`,
      'application.properties': 'shop.path=/orders',
    },
    rows: ['2: REST GET /v1/orders/x, Shop.x [medium]'],
  },
  {
    title: 'takes mappings from the interface that a controller implements',
    files: {
      'Api.java': '@RequestMapping("/api") interface Api { @GetMapping("/ping") void ping(); }',
      'Shop.java': `@RestController class Shop implements Api {
  public void ping() {}
}`,
    },
    rows: ['2: REST GET /api/ping, Shop.ping'],
  },
  {
    title: 'reads JAX-RS resources',
    files: {
      'Shop.kt': `@Path("/shop")
class Shop {
  @GET @Path("/{id}") fun one(): String = ""
  @DELETE fun clear() {}
  fun helper() {}
}`,
    },
    rows: ['3: REST GET /shop/{id}, Shop.one', '4: REST DELETE /shop, Shop.clear'],
  },
  {
    title: 'reads functional routes with the prefixes around them',
    files: {
      'Routes.java': `import org.springframework.web.reactive.function.server.RouterFunctions;
class Routes {
  @Bean RouterFunction<ServerResponse> routes() {
    return RouterFunctions.nest(path("/api"), route(GET("/a"), this::a).andRoute(POST("/b"), this::b));
  }
}`,
    },
    rows: ['4: REST GET /api/a, Routes.routes', '4: REST POST /api/b, Routes.routes'],
  },
  {
    title: 'reads the Kotlin router',
    files: {
      'Routes.kt': `import org.springframework.web.servlet.function.router
class Routes {
  fun routes() = router { "/api".nest { GET("/a") { ok().build() } } }
}`,
    },
    rows: ['3: REST GET /api/a, Routes.routes'],
  },
  {
    title: 'gives no row for advice, declared clients and methods without a mapping',
    files: {
      'Errors.java': '@ControllerAdvice class Errors { @ExceptionHandler(E.class) void handle() {} }',
      'Billing.java': '@FeignClient("billing") interface Billing { @GetMapping("/pay") void pay(); }',
      'Shop.java': '@RestController class Shop { public void helper() {} }',
    },
    rows: [],
  },
  {
    title: 'gives no row for a GET call in a file without functional routes',
    files: { 'Shop.java': 'class Shop { void x() { GET("/a"); } }' },
    rows: [],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  expect(await inboundRows(files)).toEqual(rows)
})
