import { expect, it } from 'vitest'
import { outboundRows, type Snippet } from '../../../test/support/project-rows.ts'

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'gives one row for a store client of a class, however often it is called',
    files: {
      'Shop.java': `class Shop { JdbcTemplate jdbc;
  void a() { jdbc.query("select 1"); jdbc.update("delete"); }
  void b() { jdbc.queryForList("select 2"); }
}`,
    },
    rows: ['2: JDBC JdbcTemplate -> JDBC store, Shop [low]'],
  },
  {
    title: 'takes the database from the settings, without options',
    files: {
      'Shop.java': 'class Shop { JdbcTemplate jdbc;\n  void a() { jdbc.query("select 1"); } }',
      'application.properties': 'spring.datasource.url=jdbc:postgresql://db:5432/shop?ssl=true',
    },
    rows: [
      '2: JDBC JdbcTemplate -> jdbc:postgresql://db:5432/shop, Shop [medium]',
      '1: JDBC Data source -> jdbc:postgresql://db:5432/shop; path spring.datasource.url',
    ],
  },
  {
    title: 'reads MongoDB, Redis and Elasticsearch clients',
    files: {
      'Shop.java': `class Shop { MongoTemplate mongo; StringRedisTemplate redis; ElasticsearchOperations search;
  void a() { mongo.save(x); }
  void b() { redis.opsForValue().get("k"); }
  void c() { search.search(q, X.class); }
}`,
    },
    rows: [
      '2: MongoDB MongoTemplate -> MongoDB store, Shop [low]',
      '3: Redis RedisTemplate -> Redis store, Shop [low]',
      '4: Elasticsearch ElasticsearchOperations -> Elasticsearch store, Shop [low]',
    ],
  },
  {
    title: 'names the entity of a repository interface',
    files: {
      'Orders.java': 'interface Orders extends JpaRepository<Order, Long> {}',
      'Carts.kt': 'interface Carts : ReactiveMongoRepository<Cart, String>',
    },
    rows: [
      '1: MongoDB MongoRepository -> MongoDB store, Carts; path Cart [low]',
      '1: JPA JpaRepository -> JPA store, Orders; path Order [low]',
    ],
  },
  {
    title: 'gives no row for a base repository without a bean',
    files: { 'Base.java': '@NoRepositoryBean interface Base<T> extends JpaRepository<T, Long> {}' },
    rows: [],
  },
  {
    title: 'gives no row for unknown types and for calls that reach no store',
    files: {
      'Shop.java': `class Shop { Cache cache; JdbcTemplate jdbc;
  void a() { cache.save(x); cache.query("q"); jdbc.getDataSource(); }
}`,
    },
    rows: [],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  expect(await outboundRows(files)).toEqual(rows)
})
