import type { FrameworkSnippets } from './snippet-corpus.ts'

const language = 'TypeScript, JavaScript'

export const FASTIFY: FrameworkSnippets = {
  framework: 'Fastify',
  language,
  finds: ['endpoints'],
  found: [
    {
      title: 'routes, also as one record',
      files: {
        'server.js': `const fastify = require('fastify')({ logger: true })
fastify.get('/a', async () => 1)
fastify.route({ method: ['GET', 'PUT'], url: '/b', handler: () => 1 })`,
      },
      rows: ['in 2: REST GET /a', 'in 3: REST GET /b', 'in 3: REST PUT /b'],
    },
    {
      title: 'plugins of other files with their prefixes',
      files: {
        'server.ts': `import Fastify, { type FastifyInstance } from 'fastify'
import users from './users'
const server = Fastify()
server.register(users, { prefix: '/v1' })
server.register(import('./orders'))`,
        'users.ts': `import type { FastifyPluginAsync } from 'fastify'
const plugin: FastifyPluginAsync = async (app) => {
  app.delete('/users/:id', { schema }, remove)
}
export default plugin`,
        'orders.ts': `export default async function (fastify, opts) {
  fastify.get('/orders', list)
}`,
      },
      rows: ['in 2: REST GET /orders', 'in 3: REST DELETE /v1/users/:id'],
    },
    {
      title: 'plugins inside of a plugin',
      files: {
        'server.js': `import fastify from 'fastify'
const app = fastify()
app.register(async (instance) => {
  instance.get('/a', a)
  instance.register((instance, options, done) => {
    instance.post('/b', b)
    done()
  }, { prefix: '/inner' })
}, { prefix: '/outer' })
app.register((instance) => instance.put('/c', c), { prefix: '/other' })`,
      },
      rows: ['in 4: REST GET /outer/a', 'in 6: REST POST /outer/inner/b', 'in 10: REST PUT /other/c'],
    },
    {
      title: 'folders that are loaded as a whole: the names of folders are prefixes',
      files: {
        'src/app.ts': `import path from 'node:path'
import autoload from '@fastify/autoload'
import type { FastifyInstance } from 'fastify'
export default async function serviceApp(fastify: FastifyInstance, opts) {
  fastify.register(autoload, { dir: path.join(import.meta.dirname, 'plugins') })
  fastify.register(autoload, {
    dir: path.join(import.meta.dirname, 'routes'),
    routeParams: true,
    options: { prefix: '/api' },
  })
}`,
        'src/routes/root.ts': `export default async function (fastify) { fastify.get('/', root) }`,
        'src/routes/tasks/_id/files.ts': `export default async function (fastify) { fastify.get('/file', file) }`,
      },
      rows: ['in 1: REST GET /api', 'in 1: REST GET /api/tasks/:id/file'],
    },
  ],
  notFound: [
    {
      title: 'other objects in a file of Fastify',
      files: {
        'a.ts': `import type { FastifyRequest } from 'fastify'
const cache = new Map()
cache.get('/a', 1)
request.headers.get('/b', 2)`,
      },
    },
  ],
}

export const KOA: FrameworkSnippets = {
  framework: 'Koa',
  language,
  finds: ['endpoints'],
  found: [
    {
      title: 'a router with a prefix, and a name before a path',
      files: {
        'koa.js': `const Router = require('@koa/router')
const router = new Router({ prefix: '/pets' })
router.get('pet', '/:id', show)
app.use(router.routes())`,
      },
      rows: ['in 3: REST GET /pets/:id'],
    },
    {
      title: 'applications mounted on each other',
      files: {
        'server.ts': `import Koa from 'koa'
import mount from 'koa-mount'
import api from './api'
export default function init(app: Koa = new Koa()) {
  app.use(mount('/api', api))
  app.use(mount(health))
  return app
}`,
        'api/index.ts': `import Koa from 'koa'
import Router from 'koa-router'
import users from './users'
const api = new Koa()
const router = new Router()
router.use('/', users.routes())
router.get('/info', info)
api.use(router.routes())
export default api`,
        'api/users.ts': `import Router from 'koa-router'
const router = new Router()
router.post('users.list', auth(), list)
export default router`,
      },
      rows: ['in 7: REST GET /api/info', 'in 3: REST POST /api/users.list'],
    },
    {
      title: 'routers inside of routers',
      files: {
        'app.js': `import Router from '@koa/router'
const posts = new Router()
const forums = new Router()
posts.del('/:pid', remove)
forums.use('/forums/:fid/posts', posts.routes(), posts.allowedMethods())
app.use(forums.routes())`,
      },
      rows: ['in 4: REST DELETE /forums/:fid/posts/:pid'],
    },
  ],
  notFound: [
    {
      title: 'middleware and the context',
      files: {
        'app.js': `import Koa from 'koa'
const app = new Koa()
app.use(async (ctx) => { ctx.get('X-Header', 1) })
app.use(mount('/assets', serve('public')))`,
      },
    },
  ],
}

export const HONO: FrameworkSnippets = {
  framework: 'Hono',
  language,
  finds: ['endpoints'],
  found: [
    {
      title: 'routers of other files below a base path',
      files: {
        'app.ts': `import { Hono } from 'hono'
import books from './books'
const app = new Hono<Env>().basePath('/v1')
app.get('/health', (c) => c.text('ok'))
app.route('/books', books)
export default app`,
        'books.ts': `import { Hono } from 'hono'
const books = new Hono()
books.get('/', list).post('/', add)
export default books`,
      },
      rows: ['in 4: REST GET /v1/health', 'in 3: REST GET /v1/books', 'in 3: REST POST /v1/books'],
    },
    {
      title: 'chains, and a router that is exported without a name',
      files: {
        'app.ts': `import { Hono } from 'hono'
import authors from './authors'
const routes = new Hono()
  .basePath('/api')
  .route('/authors', authors)
  .get('/me', me)`,
        'authors.ts': `import { Hono } from 'hono'
export default new Hono()
  .get('/', list)
  .on(['PUT', 'DELETE'], '/:id', change)`,
      },
      rows: [
        'in 6: REST GET /api/me',
        'in 3: REST GET /api/authors',
        'in 4: REST DELETE /api/authors/:id',
        'in 4: REST PUT /api/authors/:id',
      ],
    },
    {
      title: 'routes with a schema',
      files: {
        'app.ts': `import { createRoute, OpenAPIHono } from '@hono/zod-openapi'
const app = new OpenAPIHono()
const show = createRoute({ method: 'get', path: '/users/{id}', responses: {} })
app.openapi(show, (c) => c.json({}))
app.openapi(createRoute({ method: 'post', path: '/users' }), add)`,
      },
      rows: ['in 4: REST GET /users/{id}', 'in 5: REST POST /users'],
    },
  ],
  notFound: [
    {
      title: 'the context and other objects',
      files: {
        'a.ts': `import { Hono } from 'hono'
const app = new Hono()
app.use('/api/*', cors())
const store = new Map()
store.get('/x', 1)
emitter.on('GET', '/y', handle)`,
      },
    },
  ],
}
