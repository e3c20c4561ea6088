import { writeSync } from 'node:fs'
import { Fault } from '../../src/kernel/fault.ts'
import { sqliteLogs } from '../../src/platform/sqlite-log.ts'
import { addNext, GENESIS } from './log-rows.ts'

/**
 * A process of its own that appends: `worker FILE LABEL COUNT`. Each row is told on stdout once it is
 * acknowledged, in one write, so that what was told before a kill was acknowledged before it.
 */

const say = (line: string): void => {
  writeSync(1, `${line}\n`)
}

const appendRows = async (file: string, label: string, count: number): Promise<void> => {
  const store = sqliteLogs(file)
  try {
    const log = await store.open('log', GENESIS)
    say('open')
    for (let i = 0; i < count; i++) say(`${await addNext(log, `${label}:${i}`)} ${label}:${i}`)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    say(`fault ${error.kind} ${error.code}`)
  }
  await store.close()
}

const [file = '', label = '', count = ''] = process.argv.slice(2)
await appendRows(file, label, Number(count))
