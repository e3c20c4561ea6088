import type { FrameworkSnippets } from './snippet-corpus.ts'

const FEIGN: FrameworkSnippets = {
  framework: 'Spring Cloud OpenFeign',
  language: 'Java, Kotlin',
  finds: ['calls'],
  found: [
    {
      title: 'a client by the name of a service',
      files: {
        'Billing.java': `import org.springframework.cloud.openfeign.FeignClient; @FeignClient(name = "billing", path = "/v1")
interface Billing { @PostMapping("/invoices") Invoice create(Order order); }`,
      },
      rows: ['out 2: REST FeignClient -> billing, Billing; path /v1; calls POST /v1/invoices'],
    },
    {
      title: 'a client with an address of the settings',
      files: {
        'Rates.java': `@FeignClient(name = "rates", url = "\${rates.url}")
interface Rates { @RequestMapping(method = RequestMethod.GET, value = "/latest") Rate latest(); }`,
        'application.properties': 'rates.url=https://rates.test',
      },
      rows: [
        'out 2: REST FeignClient -> rates, Rates; url https://rates.test; calls GET /latest',
        'out 1: Configuration Service URL -> https://rates.test; path rates.url',
      ],
    },
    {
      title: 'a client in Kotlin',
      files: {
        'Stock.kt': `@FeignClient("stock")
interface Stock {
    @GetMapping("/items/{id}")
    fun item(@PathVariable id: String): Item
}`,
      },
      rows: ['out 2: REST FeignClient -> stock, Stock; calls GET /items/{id}'],
    },
  ],
  notFound: [
    {
      title: 'an interface that a controller implements',
      files: { 'Api.java': 'interface Api { @GetMapping("/items") String items(); }' },
    },
  ],
}

const REST_TEMPLATE: FrameworkSnippets = {
  framework: 'Spring RestTemplate',
  language: 'Java, Kotlin',
  finds: ['calls'],
  found: [
    {
      title: 'requests under any name of the client',
      files: {
        'Shop.java': `import org.springframework.web.client.RestTemplate; class Shop {
  private final RestTemplate http = new RestTemplate();
  Order order(String id) { return http.getForObject("http://orders/orders/{id}", Order.class, id); }
  void pay() { http.exchange("http://payments/pay", HttpMethod.PUT, null, Void.class); }
}`,
      },
      rows: [
        'out 3: REST RestTemplate GET -> http://orders/orders/{id}, Shop',
        'out 4: REST RestTemplate PUT -> http://payments/pay, Shop',
      ],
    },
    {
      title: 'an address of the settings, made with URI.create',
      files: {
        'Shop.java': `class Shop {
  @Value("\${stock.url}") String stock;
  RestTemplate rest;
  void sync() { rest.postForEntity(URI.create(stock + "/sync"), null, Void.class); }
}`,
        'application.yml': 'stock:\n  url: http://stock:8080',
      },
      rows: [
        'out 4: REST RestTemplate POST -> http://stock:8080/sync, Shop [medium]',
        'out 2: Configuration Service URL -> http://stock:8080; path stock.url',
      ],
    },
    {
      title: 'a builder of addresses',
      files: {
        'Geo.kt': `class Geo(private val rest: RestTemplate) {
    fun find(q: String) = rest.getForObject(
        UriComponentsBuilder.fromHttpUrl("https://geo.test").path("/search").queryParam("q", q).toUriString(),
        String::class.java,
    )
}`,
      },
      rows: ['out 2: REST RestTemplate GET -> https://geo.test/search, Geo'],
    },
  ],
  notFound: [
    {
      title: 'a map with the same methods',
      files: {
        'Cache.java': 'class Cache { Map<String, String> map; void a() { map.put("http://orders", "x"); } }',
      },
    },
  ],
}

const WEB_CLIENT: FrameworkSnippets = {
  framework: 'Spring WebClient and RestClient',
  language: 'Java, Kotlin',
  finds: ['calls'],
  found: [
    {
      title: 'a base address and a path',
      files: {
        'Stock.java': `class Stock {
  private final WebClient client;
  Stock(WebClient.Builder builder) { this.client = builder.baseUrl("http://stock").build(); }
  Mono<Item> item(String id) { return client.get().uri("/items/{id}", id).retrieve().bodyToMono(Item.class); }
}`,
      },
      rows: [
        'out 3: REST WebClient -> http://stock, Stock',
        'out 4: REST WebClient GET -> http://stock/items/{id}, Stock',
      ],
    },
    {
      title: 'a bean of another class',
      files: {
        'Config.java': `class Config { @Bean RestClient ordersClient() { return RestClient.create("http://orders"); } }`,
        'Orders.java': `class Orders {
  private final RestClient ordersClient;
  void cancel(String id) { ordersClient.delete().uri("/orders/{id}", id).retrieve(); }
}`,
      },
      rows: [
        'out 1: REST RestClient -> http://orders, Config',
        'out 3: REST RestClient DELETE -> http://orders/orders/{id}, Orders [medium]',
      ],
    },
    {
      title: 'a service of the registry',
      files: {
        'Vets.java': `import org.springframework.cloud.client.discovery.DiscoveryClient;
class Vets {
  DiscoveryClient discovery;
  URI uri() { return discovery.getInstances("vets-service").get(0).getUri(); }
}`,
      },
      rows: ['out 4: REST DiscoveryClient -> lb://vets-service, Vets'],
    },
    {
      title: 'a service of the registry, in Kotlin',
      files: {
        'Vets.kt': `import org.springframework.cloud.client.discovery.DiscoveryClient

@Service
class Vets(private val discovery: DiscoveryClient) {
    fun address() = discovery.getInstances("vets-service").first().uri
}
`,
      },
      rows: ['out 5: REST DiscoveryClient -> lb://vets-service, Vets'],
    },
  ],
  notFound: [
    {
      title: 'a builder of another library',
      files: {
        'Links.java': 'class Links { LinkBuilder links; void a() { links.get().uri("http://x/y"); } }',
      },
    },
  ],
}

const EXCHANGE: FrameworkSnippets = {
  framework: 'Spring HTTP interfaces',
  language: 'Java, Kotlin',
  finds: ['calls'],
  found: [
    {
      title: 'an interface with an address',
      files: {
        'Users.java': `import org.springframework.web.service.annotation.*; @HttpExchange("https://users.test/api")
interface Users {
  @GetExchange("/users/{id}") User user(@PathVariable String id);
  @PostExchange("/users") void create(@RequestBody User user);
}`,
      },
      rows: [
        'out 2: REST HttpExchange -> https://users.test/api, Users; url https://users.test/api; calls GET /users/{id} + POST /users',
      ],
    },
    {
      title: 'a client that a factory makes',
      files: {
        'Orders.java': `interface Orders { @GetExchange("/orders") List<Order> all(); }`,
        'Config.java': `import org.springframework.web.service.invoker.HttpServiceProxyFactory;
class Config {
  @Bean Orders orders() {
    RestClient client = RestClient.builder().baseUrl("http://orders:8080").build();
    HttpServiceProxyFactory factory = HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client)).build();
    return factory.createClient(Orders.class);
  }
}`,
      },
      rows: [
        'out 4: REST RestClient -> http://orders:8080, Config',
        'out 1: REST HttpExchange -> http://orders:8080, Orders; url http://orders:8080; calls GET /orders',
      ],
    },
    {
      title: 'a group with settings',
      files: {
        'Echo.java':
          '@HttpExchange(url = "/echo") interface Echo { @PostExchange String echo(String text); }',
        'App.java': `import org.springframework.web.service.registry.ImportHttpServices;
@ImportHttpServices(group = "echo", types = Echo.class) class App {}`,
        'application.properties': 'spring.http.serviceclient.echo.base-url=http://echo',
      },
      rows: [
        'out 1: REST HttpExchange -> http://echo, Echo; url http://echo; calls POST /echo [medium]',
        'out 1: Configuration Service URL -> http://echo; path spring.http.serviceclient.echo.base-url',
      ],
    },
  ],
  notFound: [
    {
      title: 'an exchange of messages',
      files: {
        'Fanout.java': 'interface Fanout { @Exchange("orders") void send(); TopicExchange exchange(); }',
      },
    },
  ],
}

export const JAVA_CLIENT_SNIPPETS: readonly FrameworkSnippets[] = [FEIGN, REST_TEMPLATE, WEB_CLIENT, EXCHANGE]
