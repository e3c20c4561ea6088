// The HTTP floor: node:http, one JSON.parse, one answer of the same size.

import { createServer } from 'node:http'
import { status } from './lib/status.mjs'

const serverInfo = { name: 'floor', version: '1' }
const answer = () => ({
  content: [{ type: 'text', text: JSON.stringify(status) }],
  structuredContent: status,
  resultType: 'complete',
  _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
})

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    const { id } = JSON.parse(body)
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: answer() })
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    })
    response.end(text)
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') console.log(address.port)
})
