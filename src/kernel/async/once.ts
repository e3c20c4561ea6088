interface LazyAsync<T> {
  /** Opens with the first call. Callers share one attempt; a failed one is forgotten, so the next call tries again. */
  get(): Promise<T>
  /** Waits for an attempt under way. Undefined before the first call and after a failure: nothing to close. */
  peek(): Promise<T | undefined>
}

export const lazyAsync = <T>(open: () => Promise<T>): LazyAsync<T> => {
  let attempt: Promise<T> | undefined
  return {
    get() {
      attempt ??= open().catch((cause: unknown) => {
        attempt = undefined
        throw cause
      })
      return attempt
    },
    peek: async () => attempt?.catch(() => undefined),
  }
}
