import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Amount, CELL, LIMB, toQuanta, UNIT, writeAmount } from './energy.ts'
import { isValidAmount, Ledger, recountBalances, sumBalances } from './ledger.ts'

const limb = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, LIMB - 1)).map((n) => n % LIMB)
const anyAmount: fc.Arbitrary<Amount> = fc.record({ h: limb, m: limb, l: limb })

const cellsOf = (amounts: readonly Amount[]): Float64Array => {
  const cells = new Float64Array(amounts.length * CELL)
  for (const [id, amount] of amounts.entries()) writeAmount(cells, id * CELL, amount)
  return cells
}

describe('the books', () => {
  it('add up exactly, however large the balances', () => {
    fc.assert(
      fc.property(fc.array(anyAmount, { maxLength: 50, size: 'max' }), (amounts) => {
        const cells = cellsOf(amounts)
        const total = amounts.reduce((sum, amount) => sum + toQuanta(amount), 0n)
        expect(sumBalances(cells, Uint32Array.from(amounts.keys()))).toBe(total)
        expect(recountBalances(cells, amounts.length)).toBe(total)
      }),
    )
  })

  it('measure one quantum too many, and one too few', () => {
    const ledger = new Ledger(10n)
    expect(ledger.drift()).toBe(0)
    ledger.issue(1n)
    expect(ledger.drift()).toBe(2 ** -104)
    ledger.dissipate(2n)
    expect(ledger.drift()).toBe(2 ** -104)
    expect(ledger.drift(-1n)).toBe(0)
    expect(ledger.accounts()).toEqual({
      pool: 10n * UNIT,
      reserve: 10n * UNIT - 1n,
      nodes: 0n,
      dissipated: 2n,
    })
  })

  it.each([
    { h: 0.5, m: 0, l: 0 },
    { h: -1, m: 0, l: 0 },
    { h: LIMB, m: 0, l: 0 },
    { h: 0, m: LIMB, l: 0 },
    { h: 0, m: 0, l: Number.NaN },
    { h: 0, m: Number.POSITIVE_INFINITY, l: 0 },
  ])('leave out what cannot be a balance: %j', (amount) => {
    expect(isValidAmount(amount)).toBe(false)
    expect(recountBalances(cellsOf([{ h: 1, m: 2, l: 3 }, amount]), 2)).toBe(toQuanta({ h: 1, m: 2, l: 3 }))
  })
})
