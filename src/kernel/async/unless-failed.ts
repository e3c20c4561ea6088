/** Waits for one promise at a time, or for the failure. `Promise.race` would keep every value until the end. */
export const unlessFailed = (failure: Promise<never>): (<T>(work: Promise<T>) => Promise<T>) => {
  let failed: { readonly reason: unknown } | undefined
  let fail: (reason: unknown) => void = () => {}
  failure.catch((reason: unknown) => {
    failed = { reason }
    fail(reason)
  })
  return (work) =>
    new Promise((resolve, reject) => {
      fail = reject
      work.then(resolve, reject)
      if (failed !== undefined) reject(failed.reason)
    })
}
