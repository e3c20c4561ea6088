import type { FrameworkSnippets } from './snippet-corpus.ts'

const client = {
  language: 'TypeScript, JavaScript',
  finds: ['calls'],
} as const

export const FETCH: FrameworkSnippets = {
  framework: 'fetch',
  ...client,
  found: [
    {
      title: 'environment variables with and without a default',
      files: {
        'a.ts': `const base = process.env.STOCK_URL ?? 'http://stock'
fetch(\`\${base}/items\`)
fetch(\`\${process.env.MAIL_URL!}/send\`, { method: 'POST' })
fetch(import.meta.env.VITE_API_URL + '/me', options)
fetch(process.env['BOOK_HOST'] || process.env.OLD_HOST || 'https://books')
fetch(\`\${process.env.BASE_PATH}/local\`)`,
      },
      rows: [
        'out 2: REST fetch GET -> http://stock/items [medium]',
        `out 3: REST fetch POST -> \${MAIL_URL}/send [low]`,
        `out 4: REST fetch -> \${VITE_API_URL}/me [low]`,
        'out 5: REST fetch GET -> https://books [medium]',
      ],
    },
    {
      title: 'a name refers to the declaration before the call, not to that of another function',
      files: {
        'a.js': `import { request } from 'undici'
function a() { const url = 'http://a'; return fetch(url) }
function b() { const url = 'http://b'; return request(url, { method: 'PUT' }) }
function c(url) { return fetch(url) }
function d({ url }) { return fetch(url) }
function e(fetcher) { const { url } = fetcher; fetch(url) }`,
      },
      rows: ['out 2: REST fetch GET -> http://a', 'out 3: REST undici PUT -> http://b'],
    },
    {
      title: 'in a class, with a method',
      files: {
        'a.ts': `class Stock {
  private url = 'http://stock/v1'
  async remove(id: string) { await fetch(\`\${this.url}/items/\${id}\`, { method: 'DELETE' }) }
}`,
      },
      rows: ['out 3: REST fetch DELETE -> http://stock/v1/items/{id}, Stock [medium]'],
    },
  ],
  notFound: [
    {
      title: 'other functions and objects of these names',
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
    },
    { title: 'addresses without a host', files: { 'a.ts': "fetch('/local')\nfetch(path)" } },
  ],
}

export const AXIOS: FrameworkSnippets = {
  framework: 'axios',
  ...client,
  found: [
    {
      title: 'instances with a base address, also of another file and in a class',
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
        'out 3: REST axios GET -> http://orders/v1/list',
        'out 7: REST ky POST -> http://stock/items',
        'out 10: REST axios POST -> http://mail/send, Mail',
        'out 14: REST HttpClient GET -> http://items/1, Page',
      ],
    },
    {
      title: 'calls with options, and awaited ones with a type',
      files: {
        'a.ts': `import axios from 'axios'
axios({ url: 'http://mail/send', method: 'post' })
const { data } = await axios.get<Item[]>('http://stock/items')
await axios.request({ baseURL: 'http://pay', url: '/v2', method: 'PUT' })`,
      },
      rows: [
        'out 2: REST axios POST -> http://mail/send',
        'out 3: REST axios GET -> http://stock/items',
        'out 4: REST axios PUT -> http://pay/v2',
      ],
    },
    {
      title: 'constants in an address',
      files: {
        'a.js': `const axios = require('axios')
const HOST = 'http://billing'
axios.post(\`\${HOST}/pay\`, {})`,
      },
      rows: ['out 3: REST axios POST -> http://billing/pay'],
    },
  ],
  notFound: [
    {
      title: 'relative addresses and other objects',
      files: {
        'a.ts': `import axios from 'axios'
axios.get('/api/items')
map.get('http://not-a-client')`,
      },
    },
  ],
}

export const GOT: FrameworkSnippets = {
  framework: 'got',
  ...client,
  found: [
    {
      title: 'calls and methods',
      files: {
        'a.ts':
          "import got from 'got'\ngot('http://stock/x')\nawait got.post('http://stock/y', { json }).json()",
      },
      rows: ['out 2: REST got GET -> http://stock/x', 'out 3: REST got POST -> http://stock/y'],
    },
    {
      title: 'an instance',
      files: {
        'a.ts': `import got from 'got'
const api = got.extend({ prefixUrl: 'https://api.example.net/v1' })
api.get('users')`,
      },
      rows: ['out 3: REST got GET -> https://api.example.net/v1/users'],
    },
    {
      title: 'a stream',
      files: { 'a.ts': "import got from 'got'\ngot.stream('https://files.example.net/a.zip')" },
      rows: ['out 2: REST got GET -> https://files.example.net/a.zip'],
    },
  ],
  notFound: [
    { title: 'a function of the project', files: { 'a.ts': "import got from './got'\ngot('http://b')" } },
  ],
}

export const KY: FrameworkSnippets = {
  framework: 'ky',
  ...client,
  found: [
    {
      title: 'methods',
      files: { 'a.ts': "import ky from 'ky'\nconst json = await ky.put('http://a/b', { json }).json()" },
      rows: ['out 2: REST ky PUT -> http://a/b'],
    },
    {
      title: 'an instance of another file',
      files: {
        'client.ts': "import ky from 'ky'\nexport const api = ky.create({ prefixUrl: 'http://users' })",
        'use.ts': "import { api } from './client'\napi.delete('one')",
      },
      rows: ['out 2: REST ky DELETE -> http://users/one'],
    },
    {
      title: 'a call with a method',
      files: { 'a.ts': "import ky from 'ky'\nky('http://a', { method: 'patch' })" },
      rows: ['out 2: REST ky PATCH -> http://a'],
    },
  ],
  notFound: [{ title: 'relative addresses', files: { 'a.ts': "import ky from 'ky'\nky.get('api/x')" } }],
}

export const UNDICI: FrameworkSnippets = {
  framework: 'undici',
  ...client,
  found: [
    {
      title: 'request',
      files: { 'a.ts': "import { request } from 'undici'\nawait request('http://a/b', { method: 'POST' })" },
      rows: ['out 2: REST undici POST -> http://a/b'],
    },
    {
      title: 'fetch',
      files: { 'a.ts': "import { fetch } from 'undici'\nawait fetch('http://a/c')" },
      rows: ['out 2: REST fetch GET -> http://a/c'],
    },
    {
      title: 'stream of the module',
      files: {
        'a.js': "const undici = require('undici')\nundici.stream('http://a/d', { method: 'GET' }, sink)",
      },
      rows: ['out 2: REST undici GET -> http://a/d'],
    },
  ],
  notFound: [
    {
      title: 'a pool without a request',
      files: { 'a.ts': "import { Pool } from 'undici'\nconst pool = new Pool('http://a')" },
    },
  ],
}
