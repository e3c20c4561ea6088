import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { sqliteLogs } from '../../src/platform/log-stores/sqlite/log.ts'
import { eventually, makeFolder } from '../support/binary.ts'
import { GENESIS, readAll, texts } from './log-rows.ts'
import type { Acknowledged, LogWorker, LogWorkers } from './log-workers.ts'

/** Without a pause this writer would hold the lock most of the time, and the others would only wait. */
const BYSTANDER_MS = 5

/** Everything in the file, read through a handle of its own. */
export const readFileLog = async (file: string): Promise<readonly string[]> => {
  const store = sqliteLogs(file)
  try {
    return texts(await readAll(await store.open('log', GENESIS)))
  } finally {
    await store.close()
  }
}

const checkKept = (all: readonly string[], acknowledged: readonly Acknowledged[]): void => {
  expect(acknowledged.map(({ seq }) => all[seq])).toEqual(acknowledged.map(({ text }) => text))
  expect(new Set(all).size).toBe(all.length)
}

/** Kills writers in the middle of their work, over and over, beside one that is left alone. */
export const surviveKills = async (workers: LogWorkers, cycles: number): Promise<void> => {
  const file = join(await makeFolder(), 'logs.sqlite')
  const bystander = workers.start(file, 'bystander', Number.POSITIVE_INFINITY, BYSTANDER_MS)
  await eventually('an open log', () => bystander.lines.includes('open'))
  const killed: LogWorker[] = []
  for (let cycle = 0; cycle < cycles; cycle++) {
    const worker = workers.start(file, `killed ${cycle}`)
    killed.push(worker)
    await eventually('an acknowledged row', () => worker.acknowledged.length > cycle % 5)
    await sleep(Math.random() * 5)
    await worker.kill()
    if (cycle % 10 === 0) {
      checkKept(
        await readFileLog(file),
        killed.flatMap((one) => one.acknowledged),
      )
    }
  }
  const before = bystander.acknowledged.length
  await eventually('work after the last kill', () => bystander.acknowledged.length > before)
  await bystander.kill()
  const all = await readFileLog(file)
  for (const worker of [...killed, bystander]) {
    expect(worker.stderr).toBe('')
    checkKept(all, worker.acknowledged)
  }
}

/** Kills writers while they make the file: whatever is left of it, the next one carries on. */
export const surviveBirths = async (workers: LogWorkers, cycles: number): Promise<void> => {
  for (let cycle = 0; cycle < cycles; cycle++) {
    const file = join(await makeFolder(), 'state', 'logs.sqlite')
    const worker = workers.start(file, 'first', 3)
    // A process is there after some forty milliseconds, and has the file after some more.
    await sleep(40 + Math.random() * 80)
    await worker.kill()
    checkKept(await readFileLog(file), worker.acknowledged)
  }
}
