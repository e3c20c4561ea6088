/** What can be written to, as far as waiting for it goes. */
interface Sink {
  once(event: 'drain' | 'close', then: () => void): unknown
  off(event: 'drain' | 'close', then: () => void): unknown
}

/** Resolves when a sink that is full takes more, or never will. What is long waits often: no listener stays behind. */
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
