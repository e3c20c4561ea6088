/** Work in steps of a few milliseconds, for who must not keep others waiting. */
export type Steps<T> = Generator<undefined, T>

/** Does it all at once. */
export const runSteps = <T>(steps: Steps<T>): T => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Does it in turns with everything else that waits in this process. */
export const runInTurns = async <T>(steps: Steps<T>): Promise<T> => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await new Promise((resolve) => setImmediate(resolve))
  }
}
