import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { maskAll } from '../kernel/text/secrets.ts'
import { syntaxTrees } from '../platform/syntax/syntax-trees.ts'
import { type Architecture, analyse } from './architecture.ts'
import { fitGraph, renderArchitectureMermaid } from './mermaid.ts'
import { memoryFiles } from './source/memory-files.fake.ts'

const parser = syntaxTrees()
const AT = '2026-03-04T05:06:07Z'

const fixture = (name: string): Record<string, string> => {
  const root = join('test/fixtures', name)
  const paths = readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return Object.fromEntries(
    paths.map((one) => {
      const path = join(one.parentPath, one.name)
      return [relative(root, path), readFileSync(path, 'utf8')]
    }),
  )
}

const study = (texts: Record<string, string | undefined>) =>
  analyse(memoryFiles(texts), parser, { at: AT, checkDeadline: () => {} })

const inboundOf = (found: Architecture) =>
  found.connections.inbound.map(({ protocol, endpoint }) => `${protocol} ${endpoint}`)
const outboundOf = (found: Architecture) =>
  found.connections.outbound.map(
    ({ target_service, protocol, type }) => `${protocol}/${type} ${target_service}`,
  )

const orders = maskAll(await study(fixture('orders')))
const market = maskAll(await study(fixture('market')))

describe('the orders project', () => {
  const found = orders

  it('is read without a complaint', () => {
    expect(found.warnings).toEqual([])
  })

  it('is reached in these ways', () => {
    expect(inboundOf(found)).toEqual([
      'Messaging-Kafka a',
      'Messaging-Kafka b',
      'Messaging-Kafka orders.created',
      'Scheduled OrderService.sweep (cron 0 0 * * * *)',
      'REST GET /api/orders/{id}',
      'REST GET /api/orders',
      'REST POST /api/orders/new',
      'REST PATCH /api/orders/p',
      'REST DELETE /api/orders/a',
      'REST DELETE /api/orders/b',
      'REST PUT /api/orders/put/{id}',
    ])
  })

  it('reaches these others', () => {
    expect(outboundOf(found)).toEqual([
      'REST/FeignClient inventory',
      'REST/FeignClient payment-service',
      'REST/WebClient http://u',
      'REST/RestTemplate http://billing/api',
      'REST/RestTemplate http://z/api',
      'Messaging-Kafka/KafkaTemplate orders.audit',
      'Messaging-JMS/JmsTemplate jq',
      'JDBC/JdbcTemplate jdbc:postgresql://db.internal:5432/orders',
      'gRPC/Stub Stock',
      'Configuration/Service URL http://***@db.internal:8080',
      'Configuration/Service URL https://pay.internal',
      'JDBC/Data source jdbc:postgresql://db.internal:5432/orders',
    ])
  })

  it('keeps what was written beside what it stands for', () => {
    expect(found.connections.inbound.find(({ endpoint }) => endpoint === 'orders.created')).toMatchObject({
      origin: '${topic.name}',
      confidence: 'medium',
      handler: 'OrderService.configured',
    })
    expect(
      found.connections.outbound.find(({ target_service }) => target_service === 'payment-service'),
    ).toMatchObject({
      url: 'https://pay.internal/v2',
      consumers: ['OrderService'],
      calls: ['POST /payments'],
    })
  })

  it('never shows a password, and says where they are', () => {
    expect(JSON.stringify(found)).not.toMatch(/s3cret|hunter2/)
    expect(found.secrets.map(({ file, line, place }) => `${file}:${line} ${place}`)).toEqual([
      'src/main/resources/application.yml:5 credentials in an address',
      'src/main/resources/application.yml:12 spring.datasource.password',
    ])
  })

  it('draws who calls whom, and nothing else', () => {
    expect(renderArchitectureMermaid(fitGraph(found.graph)).split('\n')).toEqual([
      'graph TD',
      '  APP_OrdersApplication(["OrdersApplication"])',
      '  CTRL_OrderController["OrderController"]',
      '  SVC_OrderService["OrderService"]',
      expect.stringContaining('EXT_InventoryClient'),
      ...Array(11).fill(expect.stringMatching(/^ {2}EXT_/)),
      ...Array(13).fill(expect.stringContaining('-->')),
    ])
  })
})

describe('the market project', () => {
  const found = market
  const api = (name: string) => inboundOf(found).filter((one) => one.startsWith(name))

  it('is read without a complaint', () => {
    expect(found.warnings).toEqual([])
  })

  it('serves REST through every way of saying so', () => {
    expect(api('REST')).toEqual([
      'REST ANY /market/items/any',
      'REST GET /market/items/x',
      'REST GET /market/items/y',
      'REST HEAD /market/items/x',
      'REST HEAD /market/items/y',
      'REST GET /market/items/audit/log',
      'REST GET /market/items/market/deep',
      'REST GET /market/items/shared/{id}',
      'REST GET /core/level/{id}',
      'REST GET /core/levels/{id}',
      'REST POST /core/levels',
      'REST GET /fn/list',
      'REST GET /old/{id}',
      'REST POST /old',
    ])
  })

  it('listens to every kind of broker', () => {
    expect(api('Messaging')).toEqual([
      'Messaging-Stream intake.topic',
      'Messaging-Kafka one',
      'Messaging-Kafka two',
      'Messaging-Kafka alpha',
      'Messaging-Kafka beta',
      'Messaging-Kafka metrics-.*',
      'Messaging-Kafka parts',
      'Messaging-RabbitMQ direct.q',
      'Messaging-RabbitMQ orders.q',
      'Messaging-RabbitMQ bound.q',
      'Messaging-JMS jms.q',
      'Messaging-Stream legacy-in',
      'Messaging-Kafka k.a',
      'Messaging-Kafka k.b',
    ])
  })

  it('wakes up by itself, and serves gRPC under the names of the proto file', () => {
    expect(api('Scheduled')).toEqual([
      'Scheduled ItemController.rate (fixedRate 1000)',
      'Scheduled ItemController.delay (fixedDelayString 5000)',
    ])
    expect(api('gRPC')).toEqual(['gRPC market.v1.Stock/GetLevel', 'gRPC market.v1.Stock/Watch'])
  })

  it('calls out by every means', () => {
    const code = found.connections.outbound.filter(({ caller }) => caller !== '')
    expect(
      code.map((one) => [one.protocol, one.type, one.http_method ?? '-', one.target_service].join(' ')),
    ).toEqual([
      'gRPC GrpcClient - stock-service',
      'REST WebClient - http://search.internal/s',
      'REST RestTemplate DELETE http://catalog.internal:9000/base/items/{id}',
      'REST RestTemplate GET http://fmt/{}/x',
      'REST RestTemplate PUT http://uri.internal/p',
      'REST RestTemplate GET https://rates.example.net/v1/latest',
      'REST WebClient POST http://search.internal/s/find',
      'REST RestClient - http://local.internal',
      'REST RestClient GET http://local.internal/z',
      'REST HttpClient - http://jdk.internal/a',
      'REST OkHttp - http://ok.internal/b',
      'Messaging-RabbitMQ RabbitTemplate - events',
      'Messaging-RabbitMQ RabbitTemplate - plain.q',
      'Messaging-Kafka KafkaTemplate - records',
      'Messaging-Kafka KafkaTemplate - keyed',
      'Messaging-Stream StreamBridge - notes.topic',
      'MongoDB MongoTemplate - mongodb://***@mongo.internal:27017/market',
      'Redis RedisTemplate - redis.internal',
      'gRPC ManagedChannel - stock.internal:9090',
      'gRPC Stub - market.v1.Stock',
      'Messaging-Stream Function - shipped.topic',
      'REST WebClient - http://kotlin.internal',
      'REST RestTemplate GET https://rates.internal/levels/{id}',
      'REST WebClient GET http://kotlin.internal/k/{id}',
      'Messaging-Kafka KafkaTemplate - levels.changed',
      'gRPC Stub - market.v1.Stock',
      'JPA JpaRepository - JPA store',
      'REST FeignClient - warehouse',
    ])
  })

  it('names the servers its configuration names, each module with its own settings', () => {
    const config = found.connections.outbound.filter(({ caller }) => caller === '')
    expect(config.map((one) => `${one.protocol} ${one.target_service}`)).toEqual([
      'Configuration http://catalog.internal:9000',
      'Configuration https://rates.example.net',
      'Messaging-Kafka k1:9092',
      'Messaging-Kafka k2:9092',
      'MongoDB mongodb://***@mongo.internal:27017/market',
      'Redis redis.internal',
      'Configuration http://warehouse.internal:8081',
      'Configuration https://rates.internal',
      'Configuration https://rates.prod.internal',
    ])
    expect(JSON.stringify(found)).not.toMatch(/pa55/)
  })
})

describe('code as others wrote it', () => {
  it('has its routes nested in what is no path as well', async () => {
    const found = await study({
      'A.java': `import org.springframework.web.reactive.function.server.RouterFunction;
class A {
  RouterFunction routes() {
    return nest(path("/"), nest(accept(TEXT_HTML), route(GET("/"), index))
      .andOther(nest(accept(JSON), nest(path("/api").and(contentType(JSON)), route(GET("/hello"), hello)))));
  }
}`,
    })
    expect(inboundOf(found)).toEqual(['REST GET /', 'REST GET /api/hello'])
  })

  it('has Kotlin classes whose annotations name their arguments, one below the other', async () => {
    const found = await study({
      'A.kt': `package a

@Controller
class Page {
  @GetMapping("", "/")
  fun index() = "index"
}

/** About the next. */
// and more
@RestController
@RequestMapping(produces = [JSON])
class Resource {
  @GetMapping("/{name}")
  fun index(@PathVariable(required = false) name: String? = null) = 1
}
@RestController
@RequestMapping(
  path = ["/third"],
)
class Third {
  @GetMapping("/x")
  fun x() = 1
}
`,
    })
    expect(inboundOf(found)).toEqual(['REST GET /', 'REST GET /{name}', 'REST GET /third/x'])
    expect(found.connections.inbound.map(({ line }) => line)).toEqual([6, 15, 23])
  })
})
