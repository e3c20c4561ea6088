import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('embedder-process.mjs', import.meta.url))

interface Asked {
  readonly texts: readonly string[]
  readonly sizes: readonly number[]
  /** Most requests that were open at a time. */
  readonly most: number
  /** Where and how it was asked the last time. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The embedding server in a process of its own. */
export const startEmbedding = async () => {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  const url = `http://127.0.0.1:${port.toString().trim()}`
  return {
    url,
    asked: async () => (await (await fetch(`${url}/asked`)).json()) as Asked,
    stop: () => child.kill(),
  }
}

export type Embedding = Awaited<ReturnType<typeof startEmbedding>>
