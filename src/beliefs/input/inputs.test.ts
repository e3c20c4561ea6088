import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { DEFAULT_CONFIG, Graph } from '../graph/graph.ts'
import { BeliefInput, DeltaInput, EnergyInput, IdInput, WeightInput } from './inputs.ts'

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success
const NEVER = [
  null,
  undefined,
  '1',
  'NaN',
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -Number.POSITIVE_INFINITY,
  {},
]

describe('input', () => {
  it.each([
    ['a belief', BeliefInput, [0, -0, 1, 0.001, 0.999], [-0.5, -0.1, 1.1, 1.5]],
    ['an energy', EnergyInput, [0, 100, 1e-30, 1e10, 1e12], [-1, -100, 1e15, 1e12 + 0.001]],
    ['a weight', WeightInput, [0, -0, 0.5, -0.5, 1e6, -1e6], [1e10, -1e10, 1_000_000.1]],
    ['a delta', DeltaInput, [0, -10, 1e308, -1e308], []],
  ] as const)('is taken as %s within its bounds, and not otherwise', (_, schema, good, bad) => {
    expect(good.filter((value) => !accepts(schema, value))).toEqual([])
    expect([...NEVER, ...bad].filter((value) => accepts(schema, value))).toEqual([])
  })
})

describe('an id', () => {
  it.each([
    ['0', 0],
    ['007', 7],
    ['999999', 999_999],
    ['9007199254740991', 2 ** 53 - 1],
    ['9007199254740992', 2n ** 53n],
    ['18446744073709551615', 2n ** 64n - 1n],
  ])('%s is read', (text, id) => {
    expect(IdInput.parse(text)).toBe(id)
  })

  it.each([
    '',
    'invalid',
    '-1',
    '+5',
    '1.5',
    ' 1',
    '1_0',
    '0x10',
    '1n',
    '1e3',
    '١',
    '1\u200b',
    '../../../etc/passwd',
    '18446744073709551616',
    '0'.repeat(65),
    '9'.repeat(1_000_000),
    5,
    null,
  ])('%j is refused, and not by an exception', (value) => {
    expect(IdInput.safeParse(value).success).toBe(false)
  })

  it('above the safe integers is well-formed, and no node has it', () => {
    const id = IdInput.parse('18446744073709551615')
    expect(() => new Graph(DEFAULT_CONFIG).node(id)).toThrow('Node not found: 18446744073709551615')
  })

  it('has a schema that a client can read', () => {
    expect(z.toJSONSchema(IdInput, { io: 'input' })).toMatchObject({ type: 'string', pattern: '^[0-9]+$' })
  })
})
