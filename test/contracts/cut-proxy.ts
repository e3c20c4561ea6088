import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export const DELAY_MS = 200

/** What happens to a request whose connection is cut. */
export type Fate =
  /** It is executed, and the answer is lost. */
  | 'swallow'
  /** It is executed, and the server sends a shutdown error instead of the answer. */
  | 'dismiss'
  /** It never arrives. */
  | 'drop'
  /** It arrives after its sender has sent it again. */
  | 'delay'
  /** It never arrives, and the connection stays open for ever. */
  | 'mute'

export const FATES: readonly Fate[] = ['swallow', 'dismiss', 'drop', 'delay', 'mute']

const farewell = (): Buffer => {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0')
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

interface Plan {
  readonly fate: Fate
  readonly then: () => Promise<void>
  readonly done: () => void
}

/** Forwards everything between clients and a server, until it is set to cut the next request. */
export class CutProxy {
  readonly address: string
  readonly #server: Server
  readonly #target: URL
  readonly #sockets = new Set<Socket>()
  #plan: Plan | undefined
  /** New connections wait, so that a test can act before the client reconnects. */
  #hold: Promise<void> = Promise.resolve()

  private constructor(server: Server, target: URL) {
    const { port } = server.address() as AddressInfo
    const url = new URL(target)
    url.host = `127.0.0.1:${port}`
    this.address = url.href
    this.#server = server
    this.#target = target
    server.on('connection', (client) => void this.#serve(client))
  }

  static async start(address: string): Promise<CutProxy> {
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new CutProxy(server, new URL(address))
  }

  /** Resolves once it has happened. */
  cutNext(fate: Fate, then = async () => {}): Promise<void> {
    return new Promise((done) => {
      this.#plan = { fate, then, done }
    })
  }

  stop(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  async #serve(client: Socket): Promise<void> {
    await this.#hold
    const server = connect(Number(this.#target.port), this.#target.hostname)
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket))
    }
    client.on('close', () => server.end())
    server.on('close', () => client.destroy())
    client.on('data', (request: Buffer) => {
      const plan = this.#plan
      this.#plan = undefined
      if (plan === undefined) server.write(request)
      else this.#hold = this.#cut(plan, client, server, request)
    })
    server.on('data', (answer: Buffer) => {
      if (!client.destroyed) client.write(answer)
    })
    client.resume()
  }

  async #cut({ fate, then, done }: Plan, client: Socket, server: Socket, request: Buffer): Promise<void> {
    client.removeAllListeners('data')
    if (fate === 'swallow' || fate === 'dismiss') {
      server.removeAllListeners('data').write(request)
      await once(server, 'data')
    }
    await then()
    if (fate === 'delay') {
      client.removeAllListeners('close')
      void sleep(DELAY_MS).then(() => server.end(request))
    }
    if (fate === 'dismiss') client.end(farewell())
    else if (fate !== 'mute') client.destroy()
    done()
  }
}
