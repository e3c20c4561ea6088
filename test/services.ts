import { describe, test } from 'vitest'

const known = {
  postgres: { variable: 'WARRANT_TEST_POSTGRES', label: 'PostgreSQL' },
  registry: { variable: 'WARRANT_TEST_REGISTRY', label: 'an OCI registry' },
  registryAuth: { variable: 'WARRANT_TEST_REGISTRY_AUTH', label: 'an OCI registry with passwords' },
  chromium: { variable: 'WARRANT_TEST_CHROMIUM', label: 'Chromium' },
  skopeo: { variable: 'WARRANT_TEST_SKOPEO', label: 'skopeo' },
  faiss: { variable: 'WARRANT_TEST_FAISS', label: 'FAISS for Python' },
}

export type ServiceName = keyof typeof known

export const service = (name: ServiceName): string | undefined =>
  process.env[known[name].variable] || undefined

/** A `describe` that needs a service: without it the tests are skipped loudly, or fail when CI=true. */
export const describeWith = (name: ServiceName, title: string, body: (value: string) => void): void => {
  const value = service(name)
  if (value !== undefined) {
    describe(title, () => body(value))
    return
  }
  const remedy =
    'run `node scripts/services.mjs install`, then `node scripts/services.mjs run -- npx vitest run`'
  const need = `needs ${known[name].label}: ${remedy}`
  if (process.env.CI === 'true') {
    describe(title, () => {
      test(need, () => {
        throw new Error(`${title} ${need}`)
      })
    })
    return
  }
  process.stderr.write(`SKIPPED: ${title} ${need}\n`)
  describe.skip(title, () => {
    test(need, () => {})
  })
}
