import type { GateStage } from '../evidence/stage.ts'
import { digestBytes } from '../kernel/encoding/hash.ts'
import { Fault } from '../kernel/fault.ts'
import type { RepositoryFiles } from '../kernel/ports.ts'
import { KEYS_FILE, MAX_KEYS_BYTES } from '../receipts/keys-path.ts'
import type { PolicyDigests } from '../receipts/statement.ts'
import { CHECKS_FILE, MAX_CHECKS_BYTES } from './checks/check.ts'
import { ATTRIBUTES_FILE } from './facts/attributes.ts'
import { ACCEPTANCES_FILE, MAX_ACCEPTANCES_BYTES } from './findings/acceptances.ts'
import { type GatePolicy, HARD_MODE_FILE, type PolicySources, resolvePolicy, SKILLS_FILE } from './policy.ts'
import type { FolderNames, GitReader, PathList } from './ports.ts'
import { OVERRIDES_FILE, USER_RULES_FOLDER } from './rules/assemble-rules.ts'
import type { RuleSource } from './rules/packs.ts'

/** The texts of the files that decide how a change is judged, by path. A file that does not exist is not among them. */
export type PolicyFiles = ReadonlyMap<string, string>

const MAX_POLICY_BYTES = 1024 * 1024
const MAX_RULE_BYTES = 64 * 1024

/** The limits of single files. */
const LIMITS: Readonly<Record<string, number>> = {
  [HARD_MODE_FILE]: MAX_POLICY_BYTES,
  [SKILLS_FILE]: MAX_POLICY_BYTES,
  [CHECKS_FILE]: MAX_CHECKS_BYTES,
  [KEYS_FILE]: MAX_KEYS_BYTES,
  [ACCEPTANCES_FILE]: MAX_ACCEPTANCES_BYTES,
}

export const POLICY_PATHS: PathList = {
  files: [...Object.keys(LIMITS), ATTRIBUTES_FILE],
  folders: [USER_RULES_FOLDER],
}

const decoder = new TextDecoder('utf-8', { fatal: false })

export const readPolicyFile = async (files: RepositoryFiles, path: string): Promise<string | undefined> => {
  const bytes = await files.read(path, LIMITS[path] ?? MAX_RULE_BYTES)
  return bytes && decoder.decode(bytes)
}

/** Reads the files of one version of the repository. One that exists and cannot be used is a fault. */
export const readPolicyFiles = async (files: RepositoryFiles & FolderNames): Promise<PolicyFiles> => {
  const names = (await files.names(USER_RULES_FOLDER)).filter((name) => /\.ya?ml$/.test(name))
  const paths = [...Object.keys(LIMITS), ...names.map((name) => `${USER_RULES_FOLDER}/${name}`)]
  const texts = await Promise.all(
    paths.map(async (path) => [path, await readPolicyFile(files, path)] as const),
  )
  return new Map(texts.flatMap(([path, text]) => (text === undefined ? [] : [[path, text]])))
}

/** The texts of hard mode and of `skills.policy.json`. */
export const thresholdSources = (files: PolicyFiles): PolicySources => ({
  hardFile: files.get(HARD_MODE_FILE),
  skillsFile: files.get(SKILLS_FILE),
})

/** The policy of a stage by these files alone. */
export const readThresholds = async (
  files: RepositoryFiles,
  stage: GateStage,
  variables: PolicySources,
): Promise<GatePolicy> => {
  const [hardFile, skillsFile] = await Promise.all(
    [HARD_MODE_FILE, SKILLS_FILE].map((path) => readPolicyFile(files, path)),
  )
  return resolvePolicy(stage, { hardFile, skillsFile, ...variables })
}

/** The user rules. */
export const ruleSources = (files: PolicyFiles): readonly RuleSource[] =>
  [...files]
    .filter(([path]) => path.startsWith(`${USER_RULES_FOLDER}/`) && path !== OVERRIDES_FILE)
    .map(([path, text]) => ({ path, text }))

export const policyDigests = (files: PolicyFiles): PolicyDigests =>
  Object.fromEntries([...files].map(([path, text]) => [path, digestBytes(text)]).sort())

/** The result, or `otherwise` where a file is invalid. Objects that are missing in this clone are still a fault. */
export const unlessInvalid = <T, U>(reading: Promise<T>, otherwise: U): Promise<T | U> =>
  reading.catch((thrown: unknown) => {
    if (thrown instanceof Fault && !thrown.code.startsWith('git.')) return otherwise
    throw thrown
  })

/**
 * A version of the repository where what cannot be used counts as absent. Only for the base: a change could not repair
 * it otherwise.
 */
export const ignoreUnusable = (files: RepositoryFiles & FolderNames): RepositoryFiles & FolderNames => ({
  exists: (path) => files.exists(path),
  read: (path, limit) => unlessInvalid(files.read(path, limit), undefined),
  names: (path) => unlessInvalid(files.names(path), []),
})

/**
 * The files at the end of a range of commits. A file that is neither in its first nor in its last commit is read from
 * the working tree: it is not tracked, so it belongs to no commit.
 */
export const overlayCommit = (
  worktree: RepositoryFiles & FolderNames,
  head: RepositoryFiles & FolderNames,
  base: RepositoryFiles | undefined,
): RepositoryFiles & FolderNames => {
  const isTracked = async (path: string) => (await head.exists(path)) || ((await base?.exists(path)) ?? false)
  const pick = async (path: string) => ((await isTracked(path)) ? head : worktree)
  return {
    exists: async (path) => (await pick(path)).exists(path),
    read: async (path, limit) => (await pick(path)).read(path, limit),
    names: async (path) => (await pick(path)).names(path),
  }
}

/**
 * The text of `.warrant/keys.yml` in a commit. Receipts are verified by the keys of the newest commit of the target: a
 * branch may have left it before keys were listed, or before one was revoked.
 */
export const readCommitKeys = async (
  git: Pick<GitReader, 'filesAt'>,
  commit: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const paths = { files: [KEYS_FILE], folders: [] }
  const files = commit === undefined ? undefined : await git.filesAt(commit, paths, signal)
  return files && readPolicyFile(ignoreUnusable(files), KEYS_FILE)
}
