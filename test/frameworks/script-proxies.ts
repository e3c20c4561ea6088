import type { FrameworkSnippets } from './snippet-corpus.ts'

export const PROXIES: FrameworkSnippets = {
  framework: 'http-proxy-middleware, express-http-proxy',
  language: 'TypeScript, JavaScript',
  finds: ['calls'],
  found: [
    {
      title: 'a gateway of Express',
      files: {
        'gateway.js': `const express = require('express')
const { createProxyMiddleware } = require('http-proxy-middleware')
const app = express()
app.use('/orders', createProxyMiddleware({ target: process.env.ORDERS_URL || 'http://orders:3001', changeOrigin: true }))
app.use(createProxyMiddleware('/users', { target: \`http://users:\${process.env.USERS_PORT ?? 3002}\` }))`,
      },
      rows: [
        'out 4: REST http-proxy-middleware -> http://orders:3001 [medium]',
        'out 5: REST http-proxy-middleware -> http://users:3002 [medium]',
      ],
    },
    {
      title: 'express-http-proxy in a class',
      files: {
        'gateway.ts': `import proxy from 'express-http-proxy'
export class Gateway {
  start(app) { app.use('/stock', proxy(process.env.STOCK_URL, { timeout: 10 })) }
}`,
      },
      rows: [`out 3: REST express-http-proxy -> \${STOCK_URL}, Gateway [low]`],
    },
    {
      title: 'http-proxy, and the proxy of Fastify',
      files: {
        'a.js': `const httpProxy = require('http-proxy')
const proxy = httpProxy.createProxyServer()
server.on('request', (q, r) => proxy.web(q, r, { target: 'http://carts:4000' }))`,
        'b.ts': `import Fastify from 'fastify'
import httpProxy from '@fastify/http-proxy'
const app = Fastify()
app.register(httpProxy, { upstream: 'http://books:4000', prefix: '/books' })`,
      },
      rows: [
        'out 3: REST http-proxy -> http://carts:4000',
        'out 4: REST @fastify/http-proxy -> http://books:4000',
      ],
    },
  ],
  notFound: [
    {
      title: 'targets of a table, functions of the same names',
      files: {
        'a.js': `const { createProxyMiddleware } = require('http-proxy-middleware')
const { proxy } = require('./own')
for (const { path, target } of table) app.use(path, createProxyMiddleware({ target }))
proxy({ target: 'http://orders:3001' })`,
      },
    },
  ],
}
