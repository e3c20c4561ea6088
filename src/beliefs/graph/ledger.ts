import { beliefFaults } from '../faults.ts'
import { type Amount, addAmounts, CELL, LIMB, readAmount, toQuanta, toUnits, UNIT } from './energy.ts'

/** In quanta. Invariant after every operation: `reserve + nodes + dissipated === pool`. */
export interface Accounts {
  readonly pool: bigint
  readonly reserve: bigint
  readonly nodes: bigint
  readonly dissipated: bigint
}

/**
 * The accounts beside the nodes, and a running total of all nodes. The total is computed from the balances that were
 * really stored, not from the amounts that should have moved, so a transfer that loses a quantum shows as drift.
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

  requireReserve(quanta: bigint): void {
    if (quanta > this.#reserve) {
      throw beliefFaults.reserve_spent(`the reserve has only ${toUnits(this.#reserve)} units of energy left`)
    }
  }

  issue(quanta: bigint): void {
    this.#reserve -= quanta
  }

  dissipate(quanta: bigint): void {
    this.#dissipated += quanta
  }

  /** Records that a node's stored balance changed from `before` to `after`. */
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

  /** Absolute violation of the invariant in units, given that the nodes hold `nodes` quanta. */
  drift(nodes: bigint = this.#nodes): number {
    const off = this.#reserve + nodes + this.#dissipated - this.pool
    return toUnits(off < 0n ? -off : off)
  }
}

const isLimb = (limb: number): boolean => limb >= 0 && limb < LIMB && Math.floor(limb) === limb

/** False for limbs that no operation can have written. */
export const isValidAmount = ({ h, m, l }: Amount): boolean => isLimb(h) && isLimb(m) && isLimb(l)

/** Exact sum of the balances of `ids`, in quanta. */
export const sumBalances = (cells: Float64Array, ids: Uint32Array): bigint => {
  let spilled = 0n
  let h = 0
  let m = 0
  let l = 0
  for (let n = 0; n < ids.length; n += 1) {
    const sum = addAmounts({ h, m, l }, readAmount(cells, (ids[n] ?? 0) * CELL))
    m = sum.m
    l = sum.l
    h = sum.h
    // Only the top limb can leave the exact range of a double: move it to the bigint before that.
    if (h < LIMB) continue
    spilled += BigInt(h)
    h = 0
  }
  return spilled * UNIT + toQuanta({ h, m, l })
}

/** Sum of the balances of all nodes, in quanta. Invalid cells are left out. */
export const recountBalances = (cells: Float64Array, count: number): bigint => {
  const sound = new Uint32Array(count)
  let found = 0
  for (let id = 0; id < count; id += 1) if (isValidAmount(readAmount(cells, id * CELL))) sound[found++] = id
  return sumBalances(cells, sound.subarray(0, found))
}
