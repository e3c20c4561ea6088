import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../../src/kernel/fault.ts'
import { sqliteLogs } from '../../src/platform/log-stores/sqlite/log.ts'
import { addNext, GENESIS } from './log-rows.ts'

/**
 * A separate process that appends: `worker FILE LABEL COUNT PAUSE_MS`. It prints each row once it is acknowledged, in one
 * write, so that every printed row was acknowledged before a kill. At the end it prints the number of rows it finds.
 */

const say = (line: string): void => {
  writeSync(1, `${line}\n`)
}

const appendRows = async (file: string, label: string, count: number, pauseMs: number): Promise<void> => {
  const store = sqliteLogs(file)
  try {
    const log = await store.open('log', GENESIS)
    say('open')
    for (let i = 0; i < count; i++) {
      say(`${await addNext(log, `${label}:${i}`)} ${label}:${i}`)
      if (pauseMs > 0) await sleep(pauseMs)
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    say(`fault ${error.kind} ${error.code}`)
  }
  await store.close()
}

const countRows = async (file: string): Promise<void> => {
  const store = sqliteLogs(file)
  const log = await store.find('log')
  say(`kept ${(await log?.head())?.size}`)
  await store.close()
}

const [file = '', label = '', count = '', pauseMs = ''] = process.argv.slice(2)
await appendRows(file, label, Number(count), Number(pauseMs))
await countRows(file)
