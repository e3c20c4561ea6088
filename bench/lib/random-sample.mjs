import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const CONTEXT = 8

/** @param {number} seed */
export function randomNumbers(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * @template T
 * @param {T[]} all
 * @param {number} size
 * @param {number} seed
 */
export function drawSample(all, size, seed) {
  const random = randomNumbers(seed)
  const rest = [...all]
  for (let index = 0; index < Math.min(size, rest.length); index++) {
    const other = index + Math.floor(random() * (rest.length - index))
    const taken = /** @type {T} */ (rest[other])
    rest[other] = /** @type {T} */ (rest[index])
    rest[index] = taken
  }
  return rest.slice(0, size)
}

/**
 * The lines around a place, for a reader who judges what was said of it.
 *
 * @param {string} folder
 * @param {string} file
 * @param {number} line
 */
export function readContext(folder, file, line) {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n')
  const first = Math.max(1, line - CONTEXT / 2)
  return lines
    .slice(first - 1, line + CONTEXT / 2)
    .map((text, index) => `${first + index === line ? '>' : ' '} ${first + index} ${text.slice(0, 200)}`)
    .join('\n')
}
