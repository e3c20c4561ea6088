/** Work in steps of a few milliseconds, for who must not keep others waiting. */
export type CooperativeTask<T> = Generator<undefined, T>

/** Does it all at once. */
export const runSync = <T>(steps: CooperativeTask<T>): T => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Does it in turns with everything else that waits in this process. */
export const runYielding = async <T>(steps: CooperativeTask<T>): Promise<T> => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await new Promise((resolve) => setImmediate(resolve))
  }
}
