import { expect, it } from 'vitest'
import { syntaxTrees } from '../../platform/syntax/syntax-trees.ts'
import { analyse } from '../architecture.ts'
import { memoryFiles } from '../source/memory-files.fake.ts'

const system = async (files: Record<string, string>) =>
  (await analyse(memoryFiles(files), syntaxTrees(), { at: '', checkDeadline: () => {} })).system

it('finds services by compose files, and joins them to stores and to each other by host names', async () => {
  const { services, nodes, relations } = await system({
    'compose.yaml': `services:
  api:
    build: ./backend
    environment:
      DATABASE_URL: postgresql://u:p@db:5432/shop
      BILLING: http://billing:8080
    depends_on: [db]
  billing:
    build: { context: ./billing }
  db:
    image: postgres:16
`,
    'backend/requirements.txt': 'fastapi\n',
    'backend/main.py': 'from fastapi import FastAPI\napp = FastAPI()\n',
    'billing/go.mod': 'module billing\n',
    'billing/Dockerfile': 'FROM scratch\n',
  })
  expect(services.map(({ name, folder }) => `${name} in ${folder}`)).toEqual([
    'api in backend',
    'billing in billing',
  ])
  expect(nodes.map(({ id, technology }) => `${id} (${technology})`)).toEqual([
    'service:api (service)',
    'service:billing (service)',
    'store:db (PostgreSQL)',
  ])
  expect(relations.map(({ from, to, protocol }) => `${from} -> ${to} ${protocol}`)).toEqual([
    'service:api -> service:billing configured',
    'service:api -> store:db PostgreSQL',
  ])
})

it('finds services by Kubernetes manifests with the folders named like their images', async () => {
  const { services, relations } = await system({
    'k8s/all.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: cart
spec:
  template:
    spec:
      containers:
        - image: example/cart:1
          env:
            - { name: REDIS, value: "redis-cart:6379" }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: redis-cart }
spec: { template: { spec: { containers: [{ image: redis:alpine }] } } }
---
apiVersion: v1
kind: Service
metadata: { name: ignored }
`,
    'src/cart/src/Dockerfile': 'FROM scratch\n',
  })
  expect(services.map(({ name, folder }) => `${name} in ${folder}`)).toEqual(['cart in src/cart/src'])
  expect(relations.map(({ from, to, protocol }) => `${from} -> ${to} ${protocol}`)).toEqual([
    'service:cart -> store:redis-cart Redis',
  ])
})

it('calls no library a service', async () => {
  const { services } = await system({
    'package.json': '{"name":"lib","main":"index.js","dependencies":{"express":"5"}}',
    'index.js': 'module.exports = 1\n',
  })
  expect(services).toEqual([])
})

it('finds Python services by their applications, servers and commands', async () => {
  const { services } = await system({
    'web/requirements.txt': '',
    'web/manage.py': 'from django.core.management import execute_from_command_line\n',
    'tool/requirements.txt': '',
    'tool/manage.py': 'import click\n',
    'mail/pyproject.toml': '[project]\nname = "mail"\n\n[project.scripts]\nmail-run = "mail:run"\n',
    'mail/server.py':
      'import grpc\nimport mail_pb2_grpc as m\nm.add_MailServicer_to_server(Mail(), server)\n',
    'cli/pyproject.toml': '[tool.poetry.scripts]\nreport = "cli:main"\n[tool.black]\nline = 1\n',
    'live/requirements.txt': '',
    'live/app.py': 'from aiohttp import web\napp = web.Application()\n',
  })
  const shown = services.map(({ name, kind, shownBy }) => [
    `${name} (${kind})`,
    ...shownBy.map(({ file, line, reason }) => `${file}:${line} ${reason}`),
  ])
  expect(shown).toEqual([
    ['cli (command)', 'cli/pyproject.toml:2 command report'],
    ['live (service)', 'live/app.py:2 creates the application app'],
    ['mail (service)', 'mail/server.py:3 serves gRPC', 'mail/pyproject.toml:5 command mail-run'],
    ['web (service)', 'web/manage.py:1 manage.py of Django'],
  ])
})

it('finds the applications of a Nest workspace, without its libraries and its root', async () => {
  const main = "import { NestFactory } from '@nestjs/core'\nNestFactory.create(App)\n"
  const { services } = await system({
    'package.json': '{"name":"shop","scripts":{"start":"nest start"},"dependencies":{"@nestjs/core":"11"}}',
    Dockerfile: 'FROM node\nCMD ["npm", "start"]\n',
    'eslint.config.mjs': 'export default []\n',
    'nest-cli.json': JSON.stringify({
      monorepo: true,
      projects: {
        gateway: { type: 'application', root: 'apps/gateway' },
        users: { type: 'application', root: 'apps/users' },
        gone: { type: 'application', root: 'apps/gone' },
        queue: { type: 'library', root: 'libs/queue' },
        config: { type: 'library', root: 'libs/config' },
      },
    }),
    'apps/gateway/src/main.ts': `import { Queue } from '@app/queue'\n${main}`,
    'apps/users/src/main.ts': main,
    'libs/queue/src/index.ts': "import { Config } from '@app/config'\nexport class Queue {}\n",
    'libs/config/src/index.ts': 'export class Config {}\n',
  })
  expect(services.map(({ name, libraries }) => [name, ...libraries])).toEqual([
    ['gateway', 'libs/queue', 'libs/config'],
    ['users'],
  ])
})
