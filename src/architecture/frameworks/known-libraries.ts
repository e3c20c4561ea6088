import { optional } from '../../kernel/optional.ts'
import type { SourceLanguage } from '../source/source-unit.ts'

/** A framework or client library by the name of its imports, whether or not a detector knows it. */
export interface KnownLibrary {
  readonly name: string
  readonly language: SourceLanguage
  readonly imports: RegExp
  /** For Java, Kotlin and schema files, whose detectors are not in the table of frameworks. */
  readonly detected?: true
}

type Row = readonly [name: string, imports: RegExp]

const rows = (language: SourceLanguage, list: readonly Row[], detected?: true): readonly KnownLibrary[] =>
  list.map(([name, imports]) => ({
    name,
    language,
    imports,
    ...optional({ detected }),
  }))

const JVM_DETECTED: readonly Row[] = [
  ['Spring MVC', /^org\.springframework\.(web\.bind|web\.servlet|stereotype\.Controller)/],
  ['Spring WebFlux', /^org\.springframework\.web\.reactive/],
  ['Spring HTTP clients', /^org\.springframework\.web\.client/],
  ['Spring Data', /^org\.springframework\.data\./],
  ['Spring JDBC', /^org\.springframework\.jdbc/],
  ['Spring Kafka', /^org\.springframework\.kafka/],
  ['Spring AMQP', /^org\.springframework\.amqp/],
  ['Spring JMS', /^org\.springframework\.jms/],
  ['Spring Cloud Stream', /^org\.springframework\.cloud\.(stream|function)/],
  ['Spring Cloud OpenFeign', /^org\.springframework\.cloud\.openfeign/],
  ['JAX-RS', /^(javax|jakarta)\.ws\.rs/],
  ['JPA', /^(javax|jakarta)\.persistence/],
  ['gRPC', /^io\.grpc|^net\.devh\.boot\.grpc/],
  ['MicroProfile Reactive Messaging', /^org\.eclipse\.microprofile\.reactive\.messaging/],
  ['MicroProfile REST client', /^org\.eclipse\.microprofile\.rest\.client/],
  ['Spring HTTP interfaces', /^org\.springframework\.web\.service/],
  ['OkHttp', /^okhttp3/],
  ['Java HTTP client', /^java\.net\.http/],
]

/** Web and data libraries in wide use. Those that a detector knows drop out of the list of unknown ones by themselves. */
const JVM: readonly Row[] = [
  ['Spring Cloud Gateway', /^org\.springframework\.cloud\.gateway/],
  ['Spring GraphQL', /^org\.springframework\.graphql/],
  ['Micronaut', /^io\.micronaut\.(http|data)/],
  ['Ktor', /^io\.ktor\./],
  ['Vert.x', /^io\.vertx\./],
  ['Javalin', /^io\.javalin/],
  ['Spark', /^spark\.(Spark|Request|Route)/],
  ['Play', /^play\.(mvc|api)/],
  ['Struts', /^org\.apache\.struts/],
  ['Stapler', /^org\.kohsuke\.stapler/],
  ['Retrofit', /^retrofit2\./],
  ['Room', /^androidx\.room\./],
  ['MyBatis', /^org\.apache\.ibatis|^com\.baomidou\.mybatisplus/],
  ['jOOQ', /^org\.jooq/],
  ['Exposed', /^org\.jetbrains\.exposed/],
  ['Hibernate', /^org\.hibernate\.(Session|SessionFactory|query)/],
  ['Apache HttpClient', /^org\.apache\.(http|hc)\./],
  ['Kafka client', /^org\.apache\.kafka\.clients/],
  ['AWS SDK', /^software\.amazon\.awssdk|^com\.amazonaws/],
  ['Axon', /^org\.axonframework/],
  ['Eventuate', /^io\.eventuate/],
  ['Dubbo', /^org\.apache\.dubbo/],
]

/** By its schema files. */
const SCRIPT_DETECTED: readonly Row[] = [['Prisma', /^@prisma\/client/]]

const SCRIPT: readonly Row[] = [
  ['Express', /^express$/],
  ['Fastify', /^fastify$/],
  ['Koa', /^(koa|@koa\/router|koa-router)$/],
  ['Hono', /^hono(\/|$)/],
  ['NestJS', /^@nestjs\/(common|core|microservices)$/],
  ['hapi', /^(@hapi\/hapi|hapi)$/],
  ['restify', /^restify$/],
  ['Feathers', /^@feathersjs\//],
  ['AdonisJS', /^@adonisjs\//],
  ['Elysia', /^elysia$/],
  ['Next.js', /^next(\/|$)/],
  ['Nuxt', /^(nuxt|#imports|h3)$/],
  ['Remix', /^@remix-run\//],
  ['SvelteKit', /^@sveltejs\/kit/],
  ['tRPC', /^@trpc\//],
  ['Apollo Server', /^(@apollo\/server|apollo-server[\w-]*)$/],
  ['GraphQL Yoga', /^(graphql-yoga|@graphql-yoga\/)/],
  ['GraphQL Tools', /^@graphql-tools\/schema$/],
  ['TypeGraphQL', /^type-graphql$/],
  ['NestJS GraphQL', /^@nestjs\/graphql$/],
  ['Socket.IO', /^socket\.io$/],
  ['gRPC', /^@grpc\/grpc-js$/],
  ['TypeORM', /^(typeorm|@nestjs\/typeorm)$/],
  ['Sequelize', /^(sequelize|sequelize-typescript)$/],
  ['Mongoose', /^(mongoose|@nestjs\/mongoose)$/],
  ['Drizzle', /^drizzle-orm/],
  ['Kysely', /^kysely$/],
  ['Knex', /^knex$/],
  ['MikroORM', /^@mikro-orm\//],
  ['pg', /^pg$/],
  ['mysql2', /^mysql2?(\/|$)/],
  ['MongoDB', /^mongodb$/],
  ['Redis', /^(redis|ioredis|@keyv\/redis)$/],
  ['ClickHouse', /^@clickhouse\/client/],
  ['kafkajs', /^kafkajs$/],
  ['amqplib', /^amqplib/],
  ['BullMQ', /^(bull|bullmq|@nestjs\/bullmq?)$/],
  ['AWS SDK', /^(aws-sdk|@aws-sdk\/)/],
  ['sqs-consumer', /^sqs-consumer$/],
  ['axios', /^axios$/],
  [
    'http-proxy-middleware',
    /^(http-proxy(-middleware)?|express-http-proxy|@fastify\/http-proxy|fastify-http-proxy)$/,
  ],
  ['got', /^got$/],
  ['ky', /^ky$/],
  ['undici', /^undici$/],
  ['Firebase', /^(firebase|firebase-admin)(\/|$)/],
  ['Supabase', /^@supabase\//],
]

const PYTHON: readonly Row[] = [
  ['FastAPI', /^fastapi(\.|$)/],
  ['Flask', /^flask(\.|$)/],
  ['Django', /^django(\.|$)/],
  ['Django REST framework', /^rest_framework(\.|$)/],
  ['Starlette', /^starlette(\.|$)/],
  ['Sanic', /^sanic(\.|$)/],
  ['Tornado', /^tornado(\.|$)/],
  ['aiohttp', /^aiohttp(\.|$)/],
  ['Falcon', /^falcon(\.|$)/],
  ['Bottle', /^bottle(\.|$)/],
  ['Pyramid', /^pyramid(\.|$)/],
  ['Quart', /^quart(\.|$)/],
  ['Litestar', /^litestar(\.|$)/],
  ['Frappe', /^frappe(\.|$)/],
  ['Strawberry', /^strawberry(\.|$)/],
  ['Graphene', /^graphene(\.|$)/],
  ['Celery', /^celery(\.|$)/],
  ['SQLAlchemy', /^(sqlalchemy|flask_sqlalchemy)(\.|$)/],
  ['SQLModel', /^sqlmodel(\.|$)/],
  ['Peewee', /^peewee(\.|$)/],
  ['Tortoise ORM', /^tortoise(\.|$)/],
  ['PyMongo', /^(pymongo|motor)(\.|$)/],
  ['psycopg', /^(psycopg|psycopg2|asyncpg)(\.|$)/],
  ['Redis', /^redis(\.|$)/],
  ['requests', /^requests(\.|$)/],
  ['httpx', /^httpx(\.|$)/],
  ['gRPC', /^grpc(\.|$)/],
  ['Kafka client', /^(kafka|confluent_kafka|aiokafka)(\.|$)/],
  ['pika', /^(pika|aio_pika)(\.|$)/],
  ['boto3', /^(boto3|aioboto3)(\.|$)/],
  ['Elasticsearch', /^(elasticsearch|opensearchpy)(\.|$)/],
  ['MySQL client', /^(pymysql|MySQLdb|aiomysql|asyncmy|mysql\.connector)(\.|$)/],
  ['Kombu', /^kombu(\.|$)/],
  ['RQ', /^(rq|django_rq)(\.|$)/],
  ['Dramatiq', /^dramatiq(\.|$)/],
  ['APScheduler', /^apscheduler(\.|$)/],
  ['FastStream', /^faststream(\.|$)/],
]

const GO: readonly Row[] = [
  ['net/http', /^net\/http$/],
  ['Gin', /^github\.com\/gin-gonic\/gin$/],
  ['Echo', /^github\.com\/labstack\/echo(\/|$)/],
  ['chi', /^github\.com\/go-chi\/chi(\/|$)/],
  ['Fiber', /^github\.com\/gofiber\/fiber(\/|$)/],
  ['gorilla/mux', /^github\.com\/gorilla\/mux$/],
  ['httprouter', /^github\.com\/julienschmidt\/httprouter$/],
  ['fasthttp', /^github\.com\/valyala\/fasthttp$/],
  ['Beego', /^github\.com\/(beego|astaxie)\/beego/],
  ['Connect', /^connectrpc\.com\/connect$/],
  ['gqlgen', /^github\.com\/99designs\/gqlgen/],
  ['gRPC', /^google\.golang\.org\/grpc(\/|$)/],
  ['database/sql', /^database\/sql$/],
  ['GORM', /^(gorm\.io\/gorm|github\.com\/jinzhu\/gorm)$/],
  ['sqlx', /^github\.com\/jmoiron\/sqlx$/],
  ['pgx', /^github\.com\/jackc\/pgx/],
  ['ent', /^entgo\.io\/ent/],
  ['Bun', /^github\.com\/uptrace\/bun/],
  ['MongoDB', /^go\.mongodb\.org\/mongo-driver/],
  ['Redis', /^github\.com\/(redis|go-redis)\/|^github\.com\/gomodule\/redigo/],
  ['sarama', /^github\.com\/(IBM|Shopify)\/sarama/],
  ['kafka-go', /^github\.com\/segmentio\/kafka-go/],
  ['confluent-kafka-go', /^github\.com\/confluentinc\/confluent-kafka-go/],
  ['RabbitMQ', /^github\.com\/(rabbitmq|streadway)\/amqp/],
  ['Elasticsearch', /go-elasticsearch|olivere\/elastic|opensearch-go/],
  ['MinIO', /^github\.com\/minio\/minio-go/],
  ['resty', /^github\.com\/go-resty\/resty|^resty\.dev\//],
  ['NATS', /^github\.com\/nats-io\/nats\.go/],
  ['AWS SDK', /^github\.com\/aws\/aws-sdk-go/],
]

export const KNOWN_LIBRARIES: readonly KnownLibrary[] = [
  ...(['java', 'kotlin'] as const).flatMap((language) => [
    ...rows(language, JVM_DETECTED, true),
    ...rows(language, JVM),
  ]),
  ...rows('script', SCRIPT_DETECTED, true),
  ...rows('script', SCRIPT),
  ...rows('python', PYTHON),
  ...rows('go', GO),
]
