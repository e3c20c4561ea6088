import { expect, it } from 'vitest'
import { inboundRows, outboundRows, type Snippet } from '../../../test/support/project-rows.ts'
import { syntaxTrees } from '../../platform/syntax/syntax-trees.ts'
import { type Architecture, analyse } from '../architecture/architecture.ts'
import { memoryFiles } from '../source/memory-files.fake.ts'

const study = (texts: Record<string, string>) =>
  analyse(memoryFiles(texts), syntaxTrees(), { at: '', checkDeadline: () => {} })
const shown = (found: Architecture) => [
  ...found.connections.inbound.map(({ protocol, endpoint }) => `${protocol} ${endpoint}`),
  ...found.connections.outbound.map(({ type, target_service }) => `${type} → ${target_service}`),
]

it('finds the routes of Express, also under a mounted router', async () => {
  const found = await study({
    'src/app.ts': `import express, { Router } from 'express'
const app = express()
const router = Router()
const BASE = 'http://billing.internal'
app.get('/health', (req, res) => { res.get('Header') })
router.post('/items/:id', (req, res) => fetch(\`\${BASE}/pay/\${req.params.id}?x=1\`))
app.use('/api', router)
const cache = new Map()
cache.get('/not-a-route', 1)
`,
  })
  expect(shown(found)).toEqual([
    'REST GET /health',
    'REST POST /api/items/:id',
    'fetch → http://billing.internal/pay/{id}',
  ])
})

it('finds the routes of Fastify', async () => {
  const found = await study({
    'server.js': `const fastify = require('fastify')({ logger: true })
fastify.get('/a', async () => 1)
fastify.route({ method: ['GET', 'PUT'], url: '/b', handler: () => 1 })
`,
  })
  expect(shown(found)).toEqual(['REST GET /a', 'REST GET /b', 'REST PUT /b'])
})

it('finds controllers, clients and roles of Nest', async () => {
  const found = await study({
    'src/cats.controller.ts': `import { Controller, Get, Post } from '@nestjs/common'
@Controller('cats')
export class CatsController {
  constructor(private readonly cats: CatsService) {}
  @Get(':id') one() { return 1 }
  @Post() add() {}
}
`,
    'src/cats.service.ts': `import { Injectable } from '@nestjs/common'
@Injectable()
export class CatsService {
  constructor(private readonly http: HttpService) {}
  load() { return this.http.get('https://cats.internal/v1') }
  @Cron('0 * * * *') sweep() {}
}
`,
    'src/cats.controller.spec.ts': `@Controller('ghost') class G { @Get() x() {} }`,
  })
  expect(shown(found)).toEqual([
    'REST GET /cats/:id',
    'REST POST /cats',
    'Scheduled 0 * * * *',
    'HttpService → https://cats.internal/v1',
  ])
  expect(found.graph.edges.map(({ from, to }) => `${from} ${to}`)).toEqual([
    'CTRL_CatsController SVC_CatsService',
    'SVC_CatsService EXT_https_cats_internal',
  ])
})

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'reads template literals, axios and got',
    files: {
      'a.ts': `const HOST = 'http://billing'
axios.post(\`\${HOST}/pay\`, {})
got('http://stock/x')
got.get('http://stock/y')
axios({ url: 'http://mail/send', method: 'post' })`,
    },
    rows: [
      '2: REST axios POST -> http://billing/pay',
      '4: REST got GET -> http://stock/y',
      '5: REST axios -> http://mail/send',
    ],
  },
  {
    title: 'reads the message and gRPC patterns of Nest',
    files: {
      'a.ts': `@Controller()
class Orders {
  @MessagePattern('orders.created') created() {}
  @EventPattern({ cmd: 'sum' }) sum() {}
  @GrpcMethod('Greeter', 'Hi') hi() {}
}`,
    },
    rows: [
      '3: Messaging-Nest orders.created, Orders.created',
      '4: Messaging-Nest sum, Orders.sum',
      '5: gRPC Greeter, Orders.hi',
    ],
  },
  {
    title: 'reads a Fastify plugin by the name of its parameter',
    files: {
      'a.ts':
        "import type { FastifyInstance } from 'fastify'\nexport const plugin = (app: FastifyInstance) => { app.get('/x', handler) }",
    },
    rows: ['2: REST GET /x'],
  },
  {
    title: 'gives no row for relative addresses, other receivers and single arguments',
    files: {
      'a.ts': `import express from 'express'
const app = express()
app.get('view engine')
fetch('/local')
cache.get('http://not-a-client', 1)
const list = new Map()
list.delete('/x', 1)`,
    },
    rows: [],
  },
  {
    title: 'gives no row for type declarations and minified files',
    files: {
      'a.d.ts': "fetch('http://a')",
      'a.min.js': "fetch('http://b')",
      'a.test.ts': "fetch('http://c')",
    },
    rows: [],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  expect([...(await inboundRows(files)), ...(await outboundRows(files))]).toEqual(rows)
})
