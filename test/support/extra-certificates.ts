const KEPT = 'WARRANT_TEST_EXTRA_CERTIFICATES'

/**
 * With `NODE_EXTRA_CA_CERTS`, Node reads every certificate of that file when it starts: 30 of 47 ms, for each of the
 * thousands of programs of a run. None of them but npm talks to servers that need it.
 */
export default () => {
  const { NODE_EXTRA_CA_CERTS: file } = process.env
  if (file === undefined) return
  process.env[KEPT] = file
  delete process.env.NODE_EXTRA_CA_CERTS
}

/** For npm, which goes through whatever proxy this machine has. */
export const npmEnvironment = (): NodeJS.ProcessEnv => {
  const file = process.env[KEPT]
  return { ...process.env, ...(file !== undefined && { NODE_EXTRA_CA_CERTS: file }) }
}
