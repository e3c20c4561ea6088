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

const GATEWAY: FrameworkSnippets = {
  framework: 'Spring Cloud Gateway',
  language: 'Java, Kotlin, YAML',
  finds: ['endpoints', 'calls'],
  found: [
    {
      title: 'routes in a configuration file',
      files: {
        'application.yml': `spring:
  cloud:
    gateway:
      server:
        webflux:
          routes:
            - id: vets
              uri: lb://vets-service
              predicates:
                - Path=/api/vet/**, /api/doctor/**
              filters:
                - StripPrefix=2
            - id: old
              uri: https://old.shop.test:8443
              predicates:
                - name: Path
                  args:
                    pattern: /old/**
                - Method=GET,POST
`,
      },
      rows: [
        'in 8: REST ANY /api/doctor/**, vets',
        'in 8: REST ANY /api/vet/**, vets',
        'in 14: REST GET /old/**, old',
        'in 14: REST POST /old/**, old',
        'out 8: REST Gateway route -> lb://vets-service; path /api/vet/**, /api/doctor/**',
        'out 14: Configuration Service URL -> https://old.shop.test:8443; path spring.cloud.gateway.server.webflux.routes[1].uri',
        'out 14: REST Gateway route -> https://old.shop.test:8443; path /old/**',
      ],
    },
    {
      title: 'routes of a builder',
      files: {
        'Gateway.java': `import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
class Gateway {
  @Bean RouteLocator routes(RouteLocatorBuilder builder) {
    return builder.routes()
      .route("orders", r -> r.path("/orders/**").and().method(HttpMethod.PUT).filters(f -> f.stripPrefix(1)).uri("lb://orders"))
      .route(r -> r.path("/carts", "/carts/**").uri("\${carts.url}"))
      .build();
  }
}`,
        'application.properties': 'carts.url=http://carts:8080',
      },
      rows: [
        'in 5: REST PUT /orders/**, Gateway.routes',
        'in 6: REST ANY /carts, Gateway.routes',
        'in 6: REST ANY /carts/**, Gateway.routes',
        'out 5: REST Gateway route -> lb://orders, Gateway; path /orders/**',
        'out 6: REST Gateway route -> http://carts:8080, Gateway; path /carts, /carts/** [medium]',
        'out 1: Configuration Service URL -> http://carts:8080; path carts.url',
      ],
    },
    {
      title: 'properties of the older gateway, and of Zuul',
      files: {
        'application.properties': `spring.cloud.gateway.routes[0].id=users
spring.cloud.gateway.routes[0].uri=lb://users
spring.cloud.gateway.routes[0].predicates[0]=Path=/users/**
zuul.routes.mails.path=/mails/**
zuul.routes.mails.serviceId=mail-service`,
      },
      rows: [
        'in 2: REST ANY /users/**, users',
        'in 4: REST ANY /mails/**, mails',
        'out 2: REST Gateway route -> lb://users; path /users/**',
        'out 4: REST Gateway route -> lb://mail-service; path /mails/**',
      ],
    },
  ],
  notFound: [
    {
      title: 'requests of a client, and routes that stay in the gateway',
      files: {
        'Gateway.java': `import org.springframework.cloud.gateway.filter.GlobalFilter;
class Filter { void run() { request.mutate().uri(target).build(); } }`,
        'application.yml': `spring:
  cloud:
    gateway:
      default-filters:
        - AddRequestHeader=X-Request, /orders/**
`,
      },
    },
  ],
}

export const JAVA_WEB_SNIPPETS: readonly FrameworkSnippets[] = [SPRING_MVC, WEBFLUX, GATEWAY]
