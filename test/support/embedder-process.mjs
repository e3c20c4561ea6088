// An embedding server in a process of its own. It counts letters, and what it does beside that is told by the
// name of the model: `letters-16` gives sixteen values, `busy-16` is busy the first time, `key-16` wants a key,
// `nan-16` gives values that are no numbers. `GET /asked` tells what it was asked, and where and how the last time.

import { createServer } from 'node:http'

const DEFAULT_DIM = 16
/** @type {{ texts: string[], sizes: number[], most: number, path?: string, headers?: object }} */
const asked = { texts: [], sizes: [], most: 0 }
const seen = new Set()
let open = 0

/** @param {string} text @param {number} dim */
const count = (text, dim) => {
  const counts = Array.from({ length: dim }, () => 0)
  for (const letter of text.toLowerCase()) {
    const at = letter.charCodeAt(0) % dim
    counts[at] = (counts[at] ?? 0) + 1
  }
  return counts
}

/**
 * @param {{ input: string[], model: string }} body
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
const answer = ({ input, model }, request, response) => {
  const [kind = '', dim = DEFAULT_DIM] = model.split('-')
  if (kind === 'busy' && !seen.has(model)) {
    seen.add(model)
    response.writeHead(503).end()
    return
  }
  if (kind === 'key' && request.headers.authorization !== 'Bearer sesame') {
    response.writeHead(401).end()
    return
  }
  asked.texts.push(...input)
  asked.sizes.push(input.length)
  const data = input.map((text, index) => ({ index, embedding: count(text, Number(dim)) }))
  const json = JSON.stringify({ data })
  response.end(kind === 'nan' ? json.replace(/"embedding":\[\d+/g, '"embedding":[1e999') : json)
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify(asked))
    return
  }
  open += 1
  asked.path = request.url ?? ''
  asked.headers = request.headers
  asked.most = Math.max(asked.most, open)
  response.on('close', () => {
    open -= 1
  })
  let text = ''
  request.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  // A little later, so that several requests can be open at a time.
  request.on('end', () => setTimeout(() => answer(JSON.parse(text), request, response), 20))
})
server.listen(0, '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  process.stdout.write(`${address.port}\n`)
})
