import { Stop } from './stop.mjs'

/** @typedef {(error: Error | undefined, result?: unknown) => void} Done */

/**
 * Says why an answer must not be counted, or nothing when it may.
 *
 * @param {any} message
 * @returns {string | undefined}
 */
export function flaw(message) {
  if (message.error) return `answered with an error: ${JSON.stringify(message.error).slice(0, 300)}`
  if (typeof message.result !== 'object' || message.result === null) return 'answered without a result'
  if (message.result.isError) return `reported a failed call: ${JSON.stringify(message.result).slice(0, 300)}`
  return undefined
}

/** JSON-RPC over the standard streams of one server; every answer is matched and checked. */
export class LineClient {
  #nextId = 1
  #rest = ''
  /** @type {Map<number, Done>} */
  #pending = new Map()

  /** @param {import('./server.mjs').Server} server */
  constructor(server) {
    this.server = server
    this.input = server.child.stdin
    server.child.stdout.on('data', (chunk) => this.#feed(chunk))
    server.onFailure((error) => {
      const open = [...this.#pending.values()]
      this.#pending.clear()
      for (const done of open) done(error)
    })
  }

  /** @param {string} chunk */
  #feed(chunk) {
    let from = 0
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      this.#receive(this.#rest + chunk.slice(from, end))
      this.#rest = ''
      from = end + 1
    }
    this.#rest += chunk.slice(from)
  }

  /** @param {string} line */
  #receive(line) {
    let message
    try {
      message = JSON.parse(line)
    } catch {
      this.server.fail(`wrote a line that is not JSON: ${line.slice(0, 200)}`)
      return
    }
    if (message.method) {
      if (message.id !== undefined) this.#refuse(message.id)
      return
    }
    const done = this.#pending.get(message.id)
    if (!done) {
      this.server.fail(`answered id ${JSON.stringify(message.id)}, which is not open`)
      return
    }
    this.#pending.delete(message.id)
    const reason = flaw(message)
    done(reason ? new Stop(`${this.server.name} ${reason}`) : undefined, message.result)
  }

  /** @param {unknown} id */
  #refuse(id) {
    const error = { code: -32601, message: 'the bench client offers no methods' }
    this.input.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`)
  }

  /**
   * The unchanging part of a request, made once so that the client stays faster than the servers.
   *
   * @param {string} method
   * @param {unknown} params
   */
  prepare(method, params) {
    return `,"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}\n`
  }

  /**
   * @param {string} prepared
   * @param {Done} done
   */
  send(prepared, done) {
    if (this.server.failure) {
      done(this.server.failure)
      return
    }
    const id = this.#nextId++
    this.#pending.set(id, done)
    this.input.write(`{"jsonrpc":"2.0","id":${id}${prepared}`)
  }

  /**
   * @param {string} method
   * @param {unknown} params
   * @returns {Promise<any>}
   */
  request(method, params) {
    return new Promise((resolve, reject) => {
      this.send(this.prepare(method, params), (error, result) => (error ? reject(error) : resolve(result)))
    })
  }

  /** @returns {Promise<any>} */
  async initialize() {
    const result = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    })
    if (result.protocolVersion !== '2025-11-25') {
      throw new Stop(`${this.server.name} speaks ${result.protocolVersion}, not 2025-11-25`)
    }
    return result
  }

  initialized() {
    this.input.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  }
}
