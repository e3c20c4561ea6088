import { expect, it } from 'vitest'
import { outboundRows, type Snippet } from '../../../test/support/project-rows.ts'

/** Where the base URL of a client may be written. Each row is the call that adds its path. */
const SNIPPETS: readonly Snippet[] = [
  {
    title: 'in the initializer of the field',
    files: {
      'Shop.java': `class Shop {
  WebClient client = WebClient.builder().baseUrl("http://a").build();
  void x() { client.get().uri("/x"); }
}`,
    },
    rows: ['2: REST WebClient -> http://a, Shop', '3: REST WebClient GET -> http://a/x, Shop'],
  },
  {
    title: 'in the constructor',
    files: {
      'Shop.java': `class Shop {
  WebClient client;
  Shop(WebClient.Builder builder) { this.client = builder.baseUrl("http://a").build(); }
  void x() { client.get().uri("/x"); }
}`,
    },
    rows: ['3: REST WebClient -> http://a, Shop', '4: REST WebClient GET -> http://a/x, Shop'],
  },
  {
    title: 'in the bean of the same name, with less confidence',
    files: {
      'Clients.java': `class Clients {
  @Bean WebClient billing() { return WebClient.create("http://billing"); }
  @Bean WebClient stock() { return WebClient.create("http://stock"); }
}`,
      'Shop.java': `class Shop {
  WebClient billing;
  void x() { billing.get().uri("/x"); }
}`,
    },
    rows: [
      '2: REST WebClient -> http://billing, Clients',
      '3: REST WebClient -> http://stock, Clients',
      '3: REST WebClient GET -> http://billing/x, Shop [medium]',
    ],
  },
  {
    title: 'in a method of the same class',
    files: {
      'Shop.java': `class Shop {
  WebClient client() { return WebClient.builder().baseUrl("http://a").build(); }
  void x() { client().get().uri("/x"); }
}`,
    },
    rows: ['2: REST WebClient -> http://a, Shop', '3: REST WebClient GET -> http://a/x, Shop'],
  },
  {
    title: 'nowhere: the path alone has low confidence',
    files: {
      'Shop.java': `class Shop {
  WebClient client;
  void x() { client.get().uri("/x"); }
}`,
    },
    rows: ['3: REST WebClient GET -> /x, Shop [low]'],
  },
  {
    title: 'in none of several beans with other names',
    files: {
      'Clients.java': `class Clients {
  @Bean WebClient a() { return WebClient.create("http://a"); }
  @Bean WebClient b() { return WebClient.create("http://b"); }
}`,
      'Shop.java': `class Shop {
  WebClient client;
  void x() { client.get().uri("/x"); }
}`,
    },
    rows: [
      '2: REST WebClient -> http://a, Clients',
      '3: REST WebClient -> http://b, Clients',
      '3: REST WebClient GET -> /x, Shop [low]',
    ],
  },
  {
    title: 'replaced by an absolute URL in the call',
    files: {
      'Shop.java': `class Shop {
  WebClient client = WebClient.create("http://a");
  void x() { client.get().uri("http://b/x"); }
}`,
    },
    rows: ['2: REST WebClient -> http://a, Shop', '3: REST WebClient GET -> http://b/x, Shop'],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  expect(await outboundRows(files)).toEqual(rows)
})
