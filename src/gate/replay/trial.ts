import type { Fault } from '../../kernel/fault.ts'
import type { RepositoryFiles } from '../../kernel/ports.ts'
import { HARD_MODE_FILE, SKILLS_FILE } from '../policy.ts'
import { POLICY_PATHS } from '../policy-files.ts'
import { OPENSPEC_FOLDER } from '../policy-layer.ts'
import type { FolderNames, TrackedFiles } from '../ports.ts'
import { USER_RULES_FOLDER } from '../rules/assemble-rules.ts'

type Files = RepositoryFiles & FolderNames
type Texts = ReadonlyMap<string, Uint8Array>

const isAtOrBelow = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(`${folder}/`)

/** Files of which some paths are those of the texts, or absent. */
const overlayTexts = <T extends Files>(files: T, covers: (path: string) => boolean, texts: Texts): T => {
  const paths = [...texts.keys()]
  return {
    ...files,
    exists: async (path) => (covers(path) ? paths.some((one) => isAtOrBelow(path, one)) : files.exists(path)),
    read: async (path, limit) => (covers(path) ? texts.get(path) : files.read(path, limit)),
    names: async (path) =>
      covers(path)
        ? paths.flatMap((one) => (one.startsWith(`${path}/`) ? [one.slice(path.length + 1)] : []))
        : files.names(path),
  }
}

/** What judges past commits in the place of the repository's own files: thresholds, and rules by file name. */
export const createTrial = (
  { policy, rules }: { readonly policy: string | undefined; readonly rules: Texts | undefined },
  index: TrackedFiles,
) => {
  const texts = new Map([...(rules ?? [])].map(([name, bytes]) => [`${USER_RULES_FOLDER}/${name}`, bytes]))
  if (policy !== undefined) texts.set(SKILLS_FILE, new TextEncoder().encode(policy))
  const isTried = (path: string) =>
    (policy !== undefined && (path === SKILLS_FILE || path === HARD_MODE_FILE)) ||
    (rules !== undefined && isAtOrBelow(USER_RULES_FOLDER, path))
  const tracked = [...index.find([], [...POLICY_PATHS.files, USER_RULES_FOLDER, OPENSPEC_FOLDER])]
  const isTracked = (path: string) => tracked.some((one) => isAtOrBelow(path, one))
  return {
    inCommit: <T extends Files>(files: T): T => overlayTexts(files, isTried, texts),
    /** What git tracks now is in those commits that have it, and in no other. */
    inWorktree: (files: Files): Files =>
      overlayTexts(files, (path) => isTried(path) || isTracked(path), texts),
    isAtFault: ({ code }: Fault): boolean =>
      (rules !== undefined && code.startsWith('rule.')) ||
      (policy !== undefined && code === 'gate.policy_invalid'),
  }
}
