import { expect, it } from 'vitest'
import { outboundRows, type Snippet } from '../../../../test/support/project-rows.ts'

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'HTTP clients: environment variables with and without a default',
    files: {
      'a.ts': `const base = process.env.STOCK_URL ?? 'http://stock'
fetch(\`\${base}/items\`)
fetch(\`\${process.env.MAIL_URL!}/send\`, { method: 'POST' })
fetch(import.meta.env.VITE_API_URL + '/me', options)
fetch(process.env['BOOK_HOST'] || process.env.OLD_HOST || 'https://books')
fetch(\`\${process.env.BASE_PATH}/local\`)`,
    },
    rows: [
      '2: REST fetch GET -> http://stock/items [medium]',
      '3: REST fetch POST -> ${MAIL_URL}/send [low]',
      '4: REST fetch -> ${VITE_API_URL}/me [low]',
      '5: REST fetch GET -> https://books [medium]',
    ],
  },
  {
    title: 'HTTP clients: instances with a base address, also of another file and in a class',
    files: {
      'api.ts': `import axios from 'axios'
const baseURL = 'http://orders/v1'
export const api = axios.create({ baseURL })
export const local = axios.create({ baseURL: '/api' })`,
      'use.ts': `import ky from 'ky'
import { api as orders, local } from './api'
orders.get('/list')
orders({ url: 'one', method: 'delete' })
local.get('/not-a-host')
const stock = ky.extend({ prefixUrl: 'http://stock' })
stock.post('items')
class Mail {
  private http = axios.create({ baseURL: 'http://mail' })
  send() { return this.http.post('/send', {}) }
}
class Page {
  private readonly http = inject(HttpClient)
  load() { return this.http.get<Item>('http://items/1') }
}`,
    },
    rows: [
      '3: REST axios GET -> http://orders/v1/list',
      '7: REST ky POST -> http://stock/items',
      '10: REST axios POST -> http://mail/send, Mail',
      '14: REST HttpClient GET -> http://items/1, Page',
    ],
  },
  {
    title: 'HTTP clients: a name refers to the declaration before the call, not to that of another function',
    files: {
      'a.js': `import { request } from 'undici'
function a() { const url = 'http://a'; return fetch(url) }
function b() { const url = 'http://b'; return request(url, { method: 'PUT' }) }
function c(url) { return fetch(url) }
function d({ url }) { return fetch(url) }
function e(fetcher) { const { url } = fetcher; fetch(url) }`,
    },
    rows: ['2: REST fetch GET -> http://a', '3: REST undici PUT -> http://b'],
  },
  {
    title: 'HTTP clients: nothing for other functions and objects of these names',
    files: {
      'a.ts': `import { request } from './own'
import got from './got'
request('http://a')
got('http://b')
cache.get('http://c')
repository.fetch('http://d')
const { fetch } = useStore()
fetch('http://e')`,
    },
    rows: [],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  expect(await outboundRows(files)).toEqual(rows)
})
