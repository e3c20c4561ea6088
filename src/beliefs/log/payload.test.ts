import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import type { Operation } from '../graph/operation.ts'
import { writePayload } from './replica.ts'

const numbers = fc.double({ noNaN: true, noDefaultInfinity: true })
const node = fc.record({ at: numbers, belief: numbers, energy: numbers, id: fc.nat(), stability: numbers })
const args = fc.record(
  { belief: numbers, energy: numbers, claim: fc.string({ unit: 'grapheme' }), evidence: fc.string() },
  { requiredKeys: ['belief', 'energy'] },
)

it('writes a record as canonical JSON, to the byte', () => {
  fc.assert(
    fc.property(args, fc.oneof(node, fc.dictionary(fc.string(), numbers)), (given, result) => {
      const operation: Operation = { op: 'node.create', args: given }
      const [delta, salt] = ['d'.repeat(64), '0'.repeat(32)]
      const written = writePayload(operation, { result, delta, undo: () => {} }, salt)
      expect(written).toBe(canonicalJson({ ...operation, delta, result, salt }))
    }),
  )
})

it('refuses numbers that have no canonical form', () => {
  const make = (belief: number, energy: number, at: number) =>
    writePayload(
      { op: 'node.create', args: { belief, energy } },
      { result: { at, belief: 0, energy: 0, id: 0, stability: 1 }, delta: '', undo: () => {} },
      '',
    )
  expect(() => make(Number.NaN, 1, 1)).toThrow('NaN')
  expect(() => make(1, Number.POSITIVE_INFINITY, 1)).toThrow('Infinity')
  expect(() => make(1, 1, Number.NaN)).toThrow('NaN')
})
