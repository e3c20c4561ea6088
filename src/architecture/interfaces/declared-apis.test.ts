import { expect, it } from 'vitest'
import { connectionRows, type Snippet } from '../../../test/support/project-rows.ts'

const OPENAPI = `openapi: 3.0.3
info: { title: Orders, version: "1" }
servers:
  - url: https://shop.example.com/api
paths:
  /orders:
    get: { operationId: list }
    post: { operationId: add }
  /orders/{id}:
    parameters: [{ name: id, in: path }]
    delete: { operationId: remove }
`

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'OpenAPI: operations, where the code shows no endpoints',
    files: { 'service/openapi.yaml': OPENAPI },
    rows: [
      'in 11: REST DELETE /api/orders/{id}, declared in openapi.yaml',
      'in 7: REST GET /api/orders, declared in openapi.yaml',
      'in 8: REST POST /api/orders, declared in openapi.yaml',
    ],
  },
  {
    title: 'OpenAPI: those that the code does not show, whatever prefix is set outside of it',
    files: {
      'openapi.yml': OPENAPI,
      'app.js':
        "const app = require('express')()\napp.get('/orders', list)\napp.delete('/orders/:key', remove)",
    },
    rows: [
      'in 2: REST GET /orders',
      'in 3: REST DELETE /orders/:key',
      'in 8: REST POST /api/orders, declared in openapi.yml',
    ],
  },
  {
    title: 'OpenAPI: not the API of another system',
    files: {
      'payments/openapi.yaml': OPENAPI,
      'payments/app.js': "const app = require('express')()\napp.get('/pay', pay)",
    },
    rows: ['in 2: REST GET /pay'],
  },
  {
    title: 'Swagger 2, as JSON',
    files: {
      'swagger.json':
        '{"swagger":"2.0","basePath":"/v1",\n"paths":{"/pets/{id}.json":{\n"get":{"summary":"x"}}}}',
    },
    rows: ['in 3: REST GET /v1/pets/{id}.json, declared in swagger.json'],
  },
  {
    title: 'AsyncAPI 2: what clients publish, the application receives',
    files: {
      'asyncapi.yaml': `asyncapi: 2.6.0
servers: { main: { url: "kafka:9092", protocol: kafka } }
channels:
  orders.placed: { publish: { operationId: onOrder } }
  orders.shipped: { subscribe: { operationId: sendShipped } }
`,
    },
    rows: [
      'in 4: Messaging-Kafka orders.placed, declared in asyncapi.yaml',
      'out 5: Messaging-Kafka declared in asyncapi.yaml -> orders.shipped',
    ],
  },
  {
    title: 'AsyncAPI 3: operations of channels',
    files: {
      'asyncapi.yaml': `asyncapi: 3.0.0
servers: { main: { host: "mq", protocol: amqp } }
channels: { placed: { address: orders/placed } }
operations:
  take: { action: receive, channel: { $ref: "#/channels/placed" } }
  give: { action: send, channel: { $ref: "#/channels/shipped" } }
`,
    },
    rows: [
      'in 5: Messaging-RabbitMQ orders/placed, declared in asyncapi.yaml',
      'out 6: Messaging-RabbitMQ declared in asyncapi.yaml -> shipped',
    ],
  },
  {
    title: 'GraphQL: fields of the operation types, where the code serves a schema',
    files: {
      'schema.graphql': `"""All of type Query { x: Int }"""
schema { query: Root mutation: Mutation }
type Root {
  # a remark: text
  user(id: ID!, filter: [F!] = [{ a: 1 }]): User @deprecated(reason: "old: one")
  users: [User!]!
}
type User { name: String }
extend type Mutation {
  add(name: String): User
}`,
      'main.py': 'from ariadne import make_executable_schema\n',
    },
    rows: [
      'in 10: GraphQL mutation add, declared in schema.graphql',
      'in 5: GraphQL query user, declared in schema.graphql',
      'in 6: GraphQL query users, declared in schema.graphql',
    ],
  },
  {
    title: 'GraphQL: not the copy of a client',
    files: {
      'schema.graphql': 'type Query { user: User }',
      'a.ts': "import { useQuery } from '@apollo/client'\n",
    },
    rows: [],
  },
  {
    title: 'nginx: locations, upstreams, and variables of the environment',
    files: {
      'nginx.conf': `upstream shop { server orders:8080 weight=2; server orders2:8080; }
server {
  listen 80;
  server_name shop.example.com;
  location /api/ { proxy_pass http://shop/; }
  location ~ \\.php$ {
    fastcgi_pass php:9000; # proxy_pass http://no;
  }
  location / { proxy_pass http://$WEB_ADDR; }
  location /x { proxy_pass http://$host$request_uri; }
}`,
    },
    rows: [
      'out 5: REST nginx -> http://orders2:8080; path /api/',
      'out 5: REST nginx -> http://orders:8080; path /api/',
      'out 7: REST nginx -> http://php:9000; path \\.php$',
      'out 9: REST nginx -> http://${WEB_ADDR}; path / [low]',
    ],
  },
  {
    title: 'Caddy and Envoy',
    files: {
      Caddyfile: `shop.example.com {
  reverse_proxy /api/* orders:8080 orders2:8080
  handle_path /web/* {
    reverse_proxy {$WEB_HOST}:80
  }
}`,
      'envoy.yaml': `static_resources:
  clusters:
    - load_assignment:
        endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address: cart, port_value: 80 } } } }] }]
`,
    },
    rows: [
      'out 2: REST Caddy -> http://orders2:8080; path /api/*',
      'out 2: REST Caddy -> http://orders:8080; path /api/*',
      'out 4: REST Caddy -> http://${WEB_HOST}:80; path /web/* [low]',
      'out 4: REST Envoy -> http://cart',
    ],
  },
  {
    title: '.env.example: addresses, and hosts by the names of their variables; not .env',
    files: {
      '.env.example': `DATABASE_URL=postgresql://user:\${PASSWORD}@localhost:5432/shop?x=1
REDIS_HOST=cache
KAFKA_BROKERS="k1:9092,k2:9092"
MYSQL_HOST=sql
SMTP_HOST=
`,
      '.env': 'API_URL=https://private.internal\n',
    },
    rows: [
      'out 1: SQL Data source -> postgresql://user:${PASSWORD}@localhost:5432/shop; path DATABASE_URL [low]',
      'out 2: Redis Data source -> cache; path REDIS_HOST',
      'out 3: Messaging-Kafka Broker -> k1:9092; path KAFKA_BROKERS',
      'out 3: Messaging-Kafka Broker -> k2:9092; path KAFKA_BROKERS',
      'out 4: SQL Data source -> mysql://sql; path MYSQL_HOST',
    ],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  expect([...(await connectionRows(files))].sort()).toEqual([...rows].sort())
})
