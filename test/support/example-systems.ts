/** Small projects of three shapes, with the services, stores and calls that a reader finds in them. */
interface ExampleSystem {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly relations: readonly string[]
}

const pom = (artifact: string, rest = '') =>
  `<project><modelVersion>4.0.0</modelVersion><groupId>clinic</groupId><artifactId>${artifact}</artifactId><version>1</version>${rest}</project>`

const springService = (name: string, files: Readonly<Record<string, string>>) => {
  const place = `${name}/src/main`
  return {
    [`${name}/pom.xml`]: pom(name),
    [`${name}/Dockerfile`]: 'FROM eclipse-temurin:17\n',
    [`${place}/java/clinic/Application.java`]:
      'package clinic; @SpringBootApplication public class Application { public static void main(String[] args) { SpringApplication.run(Application.class, args); } }',
    ...Object.fromEntries(
      Object.entries(files).map(([file, text]) => [
        `${place}/${file.endsWith('.java') ? 'java/clinic' : 'resources'}/${file}`,
        text,
      ]),
    ),
  }
}

const CLINIC: ExampleSystem = {
  name: 'Spring services behind a gateway',
  files: {
    'pom.xml': pom(
      'clinic',
      '<packaging>pom</packaging><modules><module>gateway</module><module>customers-service</module><module>visits-service</module></modules>',
    ),
    ...springService('gateway', {
      'application.yml': 'spring:\n  application:\n    name: gateway\n',
      'Visits.java':
        'package clinic; @FeignClient("visits-service") interface Visits { @GetMapping("/visits") String all(); }',
      'Customers.java':
        'package clinic; @FeignClient("customers-service") interface Customers { @GetMapping("/owners") String all(); }',
    }),
    ...springService('customers-service', {
      'application.yml':
        'spring:\n  application:\n    name: customers-service\n  datasource:\n    url: jdbc:mysql://db/customers\n',
      'Owners.java':
        'package clinic; @RestController class Owners { @GetMapping("/owners") String all() { return ""; } }',
      'OwnerStore.java': 'package clinic; interface OwnerStore extends JpaRepository<Owner, Long> {}',
    }),
    ...springService('visits-service', {
      'application.yml': 'spring:\n  application:\n    name: visits-service\n',
      'VisitsApi.java':
        'package clinic; @RestController class VisitsApi { KafkaTemplate<String, String> kafka; @GetMapping("/visits") String all() { kafka.send("visits.read", ""); return ""; } }',
    }),
  },
  relations: [
    'service:customers-service -> store:customers-service MySQL (JDBC)',
    'service:gateway -> service:customers-service (REST)',
    'service:gateway -> service:visits-service (REST)',
  ],
}

const SHOP: ExampleSystem = {
  name: 'containers in several languages',
  files: {
    'compose.yaml': `services:
  frontend:
    build: ./frontend
    environment:
      CATALOG_URL: http://catalog:8080
    depends_on: [catalog, recommendation]
  catalog:
    build: ./catalog
    depends_on: [database]
  recommendation:
    build: ./recommendation
    depends_on: [cache]
  database:
    image: postgres:17
  cache:
    image: redis:7
`,
    'frontend/Dockerfile': 'FROM node:22\n',
    'frontend/package.json': '{"name":"frontend","scripts":{"start":"node server.js"}}',
    'frontend/server.js': `const express = require('express')
const app = express()
app.get('/', async (request, response) => response.send(await fetch('http://catalog:8080/products')))
app.get('/more', async (request, response) => response.send(await fetch('http://recommendation:8000/for/me')))`,
    'catalog/Dockerfile': 'FROM golang:1.24\n',
    'catalog/go.mod': 'module shop/catalog\n',
    'catalog/main.go': `package main

import "net/http"

func main() {
	http.HandleFunc("/products", list)
	http.ListenAndServe(":8080", nil)
}
`,
    'recommendation/Dockerfile': 'FROM python:3.13\n',
    'recommendation/main.py': `from fastapi import FastAPI
app = FastAPI()
@app.get("/for/{user}")
def recommend(user: str): ...
`,
  },
  relations: [
    'service:frontend -> service:catalog (REST)',
    'service:frontend -> service:recommendation (REST)',
  ],
}

const LONG_NAME = 'reconciliation-of-international-settlements-worker'

const WORKSPACE: ExampleSystem = {
  name: 'a workspace with many applications and outside systems',
  files: {
    'package.json': '{"name":"workspace","private":true,"workspaces":["apps/*","packages/*"]}',
    'packages/money/package.json': '{"name":"@w/money","main":"index.ts"}',
    'packages/money/index.ts': 'export const cents = (value: number) => Math.round(value * 100)',
    ...Object.fromEntries(
      ['web', 'admin', 'billing', LONG_NAME].flatMap((name, at) => [
        [
          `apps/${name}/package.json`,
          `{"name":"${name}","scripts":{"start":"node index.js"},"dependencies":{"express":"^5.1.0"}}`,
        ],
        [
          `apps/${name}/index.ts`,
          `import express from 'express'
const app = express()
app.get('/health', (request, response) => response.send('ok'))
${Array.from({ length: 4 }, (_, i) => `await fetch('https://api${at}${i}.partner-of-${name}.dev/v1/items')`).join('\n')}
await fetch('https://shared.dev/audit')`,
        ],
      ]),
    ),
  },
  relations: [
    'service:web -> outside:shared.dev (REST)',
    `service:${LONG_NAME} -> outside:shared.dev (REST)`,
  ],
}

export const EXAMPLE_SYSTEMS = [CLINIC, SHOP, WORKSPACE]
