/**
 * Fixed-point energy. One quantum is 2⁻¹⁰⁴ of a unit, and an amount is a whole number of quanta in three limbs:
 * `h` units, `m` of 2⁻⁵², `l` of 2⁻¹⁰⁴. Every step stays on integers below 2⁵³, where doubles are exact, so the result
 * is the same to the bit on every engine.
 */
export interface Amount {
  readonly h: number
  readonly m: number
  readonly l: number
}

const ZERO_AMOUNT: Amount = { h: 0, m: 0, l: 0 }

/** Upper bound of every limb: `h` starts at 1e12 or less and gains less than 1 a tick. */
export const LIMB = 2 ** 52
const UNLIMB = 2 ** -52
/** Quanta per unit. */
export const UNIT = 2n ** 104n

/** Exact for 0 and for every double from 2⁻⁵² on; fractions of a quantum are truncated. */
export const splitEnergy = (energy: number): Amount => {
  const h = Math.floor(energy)
  const rest = (energy - h) * LIMB
  const m = Math.floor(rest)
  return { h, m, l: Math.floor((rest - m) * LIMB) }
}

// Carries are computed without branches: they are hard to predict, and a mispredicted branch costs more than the two
// multiplications.
export const addAmounts = (a: Amount, b: Amount): Amount => {
  const low = a.l + b.l
  const carry = Math.floor(low * UNLIMB)
  const middle = a.m + b.m + carry
  const over = Math.floor(middle * UNLIMB)
  return { h: a.h + b.h + over, m: middle - over * LIMB, l: low - carry * LIMB }
}

/** Requires `b <= a`. */
export const subtractAmounts = (a: Amount, b: Amount): Amount => {
  const low = a.l - b.l
  const borrow = Math.floor(low * UNLIMB)
  const middle = a.m - b.m + borrow
  const over = Math.floor(middle * UNLIMB)
  return { h: a.h - b.h + over, m: middle - over * LIMB, l: low - borrow * LIMB }
}

export const compareAmounts = (a: Amount, b: Amount): number => a.h - b.h || a.m - b.m || a.l - b.l

/** The amount as a double: the exact inverse of `splitEnergy`. */
export const showAmount = ({ h, m, l }: Amount): number => h + (m * UNLIMB + l * UNLIMB * UNLIMB)

export const toQuanta = ({ h, m, l }: Amount): bigint => {
  const units = BigInt(h) << 104n
  // Most amounts are whole numbers, and every bigint operation allocates.
  return m === 0 && l === 0 ? units : units + (BigInt(m) << 52n) + BigInt(l)
}

/** Nearest double. */
export const toUnits = (quanta: bigint): number => Number(quanta) / Number(UNIT)

/** Doubles per node in the cell array: the belief, then the three limbs. */
export const CELL = 4

export const readAmount = (cells: Float64Array, cell: number): Amount => ({
  h: cells[cell + 1] ?? 0,
  m: cells[cell + 2] ?? 0,
  l: cells[cell + 3] ?? 0,
})

export const writeAmount = (cells: Float64Array, cell: number, amount: Amount): void => {
  cells[cell + 1] = amount.h
  cells[cell + 2] = amount.m
  cells[cell + 3] = amount.l
}

const drainCell = (cells: Float64Array, from: number, to: number): void => {
  const all = readAmount(cells, from)
  writeAmount(cells, from, ZERO_AMOUNT)
  writeAmount(cells, to, addAmounts(readAmount(cells, to), all))
}

/** Moves up to `energy` between two cells; the source never goes below zero. */
export const moveEnergy = (cells: Float64Array, from: number, to: number, energy: number): void => {
  const held = readAmount(cells, from)
  const asked = splitEnergy(energy)
  if (compareAmounts(held, asked) < 0) return drainCell(cells, from, to)
  writeAmount(cells, from, subtractAmounts(held, asked))
  writeAmount(cells, to, addAmounts(readAmount(cells, to), asked))
}
