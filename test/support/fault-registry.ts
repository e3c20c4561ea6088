import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { MANIFEST_TYPE } from '../../src/packets/format/artifact.ts'
import type { MadePacket } from './packet-maker.ts'

export interface Call {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** How often this path was asked for before. */
  readonly before: number
}

/** Answers a call, or returns false to let the registry answer as it should. */
export type Behaviour = (call: Call, response: ServerResponse, address: string) => unknown

/** A registry of one packet with configurable misbehaviour. */
export class FaultRegistry {
  readonly calls: Call[] = []
  readonly #server: Server
  #behave: Behaviour = () => false
  #packet: MadePacket | undefined
  #uploaded = new Map<string, string>()

  constructor(tls?: { readonly key: string; readonly cert: string }) {
    const listen: RequestListener = (request, response) => {
      request.resume()
      const [method = '', path = ''] = [request.method, request.url]
      const before = this.calls.filter((one) => one.path === path && one.method === method).length
      const call = { method, path, headers: request.headers, before }
      this.calls.push(call)
      request.on('error', () => {})
      request.on('end', () => {
        if (this.#behave(call, response, this.address) === false) this.#serve(call, response)
      })
    }
    this.#server = tls === undefined ? createServer(listen) : createTlsServer(tls, listen)
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
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

  play(packet: MadePacket, behave: Behaviour): void {
    this.calls.length = 0
    this.#uploaded.clear()
    this.#packet = packet
    this.#behave = behave
  }

  #serve({ method, path, headers }: Call, response: ServerResponse): void {
    const [, kind, name = ''] = /^\/v2\/demo\/(manifests|blobs)\/([^?]+)/.exec(path) ?? []
    if (method === 'POST' && path.startsWith('/v2/demo/blobs/uploads/')) {
      response.writeHead(202, { location: '/v2/demo/blobs/uploads/1?state=a' }).end()
    } else if (method === 'PATCH') {
      response.writeHead(202, { location: '/v2/demo/blobs/uploads/1?state=b' }).end()
    } else if (method === 'PUT') {
      response.writeHead(201).end()
    } else if (kind === 'manifests') {
      const known = ['latest', this.#packet?.digest].includes(name)
      if (known) response.setHeader('content-type', MANIFEST_TYPE)
      response.writeHead(known ? 200 : 404).end(known ? this.#packet?.manifest : '{}')
    } else if (kind === 'blobs') {
      this.#blob(name, headers.range, response)
    } else response.writeHead(404).end('{}')
  }

  #blob(digest: string, range: string | undefined, response: ServerResponse): void {
    const bytes = this.#packet?.blobs.get(digest)
    if (bytes === undefined) return void response.writeHead(404).end()
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
    if (start > 0) response.setHeader('content-range', `bytes ${start}-${bytes.length - 1}/${bytes.length}`)
    response
      .writeHead(start > 0 ? 206 : 200, { 'content-length': bytes.length - start })
      .end(bytes.subarray(start))
  }
}
