import http from 'node:http'
import { flaw } from './line-client.mjs'
import { Stop } from './stop.mjs'

export const TOKEN = 'the-token-of-the-bench-0123456789'
const revision = '2026-07-28'

/**
 * The port a server says it listens on: the first loopback URL in its output, or a line that is only the port.
 *
 * @param {import('./server.mjs').Server} server
 * @returns {Promise<number>}
 */
export function listeningPort(server) {
  return new Promise((resolve, reject) => {
    server.onFailure(reject)
    for (const stream of [server.child.stdout, server.child.stderr]) {
      let text = ''
      const listen = (/** @type {string} */ chunk) => {
        text += chunk
        // Only finished lines: a chunk may end inside the port.
        const lines = text.slice(0, text.lastIndexOf('\n') + 1)
        const match = /http:\/\/127\.0\.0\.1:(\d+)|^(\d+)$/m.exec(lines)
        if (!match) return
        stream.off('data', listen).resume()
        resolve(Number(match[1] ?? match[2]))
      }
      stream.on('data', listen)
    }
  })
}

/**
 * @param {string} type
 * @param {string} body
 */
function parseBody(type, body) {
  if (type.startsWith('application/json')) return JSON.parse(body)
  if (!type.startsWith('text/event-stream')) throw new Error(`content type ${type || 'missing'}`)
  const events = body.split('\n').filter((line) => line.startsWith('data:'))
  return JSON.parse(events.at(-1)?.slice(5) ?? '')
}

/** Stateless tools/call requests to one server; every answer is matched and checked. */
export class HttpClient {
  /** @type {Set<unknown>} */
  sockets = new Set()
  #nextId = 1

  /**
   * @param {import('./server.mjs').Server} server
   * @param {number} port
   * @param {string} tool
   * @param {unknown} args
   */
  constructor(server, port, tool, args) {
    this.server = server
    this.port = port
    this.headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': revision,
      'Mcp-Method': 'tools/call',
      Authorization: `Bearer ${TOKEN}`,
      'Mcp-Name': tool,
    }
    const params = {
      name: tool,
      arguments: args,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': revision,
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      },
    }
    this.prepared = `,"method":"tools/call","params":${JSON.stringify(params)}}`
  }

  /**
   * @param {http.Agent} agent
   * @param {(error?: Error) => void} done
   */
  call(agent, done) {
    const id = this.#nextId++
    const body = `{"jsonrpc":"2.0","id":${id}${this.prepared}`
    const headers = { ...this.headers, 'content-length': Buffer.byteLength(body) }
    const target = { host: '127.0.0.1', port: this.port, path: '/mcp', method: 'POST', agent, headers }
    const request = http.request(target, (response) => {
      this.sockets.add(response.socket)
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => {
        const reason = this.#flaw(id, response, text)
        done(reason ? new Stop(`${this.server.name} ${reason}`) : undefined)
      })
    })
    request.on('error', (error) => {
      done(this.server.failure ?? new Stop(`${this.server.name} broke the connection: ${error.message}`))
    })
    request.end(body)
  }

  /**
   * @param {number} id
   * @param {http.IncomingMessage} response
   * @param {string} text
   */
  #flaw(id, response, text) {
    let message
    try {
      message = parseBody(response.headers['content-type'] ?? '', text)
    } catch (error) {
      return `answered ${response.statusCode} unreadably: ${error instanceof Error ? error.message : error}`
    }
    if (flaw(message)) return flaw(message)
    if (response.statusCode !== 200) return `answered with status ${response.statusCode}`
    if (message.id !== id) return `answered id ${JSON.stringify(message.id)} to request ${id}`
    return undefined
  }
}
