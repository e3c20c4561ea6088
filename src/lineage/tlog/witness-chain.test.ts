import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainConsistencyProof, plainLeaf, plainTreeRoot } from '../../../test/support/plain-tree.ts'
import { makePem } from '../../../test/support/private-key.ts'
import { createSigner, writeCheckpoint } from '../checkpoint.ts'
import { checkWitnessChain, unseenLog } from './witness-chain.ts'

const ORIGIN = 'warrant/gate-decisions/0123456789abcdef'
const makeSigner = (name = ORIGIN) => createSigner(name, makePem())
const signer = makeSigner()
const keys = [signer.verifier]

const MOST = 40
/** Two logs that share their first 10 entries. */
const honest = Array.from({ length: MOST }, (_, at) => plainLeaf(`entry ${at}`))
const forked = honest.map((leaf, at) => (at < 10 ? leaf : plainLeaf(`other ${at}`)))

/** Computes a value once for each key. */
const remember = <T>() => {
  const known = new Map<string, T>()
  return (key: string, make: () => T): T => {
    const value = known.get(key) ?? make()
    known.set(key, value)
    return value
  }
}
const roots = remember<string>()
const proofs = remember<readonly string[]>()
const notes = remember<string>()
const nameOf = (leaves: readonly Buffer[]) => (leaves === honest ? 'honest' : 'forked')

const rootOf = (leaves: readonly Buffer[], size: number) =>
  roots(`${nameOf(leaves)} ${size}`, () => plainTreeRoot(leaves.slice(0, size)).toString('hex'))
const seenAt = (leaves: readonly Buffer[], size: number) => ({
  origin: ORIGIN,
  size,
  root: rootOf(leaves, size),
})
const request = (leaves: readonly Buffer[], old: number, size: number, by = signer) => ({
  origin: ORIGIN,
  old,
  proof: proofs(`${nameOf(leaves)} ${old} ${size}`, () =>
    plainConsistencyProof(old, leaves.slice(0, size)).map((hash) => hash.toString('base64')),
  ),
  checkpoint: notes(`${by.verifier} ${size} ${rootOf(leaves, size)}`, () =>
    writeCheckpoint(by, size, rootOf(leaves, size)),
  ),
})

describe('a chain of checkpoints', () => {
  it('leads from the one that was seen to the newest', () => {
    const requests = [request(honest, 9, 17), request(honest, 3, 9), request(honest, 17, 30)]
    for (const size of [3, 9, 17, 30])
      expect(checkWitnessChain(seenAt(honest, size), requests, keys)).toMatchObject({
        outcome: 'consistent',
        newest: { size: 30, root: rootOf(honest, 30), note: expect.any(String) },
        ignored: 0,
      })
    // A witness without an earlier checkpoint accepts every chain that is consistent in itself.
    expect(checkWitnessChain(unseenLog(ORIGIN), requests, keys)).toMatchObject({ newest: { size: 30 } })
    expect(checkWitnessChain(unseenLog(ORIGIN), [], keys)).toMatchObject({ newest: { size: 0 } })
  })

  it('stays at the one that was seen while nothing new is there', () => {
    const cosigned = { ...seenAt(honest, 9), note: 'cosigned' }
    expect(checkWitnessChain(cosigned, [request(honest, 3, 9)], keys)).toEqual({
      outcome: 'consistent',
      newest: cosigned,
      ignored: 0,
    })
  })

  it('that went back is told from one that is gone', () => {
    const older = seenAt(honest, 9)
    expect(checkWitnessChain(older, [request(honest, 0, 5)], keys)).toMatchObject({
      outcome: 'rollback',
      older,
      newer: { size: 5, root: rootOf(honest, 5) },
    })
    expect(checkWitnessChain(older, [], keys)).toEqual({ outcome: 'truncated', older, ignored: 0 })
  })

  it('that has two roots at one size is a fork, with both', () => {
    const older = seenAt(honest, 12)
    expect(checkWitnessChain(older, [request(forked, 5, 12)], keys)).toMatchObject({
      outcome: 'forked',
      older,
      newer: { size: 12, root: rootOf(forked, 12) },
    })
  })

  it('that continues another history is a fork, with both', () => {
    for (const size of [11, 12, 16])
      expect(checkWitnessChain(seenAt(honest, size), [request(forked, size, 20)], keys)).toMatchObject({
        outcome: 'forked',
        older: { size, root: rootOf(honest, size) },
        newer: { size: 20, root: rootOf(forked, 20) },
      })
  })

  it('has a gap while no consistency proof connects two checkpoints, and none once a proof is added', () => {
    const requests = [request(honest, 0, 9), request(honest, 0, 20)]
    expect(checkWitnessChain(seenAt(honest, 9), requests, keys)).toMatchObject({
      outcome: 'gap',
      older: { size: 9 },
      newer: { size: 20 },
    })
    // Also for a reader that saw nothing: the two could belong to different logs.
    expect(checkWitnessChain(unseenLog(ORIGIN), requests, keys)).toMatchObject({ outcome: 'gap' })
    const proved = [...requests, request(honest, 9, 20)]
    expect(checkWitnessChain(seenAt(honest, 9), proved, keys)).toMatchObject({ outcome: 'consistent' })
  })

  it('ignores what no given key signed, other logs, and proofs that are longer than the tree', () => {
    const good = request(honest, 3, 9)
    const stranger = request(forked, 3, 30, makeSigner())
    const foreign = { ...request(forked, 3, 30, makeSigner('another')), origin: ORIGIN }
    const renamed = { ...request(forked, 3, 30), origin: 'another' }
    const backwards = { ...request(forked, 3, 12), old: 13 }
    expect(
      checkWitnessChain(seenAt(honest, 3), [stranger, foreign, renamed, backwards, good], keys),
    ).toMatchObject({ outcome: 'consistent', newest: { size: 9 }, ignored: 4 })
  })

  it('is not cut by a false proof beside a right one', () => {
    const good = request(honest, 3, 9)
    const requests = [{ ...good, proof: [] }, { ...good, proof: good.proof.toReversed() }, good]
    expect(checkWitnessChain(seenAt(honest, 3), requests, keys)).toMatchObject({ outcome: 'consistent' })
  })

  const size = fc.integer({ min: 1, max: MOST })
  /** A chain that grows step by step. */
  const chain = fc
    .uniqueArray(size, { minLength: 1, maxLength: 6 })
    .map((sizes) => sizes.sort((a, b) => a - b))

  it('that an honest log wrote is accepted in every order', () => {
    fc.assert(
      fc.property(chain, fc.infiniteStream(fc.nat()), (sizes, order) => {
        const written = sizes.map((newer, at) => request(honest, sizes[at - 1] ?? 0, newer))
        const shuffled = written
          .map((one) => [order.next().value as number, one] as const)
          .sort(([a], [b]) => a - b)
          .map(([, one]) => one)
        expect(checkWitnessChain(seenAt(honest, sizes[0] ?? 0), shuffled, keys)).toMatchObject({
          outcome: 'consistent',
          newest: { size: sizes.at(-1) },
        })
      }),
      { numRuns: 60 },
    )
  })

  it('is accepted only with a newest checkpoint that extends the seen one and every signed one', () => {
    const damage = fc.constantFrom('none', 'drop', 'swap', 'cut', 'flip', 'old')
    const steps = (leaves: readonly Buffer[], sizes: readonly number[]) =>
      sizes.map((newer, at) => request(leaves, sizes[at - 1] ?? 0, newer))
    const other = fc.option(
      fc.tuple(fc.nat(MOST), size).map(([a, b]) => request(forked, Math.min(a, b), Math.max(a, b))),
      { nil: undefined },
    )
    let accepted = 0
    let refused = 0
    fc.assert(
      fc.property(size, chain, other, damage, fc.nat(), (at, sizes, fork, how, which) => {
        const good = steps(honest, sizes.includes(at) ? sizes : [...sizes, at].sort((a, b) => a - b))
        if (how === 'drop') good.splice(which % good.length, 1)
        const bad = fork === undefined ? [] : [fork]
        const requests = [...good, ...bad].map((one, index, all) => {
          if (index !== which % all.length) return one
          const [first = '', ...rest] = one.proof
          const bytes = Buffer.from(first, 'base64')
          bytes[0] = (bytes[0] ?? 0) ^ 1
          if (how === 'swap') return { ...one, proof: one.proof.toReversed() }
          if (how === 'cut') return { ...one, proof: one.proof.slice(0, -1) }
          if (how === 'flip' && first !== '') return { ...one, proof: [bytes.toString('base64'), ...rest] }
          if (how === 'old') return { ...one, old: Math.max(0, one.old - 1) }
          return one
        })
        const verdict = checkWitnessChain(seenAt(honest, at), requests, keys)
        expect(checkWitnessChain(seenAt(honest, at), requests.toReversed(), keys)).toEqual(verdict)
        if (verdict.outcome !== 'consistent') {
          refused += 1
          expect(verdict.older.root).not.toBe(verdict.newer?.root)
          return
        }
        accepted += 1
        const { newest } = verdict
        expect(newest.size).toBeGreaterThanOrEqual(at)
        const isPrefix = (leaves: readonly Buffer[], count: number) =>
          rootOf(leaves, count) === rootOf(newestLeaves, count)
        const newestLeaves = newest.root === rootOf(honest, newest.size) ? honest : forked
        expect(newest.root).toBe(rootOf(newestLeaves, newest.size))
        expect(isPrefix(honest, at)).toBe(true)
        for (const { checkpoint } of good)
          expect(isPrefix(honest, Number(checkpoint.split('\n')[1]))).toBe(true)
        for (const { checkpoint } of bad)
          expect(isPrefix(forked, Number(checkpoint.split('\n')[1]))).toBe(true)
      }),
      { numRuns: 300 },
    )
    expect(accepted).toBeGreaterThan(5)
    expect(refused).toBeGreaterThan(50)
  })
})
