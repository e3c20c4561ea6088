import { beliefFaults } from './faults.ts'

/** The physics of a graph. Part of its genesis: it never changes afterwards. */
export interface GraphConfig {
  /** Share of the gap to its sources that a node closes in one tick, at the most. */
  readonly sigma: number
  /** Energy that moving a belief by one whole unit takes along an edge. */
  readonly slope: number
  /** Energy every mutation costs. */
  readonly mutateBase: number
  /** What it costs on top, per unit of belief moved. */
  readonly mutateSlope: number
  /** All the energy there will ever be, in units. */
  readonly pool: bigint
  /** Drift above this is a fault of the graph, not of the arithmetic. */
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

/** Throws unless `low <= value <= high`, which no NaN does. The minus of a zero is dropped. */
export const requireRange = (name: string, value: number, low: number, high: number): number => {
  if (value >= low && value <= high) return value + 0
  throw beliefFaults.out_of_range(`${name} must be between ${low} and ${high}`)
}

const BOUNDS = {
  // Above one a node could overshoot its sources, or gain more than a unit a tick; the limbs rely on neither.
  sigma: 1,
  slope: 1,
  mutateBase: MAX_ENERGY,
  mutateSlope: MAX_ENERGY,
  epsilon: 1,
} as const

export const checkConfig = (config: GraphConfig): GraphConfig => {
  for (const [name, high] of Object.entries(BOUNDS)) {
    const value = config[name as keyof typeof BOUNDS]
    if (!(value >= 0 && value <= high)) {
      throw beliefFaults.config_invalid(`${name} must be between 0 and ${high}`)
    }
  }
  if (config.pool < 0n || config.pool > MAX_POOL) {
    throw beliefFaults.config_invalid('pool must be between 0 and 2^128 units')
  }
  return config
}
