import type { FrameworkSnippets } from './snippet-corpus.ts'

const SPRING_MVC: FrameworkSnippets = {
  framework: 'Spring MVC',
  language: 'Java, Kotlin',
  finds: ['endpoints'],
  found: [
    {
      title: 'a controller with a prefix',
      files: {
        'OrderController.java': `import org.springframework.web.bind.annotation.*; @RestController
@RequestMapping("/orders")
class OrderController {
  @GetMapping("/{id}") Order one(@PathVariable String id) { return null; }
  @PostMapping Order create(@RequestBody Order order) { return order; }
}`,
      },
      rows: [
        'in 4: REST GET /orders/{id}, OrderController.one',
        'in 5: REST POST /orders, OrderController.create',
      ],
    },
    {
      title: 'constants, several paths and methods',
      files: {
        'Paths.java': 'class Paths { static final String API = "/api/v1"; }',
        'CartController.java': `@Controller
class CartController {
  @RequestMapping(path = {Paths.API + "/cart", "/cart"}, method = {RequestMethod.GET, RequestMethod.HEAD})
  String show() { return "cart"; }
}`,
      },
      rows: [
        'in 4: REST GET /api/v1/cart, CartController.show',
        'in 4: REST GET /cart, CartController.show',
        'in 4: REST HEAD /api/v1/cart, CartController.show',
        'in 4: REST HEAD /cart, CartController.show',
      ],
    },
    {
      title: 'mappings on an interface, in Kotlin',
      files: {
        'PetApi.kt': `interface PetApi {
    @GetMapping("/pets")
    fun pets(): List<Pet>
}`,
        'PetController.kt': `@RestController
class PetController : PetApi {
    override fun pets() = listOf<Pet>()
}`,
      },
      rows: ['in 3: REST GET /pets, PetController.pets'],
    },
  ],
  notFound: [
    {
      title: 'mappings of a type that is no controller',
      files: {
        'Docs.java': `/** @GetMapping("/docs") */
class Docs {
  @GetMapping("/x") String x() { return "@PostMapping(\\"/y\\")"; }
}`,
      },
    },
  ],
}

const WEBFLUX: FrameworkSnippets = {
  framework: 'Spring WebFlux functional routes',
  language: 'Java, Kotlin',
  finds: ['endpoints'],
  found: [
    {
      title: 'a builder with nested paths',
      files: {
        'Routes.java': `import org.springframework.web.reactive.function.server.RouterFunctions;
class Routes {
  @Bean RouterFunction<ServerResponse> routes(Handler handler) {
    return RouterFunctions.route()
      .GET("/health", handler::health)
      .path("/people", builder -> builder
        .POST("", handler::create)
        .nest(accept(APPLICATION_JSON), json -> json.GET("/{id}", handler::one)))
      .DELETE("/cache", handler::clear)
      .build();
  }
}`,
      },
      rows: [
        'in 5: REST GET /health, Routes.routes',
        'in 7: REST POST /people, Routes.routes',
        'in 8: REST GET /people/{id}, Routes.routes',
        'in 9: REST DELETE /cache, Routes.routes',
      ],
    },
    {
      title: 'predicates',
      files: {
        'Routes.java': `import static org.springframework.web.reactive.function.server.RequestPredicates.*;
class Routes {
  RouterFunction<ServerResponse> routes(PostHandler posts) {
    return nest(path("/posts"), route(GET(""), posts::all)
      .andRoute(GET("/{id}").and(accept(APPLICATION_JSON)), posts::get));
  }
}`,
      },
      rows: ['in 4: REST GET /posts, Routes.routes', 'in 5: REST GET /posts/{id}, Routes.routes'],
    },
    {
      title: 'paths without a method',
      files: {
        'Routes.java': `import static org.springframework.web.reactive.function.server.RequestPredicates.*;
class Routes {
  RouterFunction<ServerResponse> routes(PostHandler posts) {
    return nest(path("/posts"), route(path("/all"), posts::all)
      .andRoute(method(HttpMethod.PUT).and(path("/{id}")), posts::put));
  }
}`,
      },
      rows: ['in 4: REST ANY /posts/all, Routes.routes', 'in 5: REST PUT /posts/{id}, Routes.routes'],
    },
    {
      title: 'the router of Kotlin, outside of a class',
      files: {
        'Routes.kt': `import org.springframework.web.reactive.function.server.coRouter
fun routes(posts: PostHandler) = coRouter {
    "/api".nest {
        GET("/posts", posts::all)
        accept(APPLICATION_JSON).nest {
            PUT("/posts/{id}", posts::update)
        }
    }
}
`,
      },
      rows: ['in 4: REST GET /api/posts', 'in 6: REST PUT /api/posts/{id}'],
    },
  ],
  notFound: [
    {
      title: 'functions of the same names without the import',
      files: { 'Verbs.java': 'class Verbs { void run() { GET("/health"); builder.POST("/x", this); } }' },
    },
  ],
}

export const JAVA_WEB_SNIPPETS: readonly FrameworkSnippets[] = [SPRING_MVC, WEBFLUX]
