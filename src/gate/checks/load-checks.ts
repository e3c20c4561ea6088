import { unlessInvalid } from '../policy-files.ts'
import type { PolicyChange } from '../rules/policy-change.ts'
import type { ChecksFile, RequiredCheck } from './check.ts'

// Loads the YAML parser and the schemas only for repositories with checks.
const parse = async (text: string | undefined): Promise<ChecksFile | undefined> =>
  text === undefined ? undefined : (await import('./parse-checks.ts')).parseChecks(text)

/** The checks of one version of the checks file. */
export const loadChecks = async (text: string | undefined): Promise<readonly RequiredCheck[]> => {
  const file = await parse(text)
  return file?.checks.map((check) => ({ check, digests: [file.digest], ofBase: false })) ?? []
}

interface JoinedChecks {
  readonly required: readonly RequiredCheck[]
  readonly changes: readonly PolicyChange[]
}

/** The checks of the base and of the change, joined; `loaded` are those of the change. */
export const joinCheckTexts = async (
  base: string | undefined,
  after: string | undefined,
  loaded: readonly RequiredCheck[],
): Promise<JoinedChecks> => {
  if (base === after) return { required: loaded, changes: [] }
  const { joinChecks } = await import('./parse-checks.ts')
  return joinChecks(await unlessInvalid(parse(base), undefined), await parse(after))
}
