import { expect, it } from 'vitest'
import { syntaxTrees } from '../../platform/syntax/syntax-trees.ts'
import { analyse } from '../architecture.ts'
import { memoryFiles } from '../source/memory-files.fake.ts'

interface JoinCase {
  readonly title: string
  readonly files: Readonly<Record<string, string>>
  readonly nodes: readonly string[]
  /** `from -> to protocol`, without the kinds. */
  readonly relations: readonly string[]
}

const deployment = (name: string, image: string): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: ${name} }\nspec: { template: { spec: { containers: [{ image: "${image}" }] } } }\n---\n`

const SERVER = '{"scripts":{"start":"x"},"dependencies":{"express":"5"}}'
const KAFKA = `const { Kafka } = require('kafkajs')
const kafka = new Kafka({ brokers: process.env.UNKNOWN })
const producer = kafka.producer()
producer.send({ topic: 'logs.b', messages: [] })`

const CASES: readonly JoinCase[] = [
  {
    title: 'a broker without an address is the only one of its technology in the system; a topic is no host',
    files: {
      'compose.yaml': 'services:\n  a: { build: a }\n  b: { build: b }\n  events: { image: cp-kafka }',
      'a/package.json': SERVER,
      'a/x.js': KAFKA,
      'b/Dockerfile': 'FROM scratch\nCMD b\n',
    },
    nodes: ['broker:events', 'service:a', 'service:b'],
    relations: ['a -> events Kafka'],
  },
  {
    title: 'a broker without an address is none of two',
    files: {
      'compose.yaml':
        'services:\n  a: { build: a }\n  one: { image: cp-kafka }\n  two: { image: x/my-kafka:3 }',
      'a/package.json': SERVER,
      'a/x.js': KAFKA,
    },
    nodes: ['broker:Kafka', 'broker:one', 'broker:two', 'service:a'],
    relations: ['a -> Kafka Kafka'],
  },
  {
    title: 'an address of a developer is the container that publishes the port',
    files: {
      'compose.yaml':
        'services:\n  one: { image: "mysql:8", ports: ["3306:3306"] }\n  two: { image: "mysql:8", ports: ["127.0.0.1:3307:3306"] }',
      'a/build.gradle': '',
      'b/build.gradle': '',
      'a/Main.java': '@SpringBootApplication class Main {}',
      'a/Orders.java': 'interface Orders extends JpaRepository<Order, Long> {}',
      'a/application.properties': 'spring.datasource.url=jdbc:mysql://localhost:3307/orders',
      'b/Main.java': '@SpringBootApplication class Main {}',
      'b/application.properties': 'spring.datasource.url=jdbc:mysql://localhost:3308/carts',
    },
    nodes: ['service:a', 'service:b', 'store:b MySQL', 'store:one', 'store:two'],
    relations: ['a -> two JDBC', 'b -> b MySQL JDBC'],
  },
  {
    title: 'a whole name of a cluster reaches what another folder deploys, a short one does not',
    files: {
      'k8s/apps/a.yml': `${deployment('a', 'shop/a').replace('"shop/a"', '"shop/a", env: [{ name: DB_URL, value: "mysql://db.default.svc.cluster.local:3306/x" }, { name: CACHE_URL, value: "redis://cache:6379" }]')}`,
      'k8s/infra/db.yml': deployment('db', 'mysql:8') + deployment('cache', 'redis:7'),
    },
    nodes: ['service:a', 'store:cache', 'store:db'],
    relations: ['a -> db MySQL'],
  },
  {
    title: 'names of compose files, manifests and folders are names of one service',
    files: {
      'deploy/compose.yaml':
        'services:\n  shop-orders: { image: "shop/shop-orders:1" }\n  kafka: { image: shop/event-kafka }',
      'k8s/all.yaml': `${deployment('orders-depl', 'shop/shop-orders')}${deployment('shop-kafka', 'cp-kafka')}${deployment('zoo-kafka-ui', 'kafka-ui')}`,
      'services/orders/Dockerfile': 'FROM scratch\nCMD orders\n',
    },
    nodes: ['broker:kafka', 'service:shop-orders', 'service:zoo-kafka-ui'],
    relations: [],
  },
  {
    title: 'two drivers of one store are one relation; scripts of developers are none',
    files: {
      'package.json': SERVER,
      'compose.yaml': 'services:\n  app: { build: ., depends_on: [db] }\n  db: { image: postgres }',
      Dockerfile: 'FROM node\nCMD x\n',
      'src/a.js':
        "const { Pool } = require('pg')\nconst pool = new Pool({ connectionString: process.env.DATABASE_URL })\n",
      'schema.prisma': 'datasource db {\n  provider = "postgresql"\n  url = env("DATABASE_URL")\n}\n',
      'scripts/release.js': "fetch('https://api.crowdin.com/x')\n",
      'src/scripts/call.js': "fetch('https://api.pay.com/x')\n",
    },
    nodes: ['outside:api.pay.com', 'service:app', 'store:db'],
    relations: ['app -> api.pay.com REST', 'app -> db SQL'],
  },
  {
    title: 'a package of a workspace is part of the applications that use it, of no other, and none itself',
    files: {
      'package.json':
        '{"name":"shop","workspaces":["*/*"],"scripts":{"start":"turbo run start --filter=@shop/web"},"dependencies":{"next":"1"}}',
      Dockerfile: 'FROM node\nCMD yarn start\n',
      'compose.yaml':
        'services:\n  shop: { build: ., depends_on: [db] }\n  db: { image: postgres }\n  queue: { image: redis }',
      'playwright.config.ts': 'export default {}\n',
      'apps/web/package.json':
        '{"name":"@shop/web","scripts":{"start":"next"},"dependencies":{"next":"1","@shop/ui":"*"}}',
      'apps/api/package.json': '{"name":"@shop/api","scripts":{"start":"x"},"dependencies":{"express":"5"}}',
      'apps/api/x.js': "import { pay } from '@shop/lib/pay'\nimport '@shop/none'\npay()\n",
      'apps/docs/package.json':
        '{"name":"@shop/docs","scripts":{"start":"next"},"dependencies":{"next":"1"}}',
      'packages/ui/package.json':
        '{"name":"@shop/ui","scripts":{"dev":"vite"},"dependencies":{"vue":"3","@shop/lib":"*"}}',
      'packages/lib/package.json': '{"name":"@shop/lib","dependencies":{"@shop/ui":"*"}}',
      'packages/lib/pay.ts': "export const pay = () => fetch('https://api.pay.com/x')\n",
      'packages/lib/scripts/publish.ts': "fetch('https://registry.shop.com/x')\n",
    },
    nodes: ['outside:api.pay.com', 'service:api', 'service:docs', 'service:web', 'store:db', 'store:queue'],
    relations: ['api -> api.pay.com REST', 'web -> api.pay.com REST', 'web -> db starts after'],
  },
  {
    title: 'endpoints of a package are those of the application that uses it itself',
    files: {
      'package.json': '{"name":"shop","workspaces":["*/*"]}',
      'apps/web/package.json':
        '{"name":"@shop/web","scripts":{"start":"x"},"dependencies":{"express":"5","@shop/router":"*"}}',
      'apps/api/package.json':
        '{"name":"@shop/api","scripts":{"start":"x"},"dependencies":{"express":"5","@shop/lib":"*"}}',
      'packages/lib/package.json': '{"name":"@shop/lib","dependencies":{"@shop/router":"*"}}',
      'packages/router/package.json': '{"name":"@shop/router"}',
      'packages/router/jobs.js':
        "import { Worker } from 'bullmq'\nnew Worker('mails', async () => {})\nfetch('https://api.pay.com/x')\n",
    },
    nodes: ['broker:BullMQ', 'outside:api.pay.com', 'service:api', 'service:web'],
    relations: ['BullMQ -> web BullMQ', 'api -> api.pay.com REST', 'web -> api.pay.com REST'],
  },
  {
    title: 'a project without anything that shows a deployable is one application',
    files: {
      'src/x.js': "fetch('https://api.pay.com/x')\n",
      'vendor/github.com/y/x.js': "fetch('https://a.com')",
    },
    nodes: ['outside:api.pay.com', 'service:shop'],
    relations: ['shop -> api.pay.com REST'],
  },
  {
    title: 'containers of examples, of copied packages and of tests are none of the project',
    files: {
      'packages/e2e-auth/Dockerfile': 'FROM node\nCMD x\n',
      'examples/compose.yaml': 'services:\n  inflate: { image: pause }\n  db: { image: postgres }',
      'vendor/github.com/x/compose.yaml': 'services:\n  other: { image: mysql }',
    },
    nodes: [],
    relations: [],
  },
]

it.each(CASES)('$title', async ({ files, nodes, relations }) => {
  const options = { at: '', checkDeadline: () => {} }
  const { system, warnings } = await analyse(memoryFiles(files), syntaxTrees(), options)
  expect(warnings).toEqual([])
  expect(system.nodes.map(({ id }) => id)).toEqual(nodes)
  const plain = (id: string) => id.replace(/^\w+:/, '')
  expect(
    system.relations.map(({ from, to, protocol }) => `${plain(from)} -> ${plain(to)} ${protocol}`),
  ).toEqual(relations)
})
