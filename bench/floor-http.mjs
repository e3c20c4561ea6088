// The HTTP floor: node:http, one JSON.parse, one fixed answer.

import { createServer } from 'node:http'

const result = {
  resultType: 'complete',
  content: [{ type: 'text', text: '{"ok":true}' }],
  structuredContent: { ok: true },
}

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    const { id } = JSON.parse(body)
    const text = JSON.stringify({ jsonrpc: '2.0', id, result })
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
