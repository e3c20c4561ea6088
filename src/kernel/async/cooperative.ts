/** Work in steps of a few milliseconds, so that the event loop can run other work in between. */
export type CooperativeTask<T> = Generator<undefined, T>

/** Resolves when the event loop has run its other work. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Runs all steps without yielding. */
export const runSync = <T>(steps: CooperativeTask<T>): T => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Yields to the event loop after each step. */
export const runYielding = async <T>(steps: CooperativeTask<T>): Promise<T> => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await nextTurn()
  }
}
