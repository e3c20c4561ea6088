// Opens requests whose bodies never end, in a process of its own: COUNT of them at PORT, each sends BYTES of its 4 MiB.
// With RENEW, opens another one in place of each that the server closes. HEADERS are host and token.
import { connect } from 'node:net'

const [port = 0, count = 0, bytes = 0, renew] = process.argv.slice(2, 6).map(Number)
const [headers] = process.argv.slice(6)
const LENGTH = 4 * 1024 * 1024
const head = `POST /mcp HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${LENGTH}\r\n\r\n`
const part = Buffer.alloc(bytes, ' ')
let connected = 0

const start = () => {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.write(head)
  socket.write(part)
  socket.on('connect', () => {
    connected += 1
    if (connected === count) process.stdout.write('all\n')
  })
  socket.on('error', () => {})
  socket.on('data', () => {})
  socket.on('close', () => {
    if (renew === 1) setTimeout(start, 5)
  })
}
for (let at = 0; at < count; at += 1) start()
// Ends with the test that started it.
process.stdin.on('end', () => process.exit()).resume()
