import { Program } from './binary.ts'
import { type Message, readMessage } from './messages.ts'

export const SENTINEL = 'sentinel-mcp'

type Arguments = Readonly<Record<string, unknown>>
type Options = Omit<NonNullable<ConstructorParameters<typeof Program>[1]>, 'binary'>

/** A client of `sentinel-mcp`, for single calls and for many calls at once. */
export class Sentinel extends Program {
  #nextId = 1

  constructor(root: string | undefined, args: readonly string[] = [], options: Options = {}) {
    super([...(root === undefined ? [] : ['--root', root]), ...args], { ...options, binary: SENTINEL })
  }

  call(name: string, args: Arguments): number {
    const id = this.#nextId
    this.#nextId += 1
    this.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }))
    return id
  }

  /** Waits for the answer to one id. */
  async answer(id: number): Promise<Message> {
    for (let seen = 0; ; ) {
      for (; seen < this.lines.length; seen += 1) {
        const message = readMessage(this.lines[seen] ?? '')
        if (message.id === id) return message
      }
      await this.heard(seen + 1)
    }
  }

  ask(name: string, args: Arguments): Promise<Message> {
    return this.answer(this.call(name, args))
  }

  /** Sends many calls in one write, and returns the answers in the order of the calls. */
  async askAll(
    calls: readonly (readonly [name: string, args: Arguments])[],
    ms?: number,
  ): Promise<readonly Message[]> {
    const first = this.#nextId
    const before = this.lines.length
    const lines = calls.map(([name, args]) => {
      const id = this.#nextId
      this.#nextId += 1
      return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })
    })
    this.send(...lines)
    await this.heard(before + calls.length, ms)
    const byId = new Map(
      this.lines.slice(before).map((line) => {
        const message = readMessage(line)
        return [message.id, message] as const
      }),
    )
    return calls.map((_, at) => byId.get(first + at) as Message)
  }

  list(path: string, more: Arguments = {}): Promise<Message> {
    return this.ask('readProjectStructure', { path, ...more })
  }

  read(path: string, more: Arguments = {}): Promise<Message> {
    return this.ask('readJavaFile', { path, ...more })
  }
}

export const textOf = ({ result }: Message): string => result?.content?.[0]?.text

/** Code and reason of an error as one text; `success` without an error. */
export const verdict = ({ error }: Message): string => {
  if (error === undefined) return 'success'
  const { reason, details } = error.data as { reason?: unknown; details?: unknown }
  if (typeof details !== 'string') throw new Error('an error without details')
  return `${error.code} ${reason}`
}
