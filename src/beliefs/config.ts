import { keysOf } from '../kernel/keys-of.ts'
import { beliefFaults } from './faults.ts'

/** Parameters of a graph. They are part of its genesis and never change afterwards. */
export interface GraphConfig {
  /** Maximum share of the gap to its sources that a node closes in one tick. */
  readonly sigma: number
  /** Energy an edge transfers for moving a belief by 1. */
  readonly slope: number
  /** Fixed energy cost of a mutation. */
  readonly mutateBase: number
  /** Additional cost for moving the belief by 1. */
  readonly mutateSlope: number
  /** Total energy of the graph, in units. */
  readonly pool: bigint
  /** Drift above this means that the graph is damaged. */
  readonly epsilon: number
  readonly allowCycles: boolean
}

export const DEFAULT_CONFIG: GraphConfig = {
  sigma: 0.1,
  slope: 0.05,
  mutateBase: 0.1,
  mutateSlope: 0.05,
  pool: 2n ** 60n,
  epsilon: 1e-6,
  allowCycles: false,
}

export const MAX_ENERGY = 1e12
export const MAX_WEIGHT = 1e6
const MAX_POOL = 2n ** 128n

/** Throws unless `low <= value <= high`; NaN always throws. Negative zero becomes zero. */
export const requireRange = (name: string, value: number, low: number, high: number): number => {
  if (value >= low && value <= high) return value + 0
  throw beliefFaults.out_of_range(`${name} must be between ${low} and ${high}`)
}

const BOUNDS = {
  // Above 1 a node could overshoot its sources, or gain more than one unit a tick, which `LIMB` does not allow for.
  sigma: 1,
  slope: 1,
  mutateBase: MAX_ENERGY,
  mutateSlope: MAX_ENERGY,
  epsilon: 1,
} as const

export const checkConfig = (config: GraphConfig): GraphConfig => {
  for (const name of keysOf(BOUNDS)) {
    const [value, high] = [config[name], BOUNDS[name]]
    if (!(value >= 0 && value <= high)) {
      throw beliefFaults.config_invalid(`${name} must be between 0 and ${high}`)
    }
  }
  if (config.pool < 0n || config.pool > MAX_POOL) {
    throw beliefFaults.config_invalid('pool must be between 0 and 2^128 units')
  }
  return config
}
