import { Fault } from '../kernel/fault.ts'
import type { RepositoryFiles } from '../kernel/ports.ts'
import { KEYS_FILE, MAX_KEYS_BYTES } from '../receipts/keys-path.ts'
import { CHECKS_FILE, MAX_CHECKS_BYTES } from './checks/check.ts'
import { ATTRIBUTES_FILE } from './facts/attributes.ts'
import { ACCEPTANCES_FILE, MAX_ACCEPTANCES_BYTES } from './findings/acceptances.ts'
import { HARD_MODE_FILE, SKILLS_FILE } from './policy.ts'
import type { FolderNames, GitReader, PathList } from './ports.ts'
import { USER_RULES_FOLDER } from './rules/assemble-rules.ts'
import type { RuleSource } from './rules/packs.ts'
import { OVERRIDES_NAME } from './rules/severity-overrides.ts'

/** The files that decide how a change is judged. */
export interface PolicyFiles {
  readonly hardFile: string | undefined
  readonly skillsFile: string | undefined
  readonly rules: readonly RuleSource[]
  readonly overrides: RuleSource | undefined
  /** Text of `.warrant/checks.yml`. */
  readonly checks: string | undefined
  /** Text of `.warrant/keys.yml`. */
  readonly keys: string | undefined
  /** Text of `.warrant/acceptances.yml`. */
  readonly acceptances: string | undefined
}

const MAX_POLICY_BYTES = 1024 * 1024
const MAX_RULE_BYTES = 64 * 1024

export const POLICY_PATHS: PathList = {
  files: [HARD_MODE_FILE, SKILLS_FILE, CHECKS_FILE, KEYS_FILE, ACCEPTANCES_FILE, ATTRIBUTES_FILE],
  folders: [USER_RULES_FOLDER],
}

const decoder = new TextDecoder('utf-8', { fatal: false })

const readText = async (files: RepositoryFiles, path: string, limit: number): Promise<string | undefined> => {
  const bytes = await files.read(path, limit)
  return bytes && decoder.decode(bytes)
}

const readSource = async (
  files: RepositoryFiles,
  path: string,
  limit: number,
): Promise<RuleSource | undefined> => {
  const text = await readText(files, path, limit)
  return text === undefined ? undefined : { path, text }
}

/** The attributes of the files of a version. */
export const readAttributes = (files: RepositoryFiles): Promise<string | undefined> =>
  readText(files, ATTRIBUTES_FILE, MAX_RULE_BYTES)

/** The text of `.warrant/keys.yml`. */
export const readKeysFile = (files: RepositoryFiles): Promise<string | undefined> =>
  readText(files, KEYS_FILE, MAX_KEYS_BYTES)

export const readAcceptancesFile = (files: RepositoryFiles): Promise<string | undefined> =>
  readText(files, ACCEPTANCES_FILE, MAX_ACCEPTANCES_BYTES)

/** The texts of hard mode and of `skills.policy.json`. */
export const readThresholdFiles = async (files: RepositoryFiles) => {
  const [hardFile, skillsFile] = await Promise.all(
    [HARD_MODE_FILE, SKILLS_FILE].map((path) => readText(files, path, MAX_POLICY_BYTES)),
  )
  return { hardFile, skillsFile }
}

/** The user rules and the severity overrides. */
const readRuleSources = async (files: RepositoryFiles & FolderNames) => {
  const names = (await files.names(USER_RULES_FOLDER)).filter((name) => /\.ya?ml$/.test(name))
  const read = (name: string) => readSource(files, `${USER_RULES_FOLDER}/${name}`, MAX_RULE_BYTES)
  const [rules, overrides] = await Promise.all([
    Promise.all(names.filter((name) => name !== OVERRIDES_NAME).map(read)),
    names.includes(OVERRIDES_NAME) ? read(OVERRIDES_NAME) : undefined,
  ])
  return { rules: rules.filter((one) => one !== undefined), overrides }
}

/** Reads the files of one version of the repository. One that exists and cannot be used is a fault. */
export const readPolicyFiles = async (files: RepositoryFiles & FolderNames): Promise<PolicyFiles> => {
  const [thresholds, rules, checks, keys, acceptances] = await Promise.all([
    readThresholdFiles(files),
    readRuleSources(files),
    readText(files, CHECKS_FILE, MAX_CHECKS_BYTES),
    readKeysFile(files),
    readAcceptancesFile(files),
  ])
  return { ...thresholds, ...rules, checks, keys, acceptances }
}

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
  return files && readKeysFile(ignoreUnusable(files))
}
