import type { FrameworkSnippets } from './snippet-corpus.ts'

/** A framework of stores: `found` and `notFound` as pairs of a title and files. */
const stores = (
  framework: string,
  found: FrameworkSnippets['found'],
  notFound: Readonly<Record<string, string>>,
): FrameworkSnippets => ({
  framework,
  language: 'Java, Kotlin',
  finds: ['stores'],
  found,
  notFound: [{ title: 'types of the same shape', files: notFound }],
})

const JDBC = stores(
  'Spring JDBC',
  [
    {
      title: 'a template with the address of the settings',
      files: {
        'Orders.java': 'class Orders { JdbcTemplate db; void a() { db.query("select 1"); } }',
        'application.properties': 'spring.datasource.url=jdbc:postgresql://db:5432/shop?user=x',
      },
      rows: [
        'out 1: JDBC JdbcTemplate -> jdbc:postgresql://db:5432/shop, Orders [medium]',
        'out 1: JDBC Data source -> jdbc:postgresql://db:5432/shop; path spring.datasource.url',
      ],
    },
    {
      title: 'the client',
      files: { 'Orders.java': 'class Orders { JdbcClient db; void a() { db.sql("select 1").query(); } }' },
      rows: ['out 1: JDBC JdbcClient -> JDBC store, Orders [low]'],
    },
    {
      title: 'a repository of Spring Data JDBC',
      files: {
        'Owner.java':
          'import org.springframework.data.relational.core.mapping.Table;\n@Table class Owner { @Id Long id; }',
        'Owners.java': 'interface Owners extends ListCrudRepository<Owner, Long> {}',
      },
      rows: ['out 1: JDBC JdbcRepository -> JDBC store, Owners; path Owner [low]'],
    },
  ],
  { 'A.java': 'class A { TextTemplate db; void a() { db.query("select 1"); } }' },
)

const JPA = stores(
  'JPA',
  [
    {
      title: 'a repository',
      files: { 'Pets.java': 'interface Pets extends JpaRepository<Pet, Long> {}' },
      rows: ['out 1: JPA JpaRepository -> JPA store, Pets; path Pet [low]'],
    },
    {
      title: 'an entity manager',
      files: {
        'Pets.kt':
          'class Pets(private val em: EntityManager) {\n    fun add(pet: Pet) { em.persist(pet) }\n}',
      },
      rows: ['out 2: JPA EntityManager -> JPA store, Pets [low]'],
    },
    {
      title: 'the marker interface, and a base of the project',
      files: {
        'Owner.java': 'import jakarta.persistence.Entity;\n@Entity class Owner {}',
        'Owners.java': `import org.springframework.data.repository.Repository;
interface Owners extends Repository<Owner, Integer> { void save(Owner owner); }`,
        'Base.java': '@NoRepositoryBean interface Base<T> extends JpaRepository<T, Long> {}',
        'Visits.java': 'interface Visits extends Base<Visit> {}',
      },
      rows: [
        'out 2: JPA JpaRepository -> JPA store, Owners; path Owner [low]',
        'out 1: JPA JpaRepository -> JPA store, Visits; path Visit [low]',
      ],
    },
  ],
  { 'A.java': 'interface A extends Repository<String, Long> {}\ninterface B extends ProductRepository {}' },
)

const R2DBC = stores(
  'Spring Data R2DBC',
  [
    {
      title: 'a repository',
      files: {
        'Posts.java': 'interface Posts extends R2dbcRepository<Post, Long> {}',
        'application.yml': 'spring:\n  r2dbc:\n    url: r2dbc:mysql://db/blog',
      },
      rows: [
        'out 1: R2DBC R2dbcRepository -> r2dbc:mysql://db/blog, Posts; path Post [medium]',
        'out 3: R2DBC Data source -> r2dbc:mysql://db/blog; path spring.r2dbc.url',
      ],
    },
    {
      title: 'a repository of coroutines with its entity',
      files: {
        'Post.kt':
          'import org.springframework.data.relational.core.mapping.Table\n\n@Table("posts")\ndata class Post(val id: Long)\n',
        'Posts.kt': 'interface Posts : CoroutineCrudRepository<Post, Long>',
      },
      rows: ['out 1: R2DBC R2dbcRepository -> R2DBC store, Posts; path Post [low]'],
    },
    {
      title: 'the client',
      files: { 'Posts.java': 'class Posts { DatabaseClient db; void a() { db.sql("select 1"); } }' },
      rows: ['out 1: R2DBC DatabaseClient -> R2DBC store, Posts [low]'],
    },
  ],
  { 'A.java': 'class A { SearchClient db; void a() { db.sql("select 1"); } }' },
)

const MONGO = stores(
  'Spring Data MongoDB',
  [
    {
      title: 'a repository whose entity is a document',
      files: {
        'Account.java':
          'import org.springframework.data.mongodb.core.mapping.Document;\n@Document class Account {}',
        'Accounts.java': 'interface Accounts extends CrudRepository<Account, String> {}',
      },
      rows: ['out 1: MongoDB MongoRepository -> MongoDB store, Accounts; path Account [low]'],
    },
    {
      title: 'a reactive repository with its address',
      files: {
        'Posts.kt': 'interface Posts : ReactiveMongoRepository<Post, String>',
        'application.properties': 'spring.data.mongodb.uri=mongodb://mongo:27017/blog',
      },
      rows: [
        'out 1: MongoDB MongoRepository -> mongodb://mongo:27017/blog, Posts; path Post [medium]',
        'out 1: MongoDB Data source -> mongodb://mongo:27017/blog; path spring.data.mongodb.uri',
      ],
    },
    {
      title: 'a template',
      files: { 'Posts.java': 'class Posts { ReactiveMongoTemplate db; void a() { db.save(post); } }' },
      rows: ['out 1: MongoDB MongoTemplate -> MongoDB store, Posts [low]'],
    },
  ],
  { 'A.java': 'class A { MailTemplate db; void a() { db.save(post); } }' },
)

const REDIS = stores(
  'Spring Data Redis',
  [
    {
      title: 'a repository whose entity is a hash',
      files: {
        'Session.java':
          'import org.springframework.data.redis.core.RedisHash;\n@RedisHash("s") class Session {}',
        'Sessions.java': 'interface Sessions extends CrudRepository<Session, String> {}',
      },
      rows: ['out 1: Redis RedisRepository -> Redis store, Sessions; path Session [low]'],
    },
    {
      title: 'a template with its address',
      files: {
        'Cache.java':
          'class Cache { StringRedisTemplate redis; void a() { redis.opsForValue().set("a", "b"); } }',
        'application.yml': 'spring:\n  data:\n    redis:\n      host: cache',
      },
      rows: [
        'out 1: Redis RedisTemplate -> cache, Cache [medium]',
        'out 4: Redis Data source -> cache; path spring.data.redis.host',
      ],
    },
    {
      title: 'a reactive template in Kotlin',
      files: {
        'Cache.kt':
          'class Cache(private val redis: ReactiveRedisTemplate<String, String>) {\n    fun a() = redis.opsForList()\n}',
      },
      rows: ['out 2: Redis RedisTemplate -> Redis store, Cache [low]'],
    },
  ],
  { 'A.java': 'class A { LocalCache redis; void a() { redis.opsForValue(); } }' },
)

const ELASTICSEARCH = stores(
  'Spring Data Elasticsearch',
  [
    {
      title: 'a repository',
      files: { 'Search.java': 'interface Search extends ElasticsearchRepository<Product, Long> {}' },
      rows: [
        'out 1: Elasticsearch ElasticsearchRepository -> Elasticsearch store, Search; path Product [low]',
      ],
    },
    {
      title: 'a repository whose entity is a document',
      files: {
        'Product.java':
          'import org.springframework.data.elasticsearch.annotations.Document;\n@Document(indexName = "p") class Product {}',
        'Products.java': 'interface Products extends ReactiveCrudRepository<Product, String> {}',
      },
      rows: [
        'out 1: Elasticsearch ElasticsearchRepository -> Elasticsearch store, Products; path Product [low]',
      ],
    },
    {
      title: 'operations',
      files: {
        'Search.java': 'class Search { ElasticsearchOperations es; void a() { es.search(q, P.class); } }',
        'application.properties': 'spring.elasticsearch.uris=http://search:9200',
      },
      rows: [
        'out 1: Elasticsearch ElasticsearchOperations -> http://search:9200, Search [medium]',
        'out 1: Configuration Service URL -> http://search:9200; path spring.elasticsearch.uris',
      ],
    },
  ],
  { 'A.java': 'class A { SearchIndex es; void a() { es.search(q, P.class); } }' },
)

export const JAVA_STORE_SNIPPETS: readonly FrameworkSnippets[] = [
  JDBC,
  JPA,
  R2DBC,
  MONGO,
  REDIS,
  ELASTICSEARCH,
]
