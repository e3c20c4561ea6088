import type { FrameworkSnippets } from './snippet-corpus.ts'

export const EXPRESS: FrameworkSnippets = {
  framework: 'Express',
  language: 'TypeScript, JavaScript',
  finds: ['endpoints'],
  found: [
    {
      title: 'routes of an application',
      files: {
        'app.js': `const express = require('express')
const app = express()
app.get('/health', (req, res) => res.send('ok'))
app.route('/books').get(list).post(create)`,
      },
      rows: ['in 3: REST GET /health', 'in 4: REST GET /books', 'in 4: REST POST /books'],
    },
    {
      title: 'a router of another file with its prefix',
      files: {
        'app.ts': `import express from 'express'
import { users } from './users'
const app = express()
app.use('/api/users', users)`,
        'users.ts': `import { Router } from 'express'
export const users = Router()
users.delete('/:id', remove)`,
      },
      rows: ['in 3: REST DELETE /api/users/:id'],
    },
    {
      title: 'a router inside a router',
      files: {
        'app.ts': `import * as express from 'express'
import { Router } from 'express'
const app = express()
const v1 = Router()
const orders = Router()
orders.put('/:id', change)
v1.use('/orders', orders)
app.use('/v1', v1)`,
      },
      rows: ['in 6: REST PUT /v1/orders/:id'],
    },
    {
      title: 'an application in a class, and routers that are fields of classes',
      files: {
        'app.ts': `import express, { type Application } from 'express'
import { UserRoutes } from './users'
import orders from './orders'
export class App {
  private app: Application = express()
  constructor() {
    this.app.use('/api/users', new UserRoutes().router)
    this.app.use('/api/orders', orders.router)
    this.app.get('/health', (req, res) => res.send('ok'))
  }
}`,
        'users.ts': `import { Router } from 'express'
export class UserRoutes {
  public router = Router()
  private path = '/:id'
  constructor() { this.initialize() }
  private initialize() {
    this.router.get(this.path, one)
    this.router.post(\`\${this.path}/mails\`, mail)
  }
}`,
        'orders.ts': `import { Router } from 'express'
class Orders {
  router = Router()
  constructor() { this.router.get('/', list) }
}
export default new Orders()`,
      },
      rows: [
        'in 9: REST GET /health',
        'in 4: REST GET /api/orders',
        'in 7: REST GET /api/users/:id',
        'in 8: REST POST /api/users/:id/mails',
      ],
    },
    {
      title: 'a list of routers that a loop mounts',
      files: {
        'routes/index.js': `const express = require('express')
const authRoute = require('./auth')
const router = express.Router()
const routes = [{ path: '/auth', route: authRoute }]
routes.forEach((one) => { router.use(one.path, one.route) })
module.exports = router`,
        'routes/auth.js': `const router = require('express').Router()
router.post('/login', login)
module.exports = router`,
        'app.js': `const app = require('express')()
app.use('/v1', require('./routes'))`,
      },
      rows: ['in 2: REST POST /v1/auth/login'],
    },
    {
      title: 'functions that get the application or a router',
      files: {
        'server.js': `const express = require('express')
const books = require('./books')
const app = express()
const api = express.Router()
app.use('/api', api)
require('./tasks')(app)
bookRoutes(api)
books(api)
import { bookRoutes } from './book-routes'`,
        'tasks.js': `module.exports = (app) => {
  app.route('/tasks').get(list).post(add)
}`,
        'book-routes.js': `export function bookRoutes(router) {
  router.get('/books', list)
}`,
        'unused.js': `module.exports = (app) => { app.get('/not/mounted', x) }`,
      },
      rows: ['in 2: REST GET /api/books', 'in 2: REST GET /tasks', 'in 2: REST POST /tasks'],
    },
    {
      title: 'a function that gets the application and only mounts routers',
      files: {
        'app.js': `const express = require('express')
const app = express()
require('./init/routes')(express, app)`,
        'init/routes.js': `const users = require('../routes/users')
module.exports = (express, app) => {
  app.use(express.json())
  app.use('/users', users)
}`,
        'routes/users.js': `const router = require('express').Router()
router.get('/:id', one)
module.exports = router`,
      },
      rows: ['in 2: REST GET /users/:id'],
    },
    {
      title: 'routers of a folder that is loaded as a whole',
      files: {
        'app.js': `const express = require('express')
const app = express()
require('fs').readdirSync('./routes').forEach((file) => app.use(require('./routes/' + file)))`,
        'routes/users.js':
          "const router = require('express').Router()\nrouter.get('/users', (q, r) => {})\nmodule.exports = router",
      },
      rows: ['in 2: REST GET /users'],
    },
  ],
  notFound: [
    {
      title: 'a router that nothing requires, beside one that is mounted',
      files: {
        'app.js':
          "const express = require('express')\nconst app = express()\napp.use('/users', require('./routes/users'))",
        'routes/users.js': "const router = require('express').Router()\nmodule.exports = router",
        'routes/panel.js':
          "const express = require('express')\nconst router = express.Router()\nrouter.get('/login', (q, r) => {})\nmodule.exports = router",
      },
    },
    {
      title: 'methods of the same names on other objects',
      files: {
        'cache.ts': `import express from 'express'
const cache = new Map()
cache.get('/health')
cache.delete('/books')
const app = express()
app.get('view engine')`,
      },
    },
  ],
}
