import { expect, it } from 'vitest'
import { inboundRows, outboundRows, type Snippet } from '../../../../test/support/project-rows.ts'
import { syntaxTrees } from '../../../platform/syntax/syntax-trees.ts'
import { type Architecture, analyse } from '../../architecture.ts'
import { memoryFiles } from '../../source/memory-files.fake.ts'

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

it('joins the prefixes of routers that other files mount', async () => {
  const found = await study({
    'src/app.ts': `import express from 'express'
import users from './routes/users'
import { orders as shop } from './routes'
const app = express()
app.use('/api', auth, users)
app.use('/shop', shop)
app.use('/old', require('./routes/legacy'))
app.use('/made', makeRoutes())
`,
    'src/routes/index.ts': `export { router as orders } from './orders'\n`,
    'src/routes/users.ts': `import { Router } from 'express'
import { admin } from './admin'
const router = Router()
router.get('/users', list)
router.route('/users/:id').get(one).delete(remove)
router.use('/admin', admin)
export default router
`,
    'src/routes/admin.ts': `import { Router } from 'express'
export const admin = Router()
admin.post('/ban', ban)
`,
    'src/routes/orders.ts': `import { Router } from 'express'
export const router = Router()
router.get('/orders', list)
`,
    'src/routes/legacy.js': `const express = require('express')
const router = express.Router()
router.get('/x', x)
module.exports = router
`,
  })
  expect(shown(found)).toEqual([
    'REST POST /api/admin/ban',
    'REST GET /old/x',
    'REST GET /shop/orders',
    'REST GET /api/users',
    'REST DELETE /api/users/:id',
    'REST GET /api/users/:id',
  ])
})

it('ends when routers mount each other in a circle', async () => {
  const found = await study({
    'a.js': `const express = require('express')
const b = require('./b')
const a = express.Router()
a.get('/a', x)
a.use('/to-b', b)
module.exports = a
`,
    'b.js': `const express = require('express')
const a = require('./a')
const b = express.Router()
b.get('/b', x)
b.use('/to-a', a)
module.exports = b
`,
  })
  expect(shown(found)).toEqual(['REST GET /to-b/to-a/a', 'REST GET /to-a/to-b/b'])
})

it('finds routes of Hono, Koa and plugins of Fastify with their prefixes', async () => {
  const found = await study({
    'hono.ts': `import { Hono } from 'hono'
import books from './books'
const app = new Hono().basePath('/v1')
app.get('/health', (c) => c.text('ok'))
app.route('/books', books)
export default app
`,
    'books.ts': `import { Hono } from 'hono'
const books = new Hono()
books.get('/', list).post('/', add)
export default books
`,
    'koa.js': `const Router = require('@koa/router')
const router = new Router({ prefix: '/pets' })
router.get('pet', '/:id', show)
app.use(router.routes())
`,
    'fast.js': `const fastify = require('fastify')()
fastify.register(require('./plugin'), { prefix: '/plug' })
`,
    'plugin.js': `module.exports = async function (fastify, opts) {
  fastify.get('/in', async () => 1)
}
`,
  })
  expect(shown(found)).toEqual([
    'REST GET /v1/books',
    'REST POST /v1/books',
    'REST GET /v1/health',
    'REST GET /pets/:id',
    'REST GET /plug/in',
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
      '3: REST got GET -> http://stock/x',
      '4: REST got GET -> http://stock/y',
      '5: REST axios POST -> http://mail/send',
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
      '5: gRPC Greeter/Hi, Orders.hi',
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
