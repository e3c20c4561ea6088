import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { least, quantaOf } from '../../../test/support/belief-oracle/model.ts'
import {
  addAmounts,
  compareAmounts,
  LIMB,
  moveEnergy,
  readAmount,
  showAmount,
  splitEnergy,
  subtractAmounts,
  toQuanta,
  writeAmount,
} from './energy.ts'

const anyEnergy = fc.oneof(
  fc.double({ min: 0, max: 1e12, noNaN: true }),
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.double({ min: 0, max: 2 ** -90, noNaN: true }),
  fc.constantFrom(0, 0.1, 99.895, 1e-12, 1e12, 2 ** -52, 2 ** -104, 2 ** -105, Number.MIN_VALUE),
)
const limb = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 1, LIMB - 1, LIMB - 2)).map((n) => n % LIMB)
const anyAmount = fc.record({ h: fc.nat(), m: limb, l: limb })
const runs = { numRuns: 2_000 }

describe('an amount of energy', () => {
  it('is the floor of the double in quanta', () => {
    fc.assert(
      fc.property(anyEnergy, (energy) => {
        expect(toQuanta(splitEnergy(energy))).toBe(quantaOf(energy))
      }),
      runs,
    )
  })

  it('gives back every double from 2^-52 on, bit for bit', () => {
    fc.assert(
      fc.property(fc.double({ min: 2 ** -52, max: 1e12, noNaN: true }), (energy) => {
        expect(showAmount(splitEnergy(energy))).toBe(energy)
      }),
      runs,
    )
    expect(showAmount(splitEnergy(0))).toBe(0)
  })

  it('adds, subtracts and compares as integers do', () => {
    fc.assert(
      fc.property(anyAmount, anyAmount, (a, b) => {
        const sum = addAmounts(a, b)
        expect(toQuanta(sum)).toBe(toQuanta(a) + toQuanta(b))
        expect(subtractAmounts(sum, b)).toEqual(a)
        expect(Math.sign(compareAmounts(a, b))).toBe(Math.sign(Number(toQuanta(a) - toQuanta(b))))
        for (const part of [sum.m, sum.l]) expect(part >= 0 && part < LIMB).toBe(true)
      }),
      runs,
    )
  })

  it('never leaves a negative zero behind', () => {
    const nothing = subtractAmounts(splitEnergy(1.5), splitEnergy(1.5))
    expect([nothing.h, nothing.m, nothing.l].map((part) => Object.is(part, 0))).toEqual([true, true, true])
  })
})

describe('moving energy between cells', () => {
  it('takes what was asked or all there is, and gives exactly that', () => {
    fc.assert(
      fc.property(anyAmount, anyAmount, anyEnergy, (from, to, asked) => {
        const cells = new Float64Array(8)
        writeAmount(cells, 0, from)
        writeAmount(cells, 4, to)
        moveEnergy(cells, 0, 4, asked)
        const held = toQuanta(from)
        const paid = least(quantaOf(asked), held)
        expect(toQuanta(readAmount(cells, 0))).toBe(held - paid)
        expect(toQuanta(readAmount(cells, 4))).toBe(toQuanta(to) + paid)
      }),
      runs,
    )
  })

  it('stops one quantum short of going below nothing', () => {
    const asked = splitEnergy(0.3)
    for (const held of [asked, { ...asked, l: asked.l + 1 }, { ...asked, m: asked.m - 1 }]) {
      const cells = new Float64Array(8)
      writeAmount(cells, 0, held)
      moveEnergy(cells, 0, 4, 0.3)
      expect(toQuanta(readAmount(cells, 4))).toBe(least(toQuanta(asked), toQuanta(held)))
      expect(toQuanta(readAmount(cells, 0)) + toQuanta(readAmount(cells, 4))).toBe(toQuanta(held))
    }
  })

  it('changes nothing when payer and payee are the same', () => {
    fc.assert(
      fc.property(anyAmount, anyEnergy, (held, asked) => {
        const cells = new Float64Array(4)
        writeAmount(cells, 0, held)
        moveEnergy(cells, 0, 0, asked)
        expect(readAmount(cells, 0)).toEqual(held)
      }),
    )
  })
})
