/**
 * @param {ArrayLike<number>} values
 * @param {number} share between 0 and 1
 */
export function percentile(values, share) {
  const sorted = Float64Array.from(values).sort()
  const index = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))
  return sorted[index] ?? Number.NaN
}

/** @param {ArrayLike<number>} values */
export function median(values) {
  const sorted = Float64Array.from(values).sort()
  const half = sorted.length / 2
  const upper = sorted[Math.floor(half)] ?? Number.NaN
  const lower = sorted[Math.ceil(half) - 1] ?? Number.NaN
  return (lower + upper) / 2
}
