import { expect, it } from 'vitest'
import { syntaxTrees } from '../../platform/syntax/syntax-trees.ts'
import { analyse } from '../architecture/architecture.ts'
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
