/**
 * Energy is counted, not measured. One quantum is 2⁻¹⁰⁴ of a unit, and a balance is a whole number of quanta
 * in three limbs: `h` units, `m` of 2⁻⁵², `l` of 2⁻¹⁰⁴. Every step below stays on integers under 2⁵³, where
 * doubles are exact, so the same bits come out on every engine.
 */
export interface Amount {
  readonly h: number
  readonly m: number
  readonly l: number
}

export const ZERO_AMOUNT: Amount = { h: 0, m: 0, l: 0 }

/** Every limb stays below this: `h` starts at 1e12 or less, and gains less than one a tick. */
export const LIMB = 2 ** 52
const UNLIMB = 2 ** -52
/** Quanta in a unit. */
export const UNIT = 2n ** 104n

/** Exact for 0 and for every double from 2⁻⁵² on; what is smaller than a quantum is cut off. */
export const splitEnergy = (energy: number): Amount => {
  const h = Math.floor(energy)
  const rest = (energy - h) * LIMB
  const m = Math.floor(rest)
  return { h, m, l: Math.floor((rest - m) * LIMB) }
}

// Carries are computed, not branched on: they come as often as not, and a mispredicted branch costs more than
// the two multiplications.
export const addAmounts = (a: Amount, b: Amount): Amount => {
  const low = a.l + b.l
  const carry = Math.floor(low * UNLIMB)
  const middle = a.m + b.m + carry
  const over = Math.floor(middle * UNLIMB)
  return { h: a.h + b.h + over, m: middle - over * LIMB, l: low - carry * LIMB }
}

/** `b` must not be the larger one. */
export const subtractAmounts = (a: Amount, b: Amount): Amount => {
  const low = a.l - b.l
  const borrow = Math.floor(low * UNLIMB)
  const middle = a.m - b.m + borrow
  const over = Math.floor(middle * UNLIMB)
  return { h: a.h - b.h + over, m: middle - over * LIMB, l: low - borrow * LIMB }
}

export const compareAmounts = (a: Amount, b: Amount): number => a.h - b.h || a.m - b.m || a.l - b.l

/** The double a caller sees. What `splitEnergy` took in comes out again bit for bit. */
export const showAmount = ({ h, m, l }: Amount): number => h + (m * UNLIMB + l * UNLIMB * UNLIMB)

export const toQuanta = ({ h, m, l }: Amount): bigint => {
  const units = BigInt(h) << 104n
  // Most amounts are whole, and every step with a bigint makes another one.
  return m === 0 && l === 0 ? units : units + (BigInt(m) << 52n) + BigInt(l)
}

/** Nearest double. */
export const toUnits = (quanta: bigint): number => Number(quanta) / Number(UNIT)

/** Balances live in cells of four doubles: a belief, then the three limbs. */
export const CELL = 4

export const readAmount = (cells: Float64Array, cell: number): Amount => ({
  h: cells[cell + 1] as number,
  m: cells[cell + 2] as number,
  l: cells[cell + 3] as number,
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

/** Moves up to `energy` between two cells; the payer never goes below nothing. */
export const moveEnergy = (cells: Float64Array, from: number, to: number, energy: number): void => {
  const held = readAmount(cells, from)
  const asked = splitEnergy(energy)
  if (compareAmounts(held, asked) < 0) return drainCell(cells, from, to)
  writeAmount(cells, from, subtractAmounts(held, asked))
  writeAmount(cells, to, addAmounts(readAmount(cells, to), asked))
}
