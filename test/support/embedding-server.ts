import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An embedding server of a simple mind: it counts letters. */
export class EmbeddingServer {
  /** Every text it was asked for. */
  readonly texts: string[] = []
  readonly #server: Server
  readonly #dim: number
  /** How long it thinks about an answer. */
  waitMs = 0

  constructor(dim = 16) {
    this.#dim = dim
    this.#server = createServer((asked, answer) => {
      let body = ''
      asked.setEncoding('utf8').on('data', (part: string) => {
        body += part
      })
      asked.on('end', () => {
        const { input } = JSON.parse(body) as { input: string[] }
        this.texts.push(...input)
        const data = input.map((text, index) => ({ index, embedding: this.#count(text) }))
        setTimeout(() => answer.end(JSON.stringify({ data })), this.waitMs)
      })
    })
  }

  #count(text: string): number[] {
    const counts = Array.from({ length: this.#dim }, () => 0)
    for (const letter of text.toLowerCase()) {
      const at = letter.charCodeAt(0) % this.#dim
      counts[at] = (counts[at] as number) + 1
    }
    return counts
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }
}
