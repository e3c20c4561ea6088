import { expect, it } from 'vitest'
import { syntaxTrees } from '../../platform/syntax/syntax-trees.ts'
import { analyse } from '../architecture.ts'
import { memoryFiles } from '../source/memory-files.fake.ts'

interface SystemCase {
  readonly title: string
  readonly files: Readonly<Record<string, string>>
  /** `kind:name technology`, with `in folder` for services of the project. */
  readonly nodes: readonly string[]
  /** `from -> to protocol`, without the kinds. */
  readonly relations: readonly string[]
}

const workload = (name: string, image: string, more = '', kind = 'Deployment') => `apiVersion: apps/v1
kind: ${kind}
metadata: { name: ${name} }
spec:
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - image: ${image}
${more}---
`

const PYTHON = {
  'a/main.py': 'import os\nURL = os.environ["ORDERS_URL"]\n',
  'a/Dockerfile': 'FROM python\nCMD a\n',
}

const CASES: readonly SystemCase[] = [
  {
    title: 'compose: several files of a folder are one system, with the variables of .env',
    files: {
      '.env': 'API_FILE=./src/api/Dockerfile\nDB_HOST=db\nDB_ADDR=${DB_HOST}:5432\n',
      'compose.yaml': `services:
  api:
    build: { context: ., dockerfile: "\${API_FILE}" }
    environment: [DB_ADDR, "MODE=\${MODE:-dev}"]
  db: { image: "postgres:\${PG:-16}" }`,
      'compose.mail.yaml':
        'services:\n  api: { environment: { MAIL: "smtp://mail:25" } }\n  mail: { image: x/mail }',
      'compose.tests.yaml': 'services:\n  cypress: { image: cypress/included }',
      'src/api/Dockerfile': 'FROM scratch\nCMD api\n',
    },
    nodes: ['service:api service in src/api', 'service:mail service', 'store:db PostgreSQL'],
    relations: ['api -> mail configured', 'api -> db PostgreSQL'],
  },
  {
    title: 'compose: extends, anchors and env_file',
    files: {
      'docker-compose.yml': `x-base: &base
  image: shop/worker
  environment: { QUEUE_URL: "amqp://queue:5672" }
services:
  mailer:
    <<: [*base]
    command: mail
  biller:
    <<: *base
    environment: { NOTHING: 1 }
  web:
    extends: { file: common-services.yml, service: site }
    env_file: [.env.example]
  queue: { image: "rabbitmq:3" }
  cache: { image: redis }`,
      'common-services.yml': 'services:\n  site: { build: ./site, depends_on: [queue] }',
      '.env.example': 'export CACHE_HOST="cache" # the cache\n',
      'site/Dockerfile': 'FROM nginx\n',
    },
    nodes: [
      'broker:queue RabbitMQ',
      'service:biller service',
      'service:mailer service',
      'service:web service in site',
      'store:cache Redis',
    ],
    relations: ['mailer -> queue RabbitMQ', 'web -> queue starts after', 'web -> cache Redis'],
  },
  {
    title: 'compose: files of a deployment, what overrides them, and Dockerfiles apart from the code',
    files: {
      'compose.yaml':
        'services:\n  api: { build: api, env_file: api/.env.docker, environment: { SMTP_HOST: localhost } }',
      'compose.override.yaml':
        'services:\n  api: { environment: { SMTP_HOST: mail } }\n  mail: { image: x/mail }',
      'swarm.yml': 'services:\n  users: { image: x/users }',
      'jobs/compose.yaml':
        'services:\n  jobs: { build: ., depends_on: [queue, cache] }\n  queue: { image: rabbitmq }\n  cache: { image: redis }',
      'jobs/tasks.py': 'from celery import shared_task\n@shared_task\ndef send(): ...\n',
      'jobs/Dockerfile': 'FROM python\nCMD celery worker\n',
      'api/.env.docker': 'USERS_URL=http://users:8000\n',
      'api/go.mod': 'module api\n',
      'api/main.go': 'package main\nimport "net/http"\nfunc main() { http.ListenAndServe(":80", nil) }\n',
      'api/scripts/Dockerfile': 'FROM golang\nCOPY . .\nCMD api\n',
      'old-dockerfiles/api.dockerfile': 'FROM golang\nCMD api\n',
    },
    nodes: [
      'broker:queue RabbitMQ',
      'service:api service in api',
      'service:jobs service in jobs',
      'service:mail service',
      'service:users service',
      'store:cache Redis',
    ],
    relations: [
      'queue -> jobs Celery',
      'api -> mail configured',
      'api -> users configured',
      'jobs -> queue starts after',
      'jobs -> cache starts after',
    ],
  },
  {
    title: 'compose: systems of one repository do not share their containers',
    files: {
      'one/compose.yaml': 'services:\n  web: { build: ., depends_on: [db] }\n  db: { image: mysql }',
      'one/Dockerfile': 'FROM scratch\n',
      'two/compose.yaml':
        'services:\n  web: { build: ., environment: { DB_HOST: db, DB_USER: cache } }\n  db: { image: mysql }',
      'two/Dockerfile': 'FROM scratch\n',
      'three/compose.yaml': 'services:\n  cache: { image: redis }',
    },
    nodes: [
      'service:one service in one',
      'service:two service in two',
      'store:cache Redis',
      'store:one/db MySQL',
      'store:two/db MySQL',
    ],
    relations: ['one -> one/db starts after', 'two -> two/db MySQL'],
  },
  {
    title: 'Dockerfiles: in odd places, for a stage, for a database; a tool of a service is none',
    files: {
      'compose.yml': `services:
  shop-api: { build: { context: ., dockerfile: prod.Dockerfile, target: api } }
  shop-db: { build: ./db }
  site: { build: { context: ., dockerfile: docker/site/Dockerfile } }`,
      'prod.Dockerfile':
        'FROM node AS base\nFROM base AS api\nCOPY packages/server/dist .\nCMD node .\nFROM base\nCOPY packages/site .\n',
      'packages/server/package.json': '{"scripts":{"start":"node ."},"dependencies":{"express":"5"}}',
      'packages/site/package.json': '{"scripts":{"start":"vite"},"dependencies":{"vue":"3"}}',
      'docker/site/Dockerfile': 'FROM nginx\nCOPY packages/site/dist /usr/share\n',
      'db/Dockerfile': 'ARG V=16\nFROM postgres:$V AS x\nFROM x\nCOPY init.sql .\n',
      'packages/server/tools/Dockerfile': 'FROM alpine\nCMD true\n',
    },
    nodes: [
      'service:shop-api service in packages/server',
      'service:site web application in packages/site',
      'store:shop-db PostgreSQL',
    ],
    relations: [],
  },
  {
    title: 'Kubernetes: addresses of ConfigMaps; of a shared one those that the code reads',
    files: {
      ...PYTHON,
      'k8s/all.yaml': `${workload('a', 'shop/a', '          envFrom: [{ configMapRef: { name: addresses } }]\n          env: [{ name: CACHE_ADDR, valueFrom: { configMapKeyRef: { name: more, key: c } } }]\n')}
${workload('orders-v1', 'shop/orders', '', 'StatefulSet').replace('{ app: orders-v1 }', '{ app: orders }')}
${workload('cache', 'redis:7')}
${workload('other', 'shop/other')}
${workload('nightly', 'postgres', '', 'CronJob')}
apiVersion: v1
kind: ConfigMap
metadata: { name: addresses }
data: { ORDERS_URL: "http://orders:80", OTHER_URL: "http://other" }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: more }
data: { c: "cache.shop.svc.cluster.local:6379" }
---
apiVersion: v1
kind: Service
metadata: { name: orders }
spec: { selector: { app: orders } }
`,
    },
    nodes: [
      'service:a service in a',
      'service:nightly command',
      'service:orders service',
      'service:other service',
      'store:cache Redis',
    ],
    relations: ['a -> orders configured', 'a -> cache Redis'],
  },
  {
    title: 'Kubernetes: overlays of Kustomize change containers and add none',
    files: {
      'k8s/base/a.yaml': workload('a', 'shop/a'),
      'k8s/overlays/dev/patch.yaml': workload('a', 'x').replace(
        '        - image: x',
        '        - env: [{ name: B_URL, value: "http://b" }]',
      ),
      'k8s/overlays/dev/b.yaml': workload('b', 'shop/b'),
      'k8s/kustomization.yaml':
        'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [base]\nmetadata: { name: x }\n',
    },
    nodes: ['service:a service', 'service:b service'],
    relations: ['a -> b configured'],
  },
  {
    title: 'Helm: templates with the values of the chart, and its dependencies',
    files: {
      'chart/Chart.yaml':
        'name: shop\nversion: 1.0.0\ndependencies:\n  - { name: postgresql, version: 1 }\n  - { name: common, version: 2 }\n',
      'chart/values.yaml':
        'api:\n  name: api\n  image: { repository: shop/api }\nworker: { url: "http://api:80" }\n',
      'chart/templates/api.yaml': `{{- if .Values.api.create }}
{{/* the
  api */}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Values.api.name }}
  labels: {{- include "shop.labels" . | nindent 4 }}
spec:
  template:
    spec:
      containers:
        - image: "{{ .Values.api.image.repository }}:{{ .Values.tag | default .Chart.AppVersion }}"
          env:
            {{- range $k, $v := .Values.env }}
            - name: {{ $k }}
            {{- end }}
            - name: DB_HOST
              value: {{ .Release.Name }}-postgresql
{{- end }}
`,
      'chart/templates/worker.yaml': `apiVersion: batch/v1
kind: Deployment
metadata: { name: '{{ include "shop.fullname" . }}-worker' }
spec: { template: { spec: { containers: [{ image: shop/worker, args: ["--api={{ .Values.worker.url }}"] }] } } }
`,
    },
    nodes: ['service:api service', 'service:shop-worker service', 'store:postgresql PostgreSQL'],
    relations: ['api -> postgresql PostgreSQL', 'shop-worker -> api configured'],
  },
  {
    title: 'stores that the code uses are those that the service is deployed with',
    files: {
      'compose.yaml': `services:
  a: { build: ./a, environment: { ORDERS_URL: "http://b:80", DATABASE_URL: "mysql://root@sql/x" } }
  b: { build: ./b }
  sql: { image: mariadb }
  admin: { image: dpage/pgadmin4 }
  ui: { image: mongo-express }`,
      'a/package.json': '{"scripts":{"start":"x"},"dependencies":{"express":"5"}}',
      'a/x.js': `const axios = require('axios'); const mysql = require('mysql2')
axios.get(process.env.ORDERS_URL + '/orders')
mysql.createPool(process.env.DATABASE_URL)`,
      'b/Dockerfile': 'FROM scratch\nCMD b\n',
    },
    nodes: [
      'service:a service in a',
      'service:admin service',
      'service:b service in b',
      'service:ui service',
      'store:sql MySQL',
    ],
    relations: ['a -> b REST', 'a -> sql SQL'],
  },
  {
    title: 'Terraform: stores, brokers and services by type; the only store of a kind is the one of the code',
    files: {
      'infra/main.tf': `resource "aws_db_instance" "main" {
  identifier = "shop"
  engine     = "postgres"
}
resource "aws_sqs_queue" "orders" { name = "orders" }
resource "aws_sqs_queue" "dead" {}
resource "aws_elasticache_cluster" "cache" {
  engine = "memcached"
  tags = {
      name = "no"
  }
}
resource "aws_lambda_function" "resize" {
  function_name = "resize"
}
resource "aws_ecs_service" "api" {
  name = "api-service"
}
resource "aws_iam_role" "none" {}
resource "aws_s3_bucket" "access_logs" {}
resource "google_storage_bucket" "images" {}
`,
      'infra/examples/x/main.tf': 'resource "aws_s3_bucket" "none" {}\n',
      'api/package.json': '{"scripts":{"start":"x"},"dependencies":{"express":"5"}}',
      'api/x.js':
        "const { Pool } = require('pg')\nconst pool = new Pool({ connectionString: process.env.DATABASE_URL })\n",
    },
    nodes: [
      'broker:SQS SQS',
      'service:api service in api',
      'service:resize service',
      'store:Cloud Storage Cloud Storage',
      'store:cache Memcached',
      'store:shop PostgreSQL',
    ],
    relations: ['api -> shop SQL'],
  },
]

it.each(CASES)('$title', async ({ files, nodes, relations }) => {
  const options = { at: '', checkDeadline: () => {} }
  const { system, warnings } = await analyse(memoryFiles(files), syntaxTrees(), options)
  const folders = new Map(system.services.map(({ name, folder }) => [`service:${name}`, folder]))
  expect(warnings).toEqual([])
  expect(
    system.nodes.map(({ id, technology }) => {
      const folder = folders.get(id)
      return `${id} ${technology}${folder === undefined ? '' : ` in ${folder}`}`
    }),
  ).toEqual(nodes)
  const plain = (id: string) => id.replace(/^\w+:/, '')
  expect(
    system.relations.map(({ from, to, protocol }) => `${plain(from)} -> ${plain(to)} ${protocol}`),
  ).toEqual(relations)
})

it('takes bounded time and memory for files that multiply themselves', async () => {
  const doubling = Array.from({ length: 60 }, (_, at) => `A${at + 1}=$A${at}$A${at}`).join('\n')
  const files = {
    '.env': `A0=http://x\n${doubling}\n`,
    'compose.yaml': 'services:\n  a: { image: x/a, environment: [A60, "B=$A60"], extends: a }\n',
    'c/Chart.yaml': 'name: c\n',
    'c/values.yaml': `a: "${'${.Values.a}'.repeat(300)}"\n`,
    'c/templates/x.yaml': `${'{{/*'.repeat(5_000)}\nkind: {{ .Values.a }}\n`,
    'x.tf': 'resource "aws_s3_bucket" "x" {\n'.repeat(2_000),
    'nginx.conf': 'upstream a {\n'.repeat(5_000),
    'schema.graphql': `type Query ${'{ a(b: {'.repeat(5_000)}`,
  }
  const options = { at: '', checkDeadline: () => {} }
  const started = process.cpuUsage()
  const { system } = await analyse(memoryFiles(files), syntaxTrees(), options)
  expect(system.services.map(({ name }) => name)).toEqual(['a'])
  expect(process.cpuUsage(started).user).toBeLessThan(5_000_000)
})
