import { defineFaults } from '../kernel/fault.ts'
import { consistencyRanges, hashRange, inclusionRanges } from './merkle.ts'
import type { ConsistencyProof, InclusionProof } from './schemas.ts'
import type { LogReader } from './store.ts'

export const proofFaults = defineFaults('proof', {
  range: { kind: 'invalid', fix: 'Use an entry number and sizes within the current size of the log.' },
})

const hashRanges = (
  log: LogReader,
  ranges: readonly (readonly [number, number])[],
): Promise<readonly string[]> => Promise.all(ranges.map(([start, end]) => hashRange(log, start, end)))

const requireSize = async (log: LogReader, size: number | undefined): Promise<number> => {
  const head = await log.head()
  if (size !== undefined && size > head.size) {
    throw proofFaults.range(`the log has ${head.size} entries, not ${size}`)
  }
  return size ?? head.size
}

export const rootAt = async (log: LogReader, wanted?: number): Promise<{ size: number; root: string }> => {
  const size = await requireSize(log, wanted)
  const [root = ''] = await hashRanges(log, [[0, size]])
  return { size, root }
}

export const proveInclusion = async (
  log: LogReader,
  index: number,
  wanted?: number,
): Promise<InclusionProof> => {
  const size = await requireSize(log, wanted)
  if (index >= size) throw proofFaults.range(`entry ${index} does not exist in a log of ${size} entries`)
  const [root = '', leaf = '', ...path] = await hashRanges(log, [
    [0, size],
    [index, index + 1],
    ...inclusionRanges(index, size),
  ])
  return { index, size, leaf, root, path }
}

export const proveConsistency = async (
  log: LogReader,
  older: number,
  wanted?: number,
): Promise<ConsistencyProof> => {
  const newer = await requireSize(log, wanted)
  if (older > newer) throw proofFaults.range(`the older size ${older} is larger than the newer size ${newer}`)
  const [olderRoot = '', newerRoot = '', ...path] = await hashRanges(log, [
    [0, older],
    [0, newer],
    ...consistencyRanges(older, newer),
  ])
  return { older, newer, olderRoot, newerRoot, path }
}
