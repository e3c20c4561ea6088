import fc from 'fast-check'
import { expect, test } from 'vitest'
import { caseCount } from '../../../test/support/case-count.ts'
import { writeCompactAndPretty } from './pretty-json.ts'

const asBefore = (value: unknown) => ({
  json: JSON.stringify(value),
  quoted: JSON.stringify(JSON.stringify(value, null, 2)),
})

test('both texts are what JSON.stringify writes, for records as answers have them', () => {
  const member = fc.oneof(fc.double(), fc.integer(), fc.boolean(), fc.string(), fc.string({ unit: 'binary' }))
  const name = fc.oneof(fc.constantFrom('node_id', 'belief', 'a b'), fc.string())
  fc.assert(
    fc.property(fc.dictionary(name, member), (record) => {
      expect(writeCompactAndPretty(record)).toEqual(asBefore(record))
    }),
    { numRuns: caseCount(400, 2_000) },
  )
})

test('and for whatever else JSON has', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(writeCompactAndPretty(value)).toEqual(asBefore(value))
    }),
    { numRuns: caseCount(300, 1_000) },
  )
})

test.each([
  { a: -0 },
  { a: 1e21, b: 5e-324 },
  { a: Number.NaN },
  { a: undefined, b: 1 },
  {},
  { 'é"': 1 },
  { a: '\u2028\ud800"\\\n' },
  { toJSON: () => 7 },
  new Date(0),
])('the odd one %#', (value) => {
  expect(writeCompactAndPretty(value)).toEqual(asBefore(value))
})
