import { beliefFaults } from '../faults.ts'
import { type Amount, addAmounts, CELL, LIMB, readAmount, toQuanta, toUnits, UNIT } from './energy.ts'

/** In quanta. `reserve + nodes + dissipated` is `pool`, after every operation. */
export interface Accounts {
  readonly pool: bigint
  readonly reserve: bigint
  readonly nodes: bigint
  readonly dissipated: bigint
}

/**
 * The accounts that are not nodes, and one line for all nodes together. That line is never posted to: it
 * follows the balances that were really stored, so a transfer that loses a quantum shows as drift.
 */
export class Ledger {
  readonly pool: bigint
  #reserve: bigint
  #nodes = 0n
  #dissipated = 0n

  constructor(units: bigint) {
    this.pool = units * UNIT
    this.#reserve = this.pool
  }

  /** Refuses what the reserve does not hold. */
  requireReserve(quanta: bigint): void {
    if (quanta > this.#reserve) {
      throw beliefFaults.reserve_spent(`the reserve holds ${toUnits(this.#reserve)} units of energy`)
    }
  }

  issue(quanta: bigint): void {
    this.#reserve -= quanta
  }

  dissipate(quanta: bigint): void {
    this.#dissipated += quanta
  }

  /** One node went from `before` to `after`, both as stored. */
  observe(before: Amount, after: Amount): void {
    this.observeSums(toQuanta(before), toQuanta(after))
  }

  observeSums(before: bigint, after: bigint): void {
    this.#nodes += before === 0n ? after : after - before
  }

  accounts(): Accounts {
    return { pool: this.pool, reserve: this.#reserve, nodes: this.#nodes, dissipated: this.#dissipated }
  }

  load({ reserve, nodes, dissipated }: Omit<Accounts, 'pool'>): void {
    this.#reserve = reserve
    this.#nodes = nodes
    this.#dissipated = dissipated
  }

  /** How far the books are from balancing, in units, if the nodes hold `nodes` quanta. */
  drift(nodes: bigint = this.#nodes): number {
    const off = this.#reserve + nodes + this.#dissipated - this.pool
    return toUnits(off < 0n ? -off : off)
  }
}

const isLimb = (limb: number): boolean => limb >= 0 && limb < LIMB && Math.floor(limb) === limb

/** False for limbs no operation could have written. */
export const isValidAmount = ({ h, m, l }: Amount): boolean => isLimb(h) && isLimb(m) && isLimb(l)

/** What the nodes of `ids` hold together, in quanta: exact, however many there are. */
export const sumBalances = (cells: Float64Array, ids: Uint32Array): bigint => {
  let spilled = 0n
  let h = 0
  let m = 0
  let l = 0
  for (let n = 0; n < ids.length; n += 1) {
    const sum = addAmounts({ h, m, l }, readAmount(cells, (ids[n] as number) * CELL))
    m = sum.m
    l = sum.l
    h = sum.h
    // Only the top limb can outgrow what a double counts, and it is emptied before it does.
    if (h < LIMB) continue
    spilled += BigInt(h)
    h = 0
  }
  return spilled * UNIT + toQuanta({ h, m, l })
}

/** The second book: everything counted again, cell by cell. Cells that are not sound are left out. */
export const recountBalances = (cells: Float64Array, count: number): bigint => {
  const sound = new Uint32Array(count)
  let found = 0
  for (let id = 0; id < count; id += 1) if (isValidAmount(readAmount(cells, id * CELL))) sound[found++] = id
  return sumBalances(cells, sound.subarray(0, found))
}
