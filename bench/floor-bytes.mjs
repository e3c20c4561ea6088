// The floor of an HTTP server: node:http, and the same bytes to whoever asks.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const body = process.argv[2] ? readFileSync(process.argv[2]) : Buffer.from('{"status":"ok"}')

const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') console.log(address.port)
})
