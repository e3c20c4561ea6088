import { expect } from 'vitest'
import type { Database } from '../../src/platform/log-stores/sqlite/database.ts'
import { BeliefServer, runWarrant, type ServerPlan } from './belief-server.ts'
import {
  changeHash,
  copyStore,
  deleteFrom,
  dropSnapshots,
  ENTRIES,
  replaceText,
  swapRows,
  tamperWith,
} from './tamper.ts'

/** An entry in the middle: it makes node 8, which has a claim. */
export const AT = 8
export const LAST = ENTRIES - 1

type Damage = readonly [name: string, at: number, damage: (db: Database) => void]

/** A change of the file, and the first entry that it makes invalid. */
export const DAMAGES: readonly Damage[] = [
  ['a digit of a payload’s hash', AT, (db) => changeHash(db, AT, 'payload_hash')],
  ['a digit of a checksum', AT, (db) => changeHash(db, AT, 'checksum')],
  ['a byte that makes an entry no JSON', AT, (db) => replaceText(db, 'entry', AT, /^\{/, '[')],
  ['a byte that makes an entry no text', AT, (db) => replaceText(db, 'entry', AT, /node/, '\xffode')],
  ['a digit in a payload', AT, (db) => replaceText(db, 'payload', AT, /"energy":58/, '"energy":59')],
  ['a letter of a claim', AT, (db) => replaceText(db, 'payload', AT, /green/, 'greed')],
  ['a letter of an operation', AT, (db) => replaceText(db, 'payload', AT, /"node.create"/, '"node.creave"')],
  ['a node that is not there', 34, (db) => replaceText(db, 'payload', 34, /"node":14/, '"node":94')],
  ['a byte that makes a payload no JSON', AT, (db) => replaceText(db, 'payload', AT, /^\{/, '[')],
  ['a byte that makes a payload no text', AT, (db) => replaceText(db, 'payload', AT, /node/, '\xffode')],
  ['an entry that is gone', AT, (db) => deleteFrom(db, AT)],
  ['two entries in each other’s place', AT, (db) => swapRows(db, AT, AT + 1)],
  ['the newest entry, no JSON any more', LAST, (db) => replaceText(db, 'entry', LAST, /^\{/, '[')],
  ['the newest entry, no text any more', LAST, (db) => replaceText(db, 'entry', LAST, /edge/, '\xffdge')],
]

/** A copy of a store, changed behind the back of its servers. */
export const copyDamaged = async (
  whole: ServerPlan,
  damage: (db: Database) => unknown,
): Promise<ServerPlan> => {
  const plan = await copyStore(whole)
  await tamperWith(plan, damage)
  return plan
}

/** The same, and the next start has to read the whole log. */
export const copyWithoutSnapshots = (
  whole: ServerPlan,
  damage: (db: Database) => void,
): Promise<ServerPlan> =>
  copyDamaged(whole, (db) => {
    damage(db)
    dropSnapshots(db)
  })

export const useServer = async <T>(
  plan: ServerPlan,
  work: (server: BeliefServer) => Promise<T>,
): Promise<T> => {
  const server = new BeliefServer(plan)
  const result = await work(server)
  await server.finish()
  return result
}

export const NODE = { belief: 0.5, energy: 1 }
export const REFUSED = { kind: 'refused', code: 5000, word: 'INVARIANT_VIOLATION' }

/** Reads work up to the first invalid entry, and nothing is written. */
export const expectQuarantine = (plan: ServerPlan, at: number): Promise<void> =>
  useServer(plan, async (server) => {
    const broken = at < ENTRIES
    expect(await server.must('governance.status')).toMatchObject({
      checksum_valid: !broken,
      drift: broken ? 1 : 0,
      drift_ok: !broken,
      quarantined: true,
      healthy: false,
      coherent: false,
      lineage_length: at,
    })
    expect(await server.must('governor.status')).toMatchObject({ drift: broken ? 1 : 0, coherent: false })
    expect(await server.must('node.query', { node_id: '0' })).toMatchObject({ node_id: 0 })
    expect(await server.call('node.create', NODE)).toMatchObject(REFUSED)
    expect(await server.call('node.mutate', { node_id: '0', delta: 0.1 })).toMatchObject(REFUSED)
    expect(await server.must('governance.status')).toMatchObject({ lineage_length: at })
  })

/** The next start finds the quarantine again, and a repair does not end it. */
export const expectLastingQuarantine = async (plan: ServerPlan, at: number): Promise<void> => {
  await expectQuarantine(plan, at)
  const { code, value } = await runWarrant(plan, ['log', 'repair'])
  expect(value).toMatchObject({ outcome: 'beyond repair', chain: { outcome: 'broken', at } })
  expect(code).toBe(1)
}
