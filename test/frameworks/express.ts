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
        'app.ts': `import express, { Router } from 'express'
const app = express()
const v1 = Router()
const orders = Router()
orders.put('/:id', change)
v1.use('/orders', orders)
app.use('/v1', v1)`,
      },
      rows: ['in 5: REST PUT /v1/orders/:id'],
    },
  ],
  notFound: [
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
