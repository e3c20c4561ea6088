import { expect, it } from 'vitest'
import { outboundRows, type Snippet } from '../../../test/support/project-rows.ts'

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'reads RestTemplate calls without query and with holes for values',
    files: {
      'Shop.java': `class Shop {
  private final RestTemplate rest;
  void pay(String id) { rest.getForObject("http://billing/pay/" + id + "?dry=1", String.class); }
  void drop() { rest.exchange("http://billing/x", HttpMethod.DELETE, null, Void.class); }
}`,
    },
    rows: [
      '3: REST RestTemplate GET -> http://billing/pay/{id}, Shop [medium]',
      '4: REST RestTemplate DELETE -> http://billing/x, Shop',
    ],
  },
  {
    title: 'fills in an injected setting',
    files: {
      'Shop.java': `class Shop {
  @Value("\${billing.url}") String base;
  RestTemplate rest;
  void pay() { rest.postForEntity(base + "/pay", null, Void.class); }
}`,
      'application.properties': 'billing.url=http://billing:8080',
    },
    rows: [
      '4: REST RestTemplate POST -> http://billing:8080/pay, Shop [medium]',
      '1: Configuration Service URL -> http://billing:8080; path billing.url',
    ],
  },
  {
    title: 'joins base URL and path of a fluent client, with a row for each',
    files: {
      'Shop.kt': `class Shop {
  private val client = WebClient.create("http://billing")
  fun pay() = client.post().uri("/pay").retrieve()
}`,
    },
    rows: ['2: REST WebClient -> http://billing, Shop', '3: REST WebClient POST -> http://billing/pay, Shop'],
  },
  {
    title: 'reads the verb from method(HttpMethod)',
    files: {
      'Shop.java': `class Shop {
  RestClient client = RestClient.builder().baseUrl("http://billing").build();
  void pay() { client.method(HttpMethod.PUT).uri("/pay").retrieve(); }
}`,
    },
    rows: [
      '2: REST RestClient -> http://billing, Shop',
      '3: REST RestClient PUT -> http://billing/pay, Shop',
    ],
  },
  {
    title: 'reads the HTTP client of the JDK and OkHttp',
    files: {
      'Shop.java': `class Shop {
  void jdk() { HttpRequest.newBuilder(URI.create("http://a/x")).build(); }
  void jdkUri() { HttpRequest.newBuilder().uri(URI.create("http://b/y")).build(); }
  void ok() { new Request.Builder().url("http://c/z").build(); }
}`,
    },
    rows: [
      '2: REST HttpClient -> http://a/x, Shop',
      '3: REST HttpClient -> http://b/y, Shop',
      '4: REST OkHttp -> http://c/z, Shop',
    ],
  },
  {
    title: 'names a target that only a run would show "External Services"',
    files: {
      'Shop.java': `class Shop { RestTemplate rest;
  void any(String url) { rest.delete(""); }
}`,
    },
    rows: ['2: REST RestTemplate DELETE -> External Services, Shop [low]'],
  },
  {
    title: 'gives no row for methods of the same name on other types',
    files: {
      'Shop.java': `class Shop {
  Map<String, String> cache; Files files;
  void x() { cache.put("http://a", "b"); files.delete("http://a"); getForObject("http://a"); }
}`,
    },
    rows: [],
  },
  {
    title: 'masks credentials in an address',
    files: {
      'Shop.java': `class Shop { RestTemplate rest;
  void x() { rest.getForObject("http://user:hunter2@billing/x", String.class); }
}`,
    },
    rows: ['2: REST RestTemplate GET -> http://***@billing/x, Shop'],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  expect(await outboundRows(files)).toEqual(rows)
})
