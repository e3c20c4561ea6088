/** A failure the person running the bench can act on: shown as one line, without a stack. */
export class Stop extends Error {}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {number} seconds
 * @param {string} message
 * @returns {Promise<T>}
 */
export function within(promise, seconds, message) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Stop(`${message} within ${seconds} s`)), seconds * 1000)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
