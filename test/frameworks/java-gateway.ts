import type { FrameworkSnippets } from './snippet-corpus.ts'

export const SPRING_GATEWAY_SNIPPETS: FrameworkSnippets = {
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
      title: 'routes of the gateway on servlets',
      files: {
        'Gateway.java': `import org.springframework.cloud.gateway.server.mvc.handler.HandlerFunctions;
import org.springframework.web.servlet.function.RequestPredicates;
class Gateway {
  @Value("\${orders.url}") private String orders;
  @Bean RouterFunction<ServerResponse> routes() {
    return route("orders")
      .route(RequestPredicates.path("/orders"), HandlerFunctions.http(orders)).build()
      .and(route("carts").GET("/carts/**", http()).before(uri("lb://carts")).build());
  }
}`,
        'application.properties': 'orders.url=http://orders:8080',
      },
      rows: [
        'in 7: REST ANY /orders, Gateway.routes',
        'in 8: REST GET /carts/**, Gateway.routes',
        'out 7: REST Gateway route -> http://orders:8080, Gateway; path /orders [medium]',
        'out 8: REST Gateway route -> lb://carts, Gateway; path /carts/**',
        'out 1: Configuration Service URL -> http://orders:8080; path orders.url',
      ],
    },
    {
      title: 'routes in Kotlin',
      files: {
        'Gateway.kt': `import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder

@Configuration
class Gateway {
    @Bean
    fun carts(builder: RouteLocatorBuilder): RouteLocator =
        builder.routes().route { r -> r.path("/carts/**").uri("lb://carts") }.build()
}
`,
      },
      rows: [
        'in 7: REST ANY /carts/**, Gateway.carts',
        'out 7: REST Gateway route -> lb://carts, Gateway; path /carts/**',
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
