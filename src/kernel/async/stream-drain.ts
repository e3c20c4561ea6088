/** The part of a writable stream that is needed to wait for `drain`. */
interface Sink {
  once(event: 'drain' | 'close', then: () => void): unknown
  off(event: 'drain' | 'close', then: () => void): unknown
}

/** Resolves on `drain` or `close`. Removes both listeners, because a long transfer waits many times. */
export const waitForDrain = (sink: Sink): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      sink.off('drain', go)
      sink.off('close', go)
      resolve()
    }
    sink.once('drain', go)
    sink.once('close', go)
  })
