import { createServer, request as forward, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** Stands before a real registry and counts what it is asked. */
export class RegistryProxy {
  readonly calls: string[] = []
  /** Connections that were opened, whether anything was asked over them or not. */
  opened = 0
  /** Told of every request before it is passed on. */
  onCall: (count: number) => void = () => {}
  /** How long it holds every request back. */
  waitMs = 0
  readonly #server: Server

  constructor(host: string, tls?: { readonly key: string; readonly cert: string }) {
    const [name = '', port = ''] = host.split(':')
    const scheme = tls === undefined ? {} : { 'x-forwarded-proto': 'https' }
    const listen: RequestListener = (asked, answer) => {
      const { method = '', url = '' } = asked
      this.calls.push(`${method} ${url}`)
      this.onCall(this.calls.length)
      // The name it was asked by is passed on: the registry writes it into the addresses it answers.
      const headers = { ...asked.headers, ...scheme }
      setTimeout(() => {
        const passed = forward({ host: name, port, method, path: url, headers }, (got) => {
          answer.writeHead(got.statusCode ?? 502, got.headers)
          got.pipe(answer)
        })
        for (const one of [asked, answer, passed]) one.on('error', () => passed.destroy())
        asked.pipe(passed)
      }, this.waitMs)
    }
    this.#server = tls === undefined ? createServer(listen) : createTlsServer(tls, listen)
    this.#server.on('connection', () => {
      this.opened += 1
    })
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  /** What was asked since the last time, in order. */
  take(): readonly string[] {
    return this.calls.splice(0)
  }
}
