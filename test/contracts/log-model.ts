import fc from 'fast-check'
import { expect } from 'vitest'
import type { LineageLog, LogStore, Row, Snapshot } from '../../src/lineage/store.ts'
import { GENESIS, node } from './log-rows.ts'
import type { LogPlace } from './log-store.ts'

/** Model of a log: an array, and the operations on it. */

interface Model {
  rows: Row[]
  snapshots: Snapshot[]
  quarantine: string | null
}

// Entries may contain every Unicode character.
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }).filter((one) => one.isWellFormed()),
  fc.json({ maxDepth: 2 }),
)
const handle = fc.integer({ min: 0, max: 1 })

const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      handle,
      /** How far the writer is behind. */
      behind: fc.constantFrom(0, 0, 0, 1, -1),
      rows: fc.array(fc.record({ entry: text, payload: fc.option(text) }), { maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('erase' as const), handle, seq: fc.nat(12) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('read' as const), handle, from: fc.nat(12), limit: fc.nat(12) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('snapshot' as const),
      handle,
      size: fc.nat(5),
      bytes: fc.uint8Array({ maxLength: 20 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('quarantine' as const), handle, reason: fc.option(text) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const), handle }) },
)

type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

const append = async (log: LineageLog, model: Model, { behind, rows }: Command & { kind: 'append' }) => {
  const expected = model.rows.length - behind
  if (expected < 0) return
  const added = rows.map((one, place) => ({ seq: expected + place, ...one }))
  const nodes = added.map(({ seq }) => node(0, seq))
  expect(await log.append(expected, added, nodes)).toBe(behind === 0)
  if (behind === 0) model.rows.push(...added)
}

const erase = async (log: LineageLog, model: Model, seq: number) => {
  const there = model.rows[seq]
  if (there !== undefined) {
    await log.erase(seq)
    model.rows[seq] = { ...there, payload: null }
    return
  }
  await expect((async () => await log.erase(seq))()).rejects.toMatchObject({ kind: 'missing' })
}

const apply = async (log: LineageLog, model: Model, one: Command): Promise<void> => {
  if (one.kind === 'append') await append(log, model, one)
  if (one.kind === 'erase') await erase(log, model, one.seq)
  if (one.kind === 'read') {
    expect(await log.read(one.from, one.limit)).toEqual(model.rows.slice(one.from, one.from + one.limit))
  }
  if (one.kind === 'snapshot') {
    await log.saveSnapshot({ size: one.size, bytes: one.bytes })
    const others = model.snapshots.filter(({ size }) => size !== one.size)
    model.snapshots = [...others, one].sort((a, b) => b.size - a.size).slice(0, 2)
  }
  if (one.kind === 'quarantine') {
    await log.setQuarantine(one.reason)
    model.quarantine = one.reason
  }
}

const compare = async (log: LineageLog, model: Model): Promise<void> => {
  expect(await log.head()).toEqual({ size: model.rows.length, entry: model.rows.at(-1)?.entry ?? null })
  expect(await log.read(0, 1_000)).toEqual(model.rows)
  const nodes = model.rows.map(({ seq }) => node(0, seq))
  expect(await log.nodes(nodes)).toEqual(nodes.map(({ hash }) => hash))
  const shown = ({ size, bytes }: Snapshot) => [size, [...bytes]]
  expect((await log.snapshots()).map(shown)).toEqual(model.snapshots.map(shown))
  expect(await log.quarantine()).toBe(model.quarantine)
}

const run = async (place: LogPlace, name: string, commands: readonly Command[]): Promise<void> => {
  const stores: LogStore[] = [place.open(), place.open()]
  const model: Model = { rows: [], snapshots: [], quarantine: null }
  try {
    const logs = await Promise.all(stores.map((store) => store.open(name, GENESIS)))
    for (const one of commands) {
      if (one.kind === 'reopen') {
        await stores[one.handle]?.close()
        const store = place.open()
        stores[one.handle] = store
        logs[one.handle] = await store.open(name, GENESIS)
      } else {
        await apply(logs[one.handle] as LineageLog, model, one)
      }
    }
    for (const log of logs) await compare(log, model)
  } finally {
    for (const store of stores) await store.close()
  }
}

export const checkModel = { commands: fc.array(command, { maxLength: 25 }), run }
