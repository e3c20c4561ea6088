import { readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Row } from '../../src/lineage/store.ts'
import { type PublicEntry, verifyChain } from '../../src/lineage/verify.ts'
import { sqliteLogs } from '../../src/platform/log-stores/sqlite/log.ts'
import {
  BeliefServer,
  endServers,
  runVerifier,
  runWarrant,
  type ServerPlan,
} from '../history/belief-server.ts'
import { copyStore, ENTRIES, makeStore } from '../history/tamper.ts'
import { sweep } from '../support/binary.ts'
import { caseCount } from '../support/case-count.ts'

let whole: ServerPlan
let genesis: string
let rows: readonly Row[]
let parsed: readonly unknown[]
beforeAll(async () => {
  whole = await makeStore()
  const store = sqliteLogs(whole.store)
  const log = await store.find('default')
  rows = (await log?.read(0, 1_000)) ?? []
  parsed = rows.map(({ entry }) => parse(Buffer.from(entry)))
  genesis = log?.genesis ?? ''
  await store.close()
})
afterAll(async () => {
  await endServers()
  await sweep()
})

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The parsed value; undefined when the bytes are not UTF-8 or not JSON. */
const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}

/** The verdict on the first `size` entries of the log with one text replaced. */
const verifyWith = (seq: number, part: 'entry' | 'payload', bytes: Uint8Array, size = ENTRIES) => {
  const log = parsed.slice(0, size)
  const entries = part === 'entry' ? log.with(seq, parse(bytes)) : log
  const payload = Buffer.from(bytes).toString('utf8')
  const payloadOf = (at: number) => (at === seq && part === 'payload' ? payload : rows[at]?.payload)
  return verifyChain(genesis, entries, payloadOf)
}

const textOf = (seq: number, part: 'entry' | 'payload'): Buffer => Buffer.from(rows[seq]?.[part] ?? '')

const flip = (bytes: Buffer, bit: number): Buffer => {
  const copy = Buffer.from(bytes)
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return copy
}

/** A log of a few entries, which is verified thousands of times. */
const SHORT = 6

describe('the verifier', () => {
  it('finds the log whole as it is', async () => {
    expect(rows).toHaveLength(ENTRIES)
    expect(await verifyWith(0, 'entry', textOf(0, 'entry'))).toMatchObject({
      outcome: 'intact',
      size: ENTRIES,
    })
  })

  it('finds every flipped bit of the last two records, and says where', async () => {
    let cases = 0
    for (const seq of [SHORT - 2, SHORT - 1]) {
      for (const part of ['entry', 'payload'] as const) {
        const bytes = textOf(seq, part)
        for (let bit = 0; bit < bytes.length * 8; bit += 1) {
          const verdict = await verifyWith(seq, part, flip(bytes, bit), SHORT)
          if (verdict.outcome !== 'broken' || verdict.at !== seq)
            expect({ seq, part, bit, verdict }).toBe(null)
          cases += 1
        }
      }
    }
    expect(cases).toBeGreaterThan(7_000)
  })

  it('finds the last two records cut off at any byte', async () => {
    for (const seq of [SHORT - 2, SHORT - 1]) {
      for (const part of ['entry', 'payload'] as const) {
        const bytes = textOf(seq, part)
        for (let length = 0; length < bytes.length; length += 1) {
          const verdict = await verifyWith(seq, part, bytes.subarray(0, length), SHORT)
          if (verdict.outcome !== 'broken' || verdict.at !== seq) expect({ seq, part, length }).toBe(null)
        }
      }
    }
  })

  it('finds bits that were flipped anywhere', async () => {
    const anywhere = fc.record({
      seq: fc.nat(ENTRIES - 1),
      part: fc.constantFrom('entry' as const, 'payload' as const),
      bits: fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(anywhere, async ({ seq, part, bits }) => {
        const bytes = textOf(seq, part)
        const changed = bits.reduce((now, bit) => flip(now, bit % (bytes.length * 8)), bytes)
        fc.pre(!changed.equals(bytes))
        expect(await verifyWith(seq, part, changed)).toMatchObject({ outcome: 'broken', at: seq })
      }),
      { numRuns: caseCount(600, 3_000) },
    )
  })

  /** Other values that look alike to a careless comparison. */
  const disguises: readonly ((value: unknown) => unknown)[] = [
    (value) => [value],
    (value) => [[value]],
    (value) => String(value),
    (value) => Number(value),
    (value) => `${value}\n`,
    (value) => ` ${value}`,
    (value) => String(value).toUpperCase(),
    (value) => ({ value }),
    () => null,
    () => true,
    () => 0,
    () => '',
    () => [],
  ]

  it('finds every member that has another value or another type', async () => {
    const members = Object.keys(JSON.parse(rows[0]?.entry ?? '{}'))
    for (const seq of [0, 7, ENTRIES - 1]) {
      for (const member of members) {
        for (const [place, disguise] of disguises.entries()) {
          const entries = rows.map(({ entry }) => JSON.parse(entry))
          const before = entries[seq][member]
          entries[seq][member] = disguise(before)
          if (Object.is(entries[seq][member], before)) continue
          const verdict = await verifyChain(genesis, entries)
          expect(verdict, `${member} of ${seq} in disguise ${place}`).toMatchObject({
            outcome: 'broken',
            at: seq,
          })
        }
      }
    }
  })

  it('finds entries added, left out, repeated and moved; only the end may be missing', async () => {
    const order = fc.array(fc.nat(ENTRIES - 1), { maxLength: ENTRIES + 3 })
    const nearly = fc.record({
      at: fc.nat(ENTRIES),
      drop: fc.nat(3),
      add: fc.array(fc.nat(ENTRIES - 1), { maxLength: 3 }),
    })
    const spliced = nearly.map(({ at, drop, add }) => [...rows.keys()].toSpliced(at, drop, ...add))
    await fc.assert(
      fc.asyncProperty(fc.oneof(order, spliced), async (places) => {
        const entries = places.map((place) => JSON.parse(rows[place]?.entry ?? ''))
        const { outcome } = await verifyChain(genesis, entries)
        expect(outcome === 'intact').toBe(places.every((place, at) => place === at))
      }),
      { numRuns: caseCount(300, 1_000) },
    )
  })

  it('does not take another genesis for the right one', async () => {
    const entries = rows.map(({ entry }) => JSON.parse(entry) as PublicEntry)
    await fc.assert(
      fc.asyncProperty(fc.nat(genesis.length * 8 - 1), async (bit) => {
        const other = flip(Buffer.from(genesis), bit).toString('latin1')
        expect(await verifyChain(other, entries)).toMatchObject({ outcome: 'broken', at: 0 })
      }),
      { numRuns: 500 },
    )
  })
})

describe('an exported bundle', () => {
  it('is refused by the verifier that stands alone when one byte of it is changed', async () => {
    const plan = await copyStore(whole)
    const file = join(plan.folder, 'bundle.json')
    expect(await runWarrant(plan, ['log', 'export', file, '--bundle'])).toMatchObject({ code: 0 })
    const good = await runVerifier(plan.folder, [file])
    expect(good).toMatchObject({ code: 0, value: { matches: true, chain: { size: ENTRIES } } })
    const text = await readFile(file, 'utf8')
    const changes: readonly [RegExp, string][] = [
      [/("checksum": ")./, '$1x'],
      [/("payload_hash": ")[0-7]/, '$18'],
      [/("operation": ")n/, '$1m'],
      [/("timestamp": "20)2/, '$13'],
      [/("seq": )7,/, '$18,'],
      [/("tick": )0/, '$11'],
      [/(\\"sigma\\":0\.)1/, '$12'],
      [/("checkpoint": "warrant\/default\\n)4/, '$15'],
    ]
    for (const [from, to] of changes) {
      const changed = text.replace(from, to)
      expect(changed, String(from)).not.toBe(text)
      await writeFile(file, changed)
      const { code, value } = await runVerifier(plan.folder, [file])
      expect(code, `${from} ${JSON.stringify(value)}`).toBe(1)
    }
    const { checkpoint } = JSON.parse(text)
    const cut = { ...JSON.parse(text), entries: JSON.parse(text).entries.slice(0, -1), checkpoint }
    await writeFile(file, JSON.stringify(cut))
    expect(await runVerifier(plan.folder, [file])).toMatchObject({ code: 1, value: { matches: false } })
  })
})

describe('a journal that was torn when its server was killed', () => {
  it('costs at most what came last, and needs no repair', async () => {
    const plan = await copyStore(whole)
    const server = new BeliefServer(plan)
    for (let n = 0; n < 20; n += 1) await server.must('node.create', { belief: 0.5, energy: 1 })
    await server.kill()
    const journal = `${plan.store}-wal`
    const { size } = await stat(journal)
    const sizes: number[] = []
    for (const share of [0, 0.31, 0.62, 0.93, 1]) {
      const copy = await copyStore(plan)
      await truncate(`${copy.store}-wal`, Math.floor(size * share))
      const next = new BeliefServer(copy)
      const status = await next.must('governance.status')
      expect(status).toMatchObject({ quarantined: false, healthy: true })
      sizes.push(Number(status.lineage_length))
      await next.must('node.create', { belief: 0.5, energy: 1 })
      await next.kill()
      expect(await runWarrant(copy, ['log', 'verify'])).toMatchObject({ code: 0 })
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
    expect([sizes[0], sizes.at(-1)]).toEqual([ENTRIES, ENTRIES + 20])
  })
})
