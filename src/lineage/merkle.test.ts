import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseCount } from '../../test/support/case-count.ts'
import { Frontier, leafHash } from './merkle.ts'
import { proveConsistency, proveInclusion, rootAt } from './proof.ts'
import type { LogReader } from './store.ts'
import { checkConsistency, checkInclusion } from './verify.ts'

/** A log of which only the tree matters. */
const makeTree = (entries: readonly (string | Buffer)[]): LogReader => {
  const hashes = new Map<string, string>()
  const frontier = new Frontier(0, [])
  for (const entry of entries) {
    for (const { level, index, hash } of frontier.append(leafHash(entry as string))) {
      hashes.set(`${level}/${index}`, hash)
    }
  }
  return {
    genesis: '{}',
    head: () => ({ size: entries.length, entry: null }),
    read: (from, limit) =>
      entries
        .slice(from, from + limit)
        .map((entry, at) => ({ seq: from + at, entry: entry as string, payload: null })),
    nodes: (wanted) =>
      wanted.map(({ level, index }) => {
        const hash = hashes.get(`${level}/${index}`)
        if (hash === undefined) throw new Error(`no node ${level}/${index}`)
        return hash
      }),
    snapshots: () => [],
    quarantine: () => null,
  }
}

/** The definition of RFC 9162, written as it stands there. */
const plainRoot = (entries: readonly string[]): Buffer => {
  const sha = (...parts: (string | Buffer)[]) => {
    const state = createHash('sha256')
    for (const part of parts) state.update(part)
    return state.digest()
  }
  if (entries.length === 0) return sha()
  if (entries.length === 1) return sha(Buffer.of(0), entries[0] as string)
  let k = 1
  while (k * 2 < entries.length) k *= 2
  return sha(Buffer.of(1), plainRoot(entries.slice(0, k)), plainRoot(entries.slice(k)))
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `entry ${at}`)

describe('the tree', () => {
  it('has the published roots of the certificate transparency example', async () => {
    const leaves = [
      '',
      '00',
      '10',
      '2021',
      '3031',
      '40414243',
      '5051525354555657',
      '606162636465666768696a6b6c6d6e6f',
    ]
    const log = makeTree(leaves.map((hex) => Buffer.from(hex, 'hex')))
    expect((await rootAt(log, 1)).root).toBe(
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    )
    expect((await rootAt(log, 8)).root).toBe(
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    )
  })

  it('has the root the definition gives, at every size', async () => {
    const entries = names(70)
    const log = makeTree(entries)
    for (let size = 0; size <= entries.length; size += 1) {
      expect((await rootAt(log, size)).root).toBe(plainRoot(entries.slice(0, size)).toString('hex'))
    }
  })

  it('keeps its edge: a frontier restored at any size goes on as if it had never stopped', async () => {
    const entries = names(40)
    const whole = new Frontier(0, [])
    const log = makeTree(entries)
    for (const [size, entry] of entries.entries()) {
      const peaks = []
      for (let left = size, at = 0; left > 0; ) {
        const power = 2 ** Math.floor(Math.log2(left))
        peaks.push(...(await log.nodes([{ level: Math.log2(power), index: at / power }])))
        at += power
        left -= power
      }
      const restored = new Frontier(size, peaks)
      expect(restored.root).toBe(whole.root)
      expect(restored.append(leafHash(entry))).toEqual(whole.append(leafHash(entry)))
    }
  })
})

describe('proofs', () => {
  const log = makeTree(names(70))

  it('of inclusion hold for every entry in every tree, and for no other', async () => {
    for (let size = 1; size <= 70; size += 1) {
      for (let index = 0; index < size; index += 1) {
        const proof = await proveInclusion(log, index, size)
        expect(checkInclusion(proof)).toBe(true)
        expect(checkInclusion({ ...proof, index: (index + 1) % 71 })).toBe(false)
        expect(checkInclusion({ ...proof, leaf: proof.root })).toBe(size === 1)
      }
    }
  })

  it('of consistency hold between all sizes, and for no other root', async () => {
    for (let newer = 0; newer <= 70; newer += 1) {
      for (let older = 0; older <= newer; older += 1) {
        const proof = await proveConsistency(log, older, newer)
        expect(checkConsistency(proof)).toBe(true)
        const other = plainRoot(['other', ...names(older).slice(1)]).toString('hex')
        if (older > 0) expect(checkConsistency({ ...proof, olderRoot: other })).toBe(false)
      }
    }
  })

  it('do not hold when anything in them is changed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 70 }),
        fc.nat(),
        fc.nat(),
        fc.nat(255),
        async (size, a, b, bit) => {
          const inclusion = await proveInclusion(log, a % size, size)
          const consistency = await proveConsistency(log, 1 + (a % (size - 1)), size)
          const flip = (hex: string) => {
            const raw = Buffer.from(hex, 'hex')
            raw[bit >> 3] = (raw[bit >> 3] ?? 0) ^ (1 << (bit & 7))
            return raw.toString('hex')
          }
          const change = (path: readonly string[]) =>
            path.map((step, at) => (at === b % path.length ? flip(step) : step))
          expect(checkInclusion({ ...inclusion, path: change(inclusion.path) })).toBe(false)
          expect(checkInclusion({ ...inclusion, root: flip(inclusion.root) })).toBe(false)
          expect(checkInclusion({ ...inclusion, path: inclusion.path.slice(1) })).toBe(false)
          expect(checkInclusion({ ...inclusion, path: [...inclusion.path, inclusion.root] })).toBe(false)
          expect(checkConsistency({ ...consistency, path: change(consistency.path) })).toBe(false)
          expect(checkConsistency({ ...consistency, newerRoot: flip(consistency.newerRoot) })).toBe(false)
          expect(checkConsistency({ ...consistency, path: consistency.path.slice(1) })).toBe(false)
        },
      ),
      { numRuns: caseCount(80, 300) },
    )
  })

  it('are refused for entries and sizes the log has not reached', async () => {
    await expect(proveInclusion(log, 70)).rejects.toMatchObject({ code: 'proof.range' })
    await expect(proveInclusion(log, 3, 2)).rejects.toMatchObject({ code: 'proof.range' })
    await expect(proveConsistency(log, 3, 71)).rejects.toMatchObject({ code: 'proof.range' })
    await expect(proveConsistency(log, 4, 3)).rejects.toMatchObject({ code: 'proof.range' })
  })
})
