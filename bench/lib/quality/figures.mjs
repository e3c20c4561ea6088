import { randomNumbers } from '../random-sample.mjs'

const RESAMPLES = 10_000
const SEED = 20_261_116

/**
 * Where the answer is: its place among 5 and among 20 passages, from 1; 0 when it is not there.
 *
 * @typedef {{ of5: number, of20: number }} Place
 * @typedef {{ corpus: string, heldOut: boolean, places: Record<string, Place> }} Asked
 */

/** What counts for one question. @type {Readonly<Record<string, (place: Place) => number>>} */
export const MEASURES = {
  'recall@1': ({ of5 }) => Number(of5 === 1),
  'recall@5': ({ of5 }) => Number(of5 > 0),
  'recall@20': ({ of20 }) => Number(of20 > 0),
  MRR: ({ of20 }) => (of20 === 0 ? 0 : 1 / of20),
}

/** @param {readonly number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

/** @param {readonly Asked[]} asked @param {string} mode @param {string} measure */
function pointsOf(asked, mode, measure) {
  const points = MEASURES[measure]
  return asked.flatMap(({ places }) => (places[mode] && points ? [points(places[mode])] : []))
}

/** @param {readonly Asked[]} asked @param {readonly string[]} modes @returns {Record<string, Record<string, number>>} */
export function figuresOf(asked, modes) {
  const byMeasure = (/** @type {string} */ mode) =>
    Object.keys(MEASURES).map((measure) => [measure, mean(pointsOf(asked, mode, measure))])
  return Object.fromEntries(modes.map((mode) => [mode, Object.fromEntries(byMeasure(mode))]))
}

/**
 * How much better one mode is than another on the same questions, with the interval that 95 % of the resamples are
 * in. Questions are drawn, not answers, so what is hard for both modes does not widen the interval.
 *
 * @param {readonly Asked[]} asked
 * @param {string} mode
 * @param {string} other
 * @param {string} measure
 */
export function pairedGain(asked, mode, other, measure) {
  const others = pointsOf(asked, other, measure)
  const gains = pointsOf(asked, mode, measure).map((value, i) => value - (others[i] ?? 0))
  const random = randomNumbers(SEED)
  const means = Float64Array.from({ length: RESAMPLES }, () => {
    let sum = 0
    for (let i = 0; i < gains.length; i++) sum += gains[Math.floor(random() * gains.length)] ?? 0
    return sum / gains.length
  }).sort()
  const at = (/** @type {number} */ share) => means[Math.round(share * (RESAMPLES - 1))] ?? Number.NaN
  return { measure, gain: mean(gains), low: at(0.025), high: at(0.975) }
}
