import { expect, it } from 'vitest'
import { syntaxTrees } from '../../../platform/syntax/syntax-trees.ts'
import { analyse } from '../../architecture.ts'
import { memoryFiles } from '../../source/memory-files.fake.ts'

interface RelationCase {
  readonly title: string
  readonly files: Readonly<Record<string, string>>
  /** `from -> to protocol`, without the kinds; with the kind of a relation that is no call. */
  readonly relations: readonly string[]
}

const NODE = '{"scripts":{"start":"x"},"dependencies":{"express":"5"}}'

const pom = (name: string, ...libraries: readonly string[]) =>
  `<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>${name}</artifactId><version>1</version><dependencies>${libraries
    .map((one) => `<dependency><groupId>y</groupId><artifactId>${one}</artifactId></dependency>`)
    .join('')}</dependencies></project>`

const CASES: readonly RelationCase[] = [
  {
    title: 'an address of a developer is the only service that listens at the port',
    files: {
      'web/package.json': NODE,
      'web/api.ts': `import axios from 'axios'
export class Api {
  private getUsersBaseUrl(): string {
    const port = process.env.USERS_PORT || '3060'
    return process.env.USERS_URL || \`http://localhost:\${port}\`
  }
  users(path: string) { const url = new URL(path, this.getUsersBaseUrl()).toString(); return axios.get(url) }
  twice() { return axios.get('http://localhost:3000/x') }
  own() { return axios.get('http://127.0.0.1:3010/x') }
  orders() { return axios.get(process.env.ORDERS_URL + '/x') }
  unknown(port: string) { return axios.get(process.env.PAY_URL || \`http://localhost:\${port}\`) }
}`,
      'web/main.ts': "import express from 'express'\nexpress().listen(3010)\n",
      'web/.env.example': 'ORDERS_URL=http://localhost:8000\nCARTS_URL=http://localhost:4000\n',
      'users/package.json': NODE,
      'users/main.ts':
        "import express from 'express'\nconst PORT = Number(process.env.USERS_PORT) || 3060\nexpress().listen(PORT)\n",
      'carts/package.json': NODE,
      'carts/main.ts': "import express from 'express'\nexpress().listen(process.env.PORT ?? 3000)\n",
      'carts/.env': 'PORT=4000\n',
      'a/package.json': NODE,
      'a/main.ts': "import express from 'express'\nexpress().listen(process.env.PORT ?? 3000)\n",
      'b/package.json': NODE,
      'b/main.ts': "import express from 'express'\nexpress().listen({ port: 3000 })\n",
      'orders/requirements.txt': 'fastapi\n',
      'orders/main.py':
        'import uvicorn\nfrom fastapi import FastAPI\napp = FastAPI()\nuvicorn.run(app, host="0.0.0.0", port=8000)\n',
      'site/go.mod': 'module site\n',
      'site/main.go': `package main
import "net/http"
func main() { http.Get("http://localhost:4000/x"); http.ListenAndServe(":9999", nil) }
`,
    },
    relations: ['site -> carts REST', 'web -> orders REST', 'web -> users REST'],
  },
  {
    title: 'settings and targets of Prometheus: ports of Spring, and of containers that publish them',
    files: {
      'a/build.gradle': '',
      'a/Main.java': '@SpringBootApplication class Main {}',
      'a/application.properties':
        'server.port=9000\nb.url=http://localhost:8080\nlogin.issuer-uri=http://localhost:8181/x\napp.cors.origins=http://localhost:3000\nother.url=http://localhost:7000',
      'b/build.gradle': '',
      'b/Main.java': '@SpringBootApplication class Main {}',
      'compose.yaml': `services:
  prometheus: { image: prom/prometheus, ports: ["9090:9090"], volumes: ["./p/prometheus.yml:/etc/prometheus/prometheus.yml"] }
  keycloak: { image: x/keycloak, ports: ["8181:8080"] }
  ui: { image: x/ui, ports: ["3000:80"] }`,
      'p/prometheus.yml':
        'scrape_configs:\n  - static_configs: [{ targets: ["host.docker.internal:9000", "localhost:3000"] }]\n',
    },
    relations: [
      'a -> b HTTP (configuration, medium)',
      'a -> keycloak HTTP (configuration, medium)',
      'prometheus -> a REST',
    ],
  },
  {
    title: 'an order of starts is no call, unless an address or the code shows one',
    files: {
      'compose.yaml': `services:
  web: { image: x/web, depends_on: [api, db, cache], environment: { CACHE_URL: "redis://cache" } }
  api: { image: x/api }
  db: { image: postgres }
  cache: { image: redis }
  adminer: { image: adminer, depends_on: [db, api] }`,
    },
    relations: [
      'adminer -> api starts after (depends_on, low)',
      'adminer -> db PostgreSQL (configuration, medium)',
      'web -> api starts after (depends_on, low)',
      'web -> cache Redis (configuration, medium)',
      'web -> db starts after (depends_on, low)',
    ],
  },
  {
    title:
      'a worker and a scheduler run the code of a service and use the stores that they are deployed with',
    files: {
      'compose.yaml': `services:
  web: { build: ., command: "gunicorn shop.wsgi", environment: { DATABASE_URL: "postgres://db/x", CELERY_BROKER_URL: "amqp://queue" } }
  worker: { build: ., command: [celery, -A, shop, worker], depends_on: [queue, db], environment: { DATABASE_URL: "postgres://db/x" } }
  beat: { build: ., command: "celery -A shop beat -l info", depends_on: [queue] }
  migrate: { build: ., command: "python manage.py migrate", depends_on: [db] }
  db: { image: postgres }
  queue: { image: rabbitmq }`,
      Dockerfile: 'FROM python\nCMD gunicorn\n',
      'manage.py': 'import django\n',
      'shop/settings.py':
        'import environ\nenv = environ.Env()\nDATABASES = {"default": env.db("DATABASE_URL")}\nCELERY_BROKER_URL = env("CELERY_BROKER_URL", default="amqp://localhost")\n',
      'shop/tasks.py': 'from celery import shared_task\n@shared_task\ndef send(): ...\n',
    },
    relations: [
      'queue -> worker Celery',
      'beat -> queue RabbitMQ',
      'web -> queue RabbitMQ',
      'web -> db SQL',
      'worker -> queue RabbitMQ',
      'worker -> db SQL',
    ],
  },
  {
    title: 'configuration of a proxy that a Dockerfile copies into its image',
    files: {
      'compose.yaml': `services:
  caddy: { image: shop/our-caddy }
  edge: { build: { context: ., dockerfile: images/edge.Dockerfile } }
  api: { image: x/api }
  site: { image: x/site }`,
      'caddy.dockerfile': 'FROM caddy:2\nCOPY Caddyfile /etc/caddy/Caddyfile\n',
      Caddyfile: 'localhost:80 {\n  reverse_proxy http://site:8081\n}\n',
      'images/edge.Dockerfile':
        'FROM node AS b\nFROM nginx\nCOPY --from=b /x/other.conf /x\nCOPY ./conf.d/edge.conf /etc/nginx/conf.d/\n',
      'conf.d/edge.conf': 'server {\n  location / { proxy_pass http://api:80; }\n}\n',
    },
    relations: ['caddy -> site REST', 'edge -> api REST'],
  },
  {
    title: 'the configuration server, the registry and the collector of traces of Spring services',
    files: {
      'compose.yaml': 'services:\n  tracing: { image: openzipkin/zipkin }',
      'pom.xml':
        '<project><groupId>x</groupId><artifactId>shop</artifactId><version>1</version><packaging>pom</packaging><modules><module>settings</module><module>registry</module><module>a</module></modules></project>',
      'settings/pom.xml': pom('settings', 'spring-cloud-config-server'),
      'settings/Main.java': '@SpringBootApplication class Main {}',
      'settings/application.yml': 'server: { port: 8888 }',
      'registry/pom.xml': pom('registry', 'spring-cloud-starter-netflix-eureka-server'),
      'registry/Main.java': '@SpringBootApplication class Main {}',
      'registry/application.yml':
        'spring: { config: { import: "optional:configserver:${CONFIG_URL:http://localhost:8888/}" } }',
      'a/pom.xml': pom('a', 'spring-cloud-starter-netflix-eureka-client', 'zipkin-reporter-brave'),
      'a/Main.java': '@SpringBootApplication class Main {}',
    },
    relations: [
      'a -> registry Eureka (configuration, medium)',
      'a -> tracing Zipkin (configuration, medium)',
      'registry -> settings HTTP (configuration, medium)',
    ],
  },
  {
    title: 'messages of Nest over TCP go to the service that handles the pattern, without a broker',
    files: {
      'compose.yaml':
        'services:\n  gateway: { build: gateway }\n  task: { build: task }\n  mail: { build: mail }',
      'gateway/Dockerfile': 'FROM node\nCMD node main\n',
      'gateway/package.json': '{ "name": "gateway", "dependencies": { "@nestjs/core": "1" } }',
      'gateway/src/tasks.controller.ts': `import { ClientProxy } from '@nestjs/microservices'
@Controller('tasks')
export class Tasks {
  constructor(@Inject('TASK_SERVICE') private readonly client: ClientProxy) {}
  @Get()
  async all() { await this.client.send('task_search', {}); this.client.emit('of_nobody', {}); this.client.emit('of_both', {}) }
}`,
      ...Object.fromEntries(
        ['task', 'mail'].flatMap((name) => [
          [`${name}/Dockerfile`, 'FROM node\nCMD node main\n'],
          [`${name}/package.json`, `{ "name": "${name}", "dependencies": { "@nestjs/core": "1" } }`],
          [
            `${name}/src/main.ts`,
            `import { Transport } from '@nestjs/microservices'
NestFactory.createMicroservice(App, { transport: Transport.TCP, options: { port: new Config().get('port') } })`,
          ],
          [
            `${name}/src/app.controller.ts`,
            `import { MessagePattern } from '@nestjs/microservices'
@Controller()
export class App {
  @MessagePattern('${name}_search')
  search() {}
  @MessagePattern('of_both')
  both() {}
}`,
          ],
        ]),
      ),
    },
    relations: ['gateway -> task TCP'],
  },
  {
    title: 'the receiver of traces of Go programs that share a package',
    files: {
      'compose.yaml':
        'services:\n  traces: { image: "jaegertracing/all-in-one:1.21" }\n  a: { build: { context: ., dockerfile: a.Dockerfile } }',
      'a.Dockerfile': 'FROM golang\nRUN go build -o a ./a\nCMD ./a\n',
      'go.mod': 'module example.com/shop\n',
      'a/main.go':
        'package main\nimport "example.com/shop/pkg/tracing"\nfunc main() { tracing.NewTracer("a") }\n',
      'b/main.go': 'package main\nfunc main() { serve() }\n',
      'pkg/tracing/tracing.go':
        'package tracing\nimport "github.com/uber/jaeger-client-go/config"\nfunc NewTracer(name string) {\n\tcfg := &config.Configuration{ServiceName: name}\n\tcfg.NewTracer()\n}\n',
    },
    relations: ['a -> traces Jaeger'],
  },
  {
    title: 'addresses in a class of settings are services of the project, no others',
    files: {
      'compose.yaml': 'services:\n  api: { build: api }\n  carts: { image: x/carts }',
      'api/Dockerfile': 'FROM python\nCMD api\n',
      'api/config.py':
        'class Settings:\n    CARTS_URL = "http://carts:8000"\n    OTHER_URL = "http://other:8000"\n    TOKEN_URL = "https://oauth.shop.com/token"\n    NAME = "http://carts:8000"\n',
    },
    relations: ['api -> carts HTTP (configuration, medium)'],
  },
  {
    title: 'a broker uses what its environment names, not what it waits for',
    files: {
      'compose.yaml': `services:
  kafka:
    image: cp-kafka
    depends_on: [zookeeper, db]
    environment: { KAFKA_ZOOKEEPER_CONNECT: "zookeeper:2181", KAFKA_ADVERTISED_LISTENERS: "PLAINTEXT://kafka:9092" }
  zookeeper: { image: cp-zookeeper }
  db: { image: postgres, environment: { API_URL: "http://api:80" } }
  api: { image: x/api, environment: { USERS_URL: "http://users" } }
  users: { image: x/users }`,
    },
    relations: [
      'kafka -> zookeeper Zookeeper (configuration, medium)',
      'api -> users configured (configuration, medium)',
    ],
  },
  {
    title: 'the code that compose mounts where a container works is the code of the container',
    files: {
      '.env': 'USERS_ADDR=users-grpc:3000\nFIRESTORE_EMULATOR_HOST=firestore:8787\n',
      'compose.yaml': `services:
  trainings-http: &app
    build: docker/app
    volumes: ["./internal:/internal", "cache:/go-cache"]
    working_dir: /internal/trainings
    env_file: .env
  users-http: { <<: *app, working_dir: /internal/users }
  users-grpc: { <<: *app, working_dir: /internal/users/ }
  web:
    image: node:20
    volumes: [{ type: bind, source: ./site, target: /app }]
    command: sh -c "cd /app && npm start"
    environment: { API_URL: "http://users-http:3000" }
  firestore: { build: docker/firestore-emulator, env_file: .env }
  db: { image: mysql, env_file: .env }`,
      'docker/app/Dockerfile': 'FROM golang\nENTRYPOINT ["reflex"]\n',
      'docker/firestore-emulator/Dockerfile': 'FROM node\nENTRYPOINT ["./start.sh"]\n',
      'docker/prod/Dockerfile': 'FROM golang\nARG SERVICE\nWORKDIR /internal/$SERVICE\nCMD ["/app"]\n',
      'site/package.json': NODE,
      'site/main.ts': "fetch(process.env.API_URL + '/users')",
      'api/users.proto': 'syntax = "proto3";\npackage users;\nservice Users { rpc Get(A) returns (B); }\n',
      'internal/common/go.mod': 'module x/internal/common\n',
      'internal/common/client/grpc.go': `package client
import "x/internal/common/genproto/users"
func NewUsersClient() users.UsersClient { conn, _ := grpc.Dial(os.Getenv("USERS_ADDR")); return users.NewUsersClient(conn) }
func WaitForUsers() bool { return true }
`,
      'internal/trainings/go.mod': 'module x/internal/trainings\n',
      'internal/trainings/main.go': `package main
import ("net/http"; clients "x/internal/common/client"; "cloud.google.com/go/firestore")
func main() { clients.NewUsersClient(); firestore.NewClient(ctx, project); http.ListenAndServe(":3000", nil) }
`,
      'internal/trainings/unused.go': `package main
import "database/sql"
func NewMySQL() { sql.Open("mysql", "root@tcp(db:3306)/x") }
`,
      'internal/trainings/unused_test.go': 'package main\nfunc TestA() { NewMySQL() }\n',
      'internal/users/go.mod': 'module x/internal/users\n',
      'internal/users/main.go': `package main
import ("x/internal/common/client"; "x/internal/common/genproto/users")
func main() { client.WaitForUsers(); s := grpc.NewServer(); users.RegisterUsersServer(s, impl) }
`,
    },
    relations: [
      'trainings-http -> users gRPC',
      'trainings-http -> firestore Firestore',
      'users -> firestore Firestore (configuration, medium)',
      'web -> users REST',
    ],
  },
  {
    title: 'of a file with variables that several containers have, each has what its own code names',
    files: {
      'compose.yaml':
        'services:\n  a: { build: a, env_file: .env }\n  b: { build: b, env_file: .env }\n  c: { build: c, env_file: .env }\n  cache: { image: redis }',
      '.env': 'B_URL=http://b:80\nC_URL=http://c:80\nCACHE_HOST=cache\n',
      'a/package.json': NODE,
      'a/main.ts': 'export const options = { b: process.env.B_URL }',
      'b/package.json': NODE,
      'b/main.ts': 'export const options = { c: process.env.C_URL }',
      'c/package.json': NODE,
      'c/main.ts': 'export const options = {}',
    },
    relations: [
      'a -> b configured (configuration, medium)',
      'a -> cache Redis (configuration, medium)',
      'b -> c configured (configuration, medium)',
      'b -> cache Redis (configuration, medium)',
      'c -> cache Redis (configuration, medium)',
    ],
  },
]

it.each(CASES)('$title', async ({ files, relations }) => {
  const options = { at: '', checkDeadline: () => {} }
  const { system, warnings } = await analyse(memoryFiles(files), syntaxTrees(), options)
  expect(warnings).toEqual([])
  const plain = (id: string) => id.replace(/^\w+:/, '')
  expect(
    system.relations.map(({ kind, confidence, from, to, protocol }) => {
      const shown = kind === 'call' ? '' : ` (${kind}, ${confidence})`
      return `${plain(from)} -> ${plain(to)} ${protocol}${shown}`
    }),
  ).toEqual(relations)
})
