import { digestBytes } from '../kernel/encoding/hash.ts'
import { KEYS_FILE } from '../receipts/keys-path.ts'
import type { PolicyDigests } from '../receipts/statement.ts'
import { CHECKS_FILE } from './checks/check.ts'
import { ACCEPTANCES_FILE } from './findings/acceptances.ts'
import { HARD_MODE_FILE, SKILLS_FILE } from './policy.ts'
import type { PolicyFiles } from './policy-files.ts'

/** The digest of each file that decides how a change is judged; a file that does not exist has no member. */
export const policyDigests = (files: PolicyFiles): PolicyDigests => {
  const texts: readonly (readonly [string, string | undefined])[] = [
    [HARD_MODE_FILE, files.hardFile],
    [SKILLS_FILE, files.skillsFile],
    [CHECKS_FILE, files.checks],
    [KEYS_FILE, files.keys],
    [ACCEPTANCES_FILE, files.acceptances],
    ...[...files.rules, files.overrides].map((one) => [one?.path ?? '', one?.text] as const),
  ]
  return Object.fromEntries(
    texts.flatMap(([path, text]) => (text === undefined ? [] : [[path, digestBytes(text)]])).sort(),
  )
}
