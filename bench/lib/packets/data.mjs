const CLUSTERS = 200
export const DIM = 384

/** Pseudo-random numbers around 0, the same in every run. */
export function numbers() {
  let state = 42
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return (state >>> 8) / 2 ** 23 - 1
  }
  return () => next() + next() + next()
}

/** @param {Float32Array} row */
function scaleToOne(row) {
  let sum = 0
  for (const value of row) sum += value * value
  for (let i = 0; i < row.length; i++) row[i] = /** @type {number} */ (row[i]) / Math.sqrt(sum)
}

/**
 * @param {number} rows
 * @param {boolean} clustered
 * @param {() => number} next
 */
export function makeRows(rows, clustered, next) {
  const centres = Float32Array.from({ length: CLUSTERS * DIM }, next)
  const values = new Float32Array(rows * DIM)
  for (let row = 0; row < rows; row++) {
    const centre = (row % CLUSTERS) * DIM
    for (let i = 0; i < DIM; i++)
      values[row * DIM + i] = next() * (clustered ? 0.4 : 1) + (clustered ? (centres[centre + i] ?? 0) : 0)
    scaleToOne(values.subarray(row * DIM, (row + 1) * DIM))
  }
  return values
}

/**
 * Questions in row-major order: alternately near a row, and near none.
 *
 * @param {Float32Array} values
 * @param {number} count
 * @param {() => number} next
 */
export function makeQuestions(values, count, next) {
  const rows = values.length / DIM
  const questions = new Float32Array(count * DIM)
  for (let i = 0; i < count; i++) {
    const at = ((i * 7919) % rows) * DIM
    const question = questions.subarray(i * DIM, (i + 1) * DIM)
    for (let j = 0; j < DIM; j++) question[j] = i % 2 === 0 ? (values[at + j] ?? 0) + 0.05 * next() : next()
    scaleToOne(question)
  }
  return questions
}

/**
 * The reference search: every row, every value, in double precision.
 *
 * @param {Float32Array} values
 * @param {Float32Array} query
 * @param {number} k
 */
export function plainLoop(values, query, k) {
  /** @type {{ row: number, score: number }[]} */
  const best = []
  for (let row = 0, at = 0; at < values.length; row++, at += DIM) {
    let score = 0
    for (let i = 0; i < DIM; i++)
      score += /** @type {number} */ (query[i]) * /** @type {number} */ (values[at + i])
    if (best.length === k && score <= (best[k - 1]?.score ?? 0)) continue
    let place = best.length
    while (place > 0 && (best[place - 1]?.score ?? 0) < score) place--
    best.splice(place, 0, { row, score })
    if (best.length > k) best.pop()
  }
  return best.map(({ row }) => row)
}
