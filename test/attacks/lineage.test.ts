import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DECISION_LOG, DecisionRecorder } from '../../src/lineage/decisions.ts'
import type { Database } from '../../src/platform/log-stores/sqlite/database.ts'
import { sqliteLogs } from '../../src/platform/log-stores/sqlite/log.ts'
import { deleteFrom, readPart, tamperWith, writePart } from '../history/tamper.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import { runJson } from '../support/run.ts'

afterAll(sweep)

const ENTRIES = 300
const PLACE = 2 ** 32
const named = ['--graph', DECISION_LOG]

/** A folder with a log of 300 decisions, written one at a time. */
const makeLog = async (folder: string): Promise<void> => {
  mkdirSync(join(folder, '.warrant'))
  const recorder = new DecisionRecorder({
    open: async () => sqliteLogs(join(folder, '.warrant', 'lineage.db')),
    salt: (seq) => `salt-${seq}`.padEnd(32, '0'),
    time: () => '2026-01-01T00:00:00.000Z',
  })
  const call = { tool: 'gate_run', effect: 'write', outcome: 'answer', ms: 1 } as const
  for (let n = 0; n < ENTRIES; n += 1) await recorder.record({ ...call, verdict: { status: 'BLOCKED', n } })
  await recorder.close()
}

describe('the log of decisions', () => {
  let whole: string
  let verifier: string
  beforeAll(async () => {
    whole = await makeFolder()
    await makeLog(whole)
    const { status, value } = runJson(whole, ['lineage', 'checkpoint', ...named])
    expect(status).toBe(0)
    verifier = value.verifier
    writeFileSync(join(whole, 'cp.txt'), value.note)
  })

  /** Runs a command of the lineage on a changed copy of the log. */
  const changedLog = async (change: (db: Database) => unknown) => {
    const folder = await makeFolder()
    cpSync(whole, folder, { recursive: true })
    await tamperWith({ store: join(folder, '.warrant', 'lineage.db'), folder }, change)
    return (...words: readonly string[]) => runJson(folder, ['lineage', ...words, ...named])
  }
  const since = () => ['--checkpoint', 'cp.txt', '--key', verifier]

  /** BLOCKED becomes ALLOWED in entry 5, and the entry gets the hash of the new payload. */
  const changeEntry5 = (db: Database) => {
    const payload = readPart(db, 'payload', 5).toString('utf8').replace('BLOCKED', 'ALLOWED')
    const entry = JSON.parse(readPart(db, 'entry', 5).toString('utf8'))
    entry.payload_hash = createHash('sha256').update(payload).digest('hex')
    writePart(db, 'payload', 5, Buffer.from(payload))
    writePart(db, 'entry', 5, Buffer.from(JSON.stringify(entry)))
  }

  it('is consistent with its checkpoint when nothing was changed', async () => {
    expect(runJson(whole, ['lineage', 'consistency', ...since(), ...named])).toMatchObject({
      status: 0,
      value: { outcome: 'consistent', older: ENTRIES, newer: ENTRIES },
    })
  })

  it('with entry 5 changed is not consistent, and no checkpoint of it is signed', async () => {
    const lineage = await changedLog(changeEntry5)
    expect(lineage('consistency', ...since())).toMatchObject({
      status: 1,
      value: { outcome: 'damaged', at: 5 },
    })
    const refused = lineage('checkpoint')
    expect(refused).toMatchObject({ status: 7, value: { error: { code: 'store.damaged' } } })
    expect(refused.value.error.message).toContain('nothing was signed')
    expect(lineage('export', 'b.json', '--bundle')).toMatchObject({ status: 7 })
  })

  it('without its first 256 entries is not consistent, and no checkpoint of it is signed', async () => {
    const lineage = await changedLog((db) => deleteFrom(db, 0, 255))
    expect(lineage('consistency', ...since())).toMatchObject({
      status: 1,
      value: { outcome: 'damaged', at: 0, why: 'entry 0 is missing' },
    })
    expect(lineage('checkpoint')).toMatchObject({ status: 7 })
  })

  it('without the payload of a decision is damaged, although its size says that it was erased', async () => {
    const lineage = await changedLog((db) => {
      const entry = readPart(db, 'entry', 7)
      const sizes = Buffer.alloc(8, 0xff)
      sizes.writeUInt32LE(entry.length, 0)
      db.prepare('UPDATE runs SET sizes = ?, bytes = ? WHERE id = ?').run(sizes, entry, PLACE + 7)
    })
    expect(lineage('verify')).toMatchObject({
      status: 1,
      value: { chain: { outcome: 'broken', at: 7 }, erasures: { recorded: [], unexplained: [7] } },
    })
    expect(lineage('consistency', ...since())).toMatchObject({ status: 1, value: { outcome: 'damaged' } })
    expect(lineage('checkpoint')).toMatchObject({ status: 7 })
  })

  it('cut to nothing is found by verify with the older checkpoint', async () => {
    const lineage = await changedLog((db) => deleteFrom(db, 0, ENTRIES))
    expect(lineage('verify', ...since())).toMatchObject({
      status: 1,
      value: { since: { outcome: 'truncated', from: ENTRIES } },
    })
    expect(lineage('verify', '--key', verifier)).toMatchObject({ status: 2 })
    expect(lineage('replay', '--checkpoint', 'cp.txt')).toMatchObject({ status: 2 })
  })
})
