import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect } from 'vitest'
import { packetStore } from '../../src/platform/packets/store.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Builds the worker once, so that plain Node can run it and it can be killed for good. */
export class PacketWorkers {
  #folder = ''

  async build(): Promise<void> {
    this.#folder = await mkdtemp(join(ROOT, 'node_modules', '.packet-worker-'))
    await build({
      entryPoints: [fileURLToPath(new URL('packet-worker.ts', import.meta.url))],
      outfile: join(this.#folder, 'worker.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'warning',
    })
  }

  /** Runs a worker through another program, and kills it after so many lines if asked to. */
  async run(args: readonly string[], { through = [] as readonly string[], killAfter = -1 } = {}) {
    const words = [...through, process.execPath, join(this.#folder, 'worker.mjs'), ...args]
    const child = spawn(words[0] as string, words.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (killAfter >= 0 && text.split('\n').length > killAfter) child.kill('SIGKILL')
    })
    if (killAfter === 0) setTimeout(() => child.kill('SIGKILL'), 60)
    await once(child, 'close')
    return text.split('\n').slice(0, -1)
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** Kills writers of one store again and again. After each: what was promised is there, and all that is there is whole. */
export const killWriters = async (workers: PacketWorkers, root: string, rounds: number): Promise<void> => {
  const store = packetStore(root)
  for (let round = 0; round < rounds; round++) {
    const lines = await workers.run([root, `round${round}`, '1000'], { killAfter: round % 4 })
    const there = (await store.list()).map(({ digest }) => digest)
    for (const line of lines) expect(there).toContain(line.slice('stored '.length))
    const verdicts = await store.verify(there)
    expect(verdicts.filter(({ problems }) => problems.length > 0)).toEqual([])
    // Kept small: what counts is the number of kills, not of packets.
    await store.prune(there)
  }
}
