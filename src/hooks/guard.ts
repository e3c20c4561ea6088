import { countEntries, isClientSettings, ownEntries, switchesHooksOff } from './own-files.ts'
import type { WriteFinding } from './ports.ts'

/**
 * What makes the gate run, compared between two events of an agent: git hooks, entries in the settings of clients, and
 * commits without a receipt. It does not matter how a command changed them, or who did.
 */

/** A git hook, or the settings of a client, as it was found. */
export interface GuardFile {
  readonly kind: 'hook' | 'settings'
  /** Size, times and number of the file: an equal stamp means the same content. */
  readonly stamp: string
  readonly mode: number
  readonly text: string
}

const EXECUTES = 0o100
/** Programs that write git hooks of their own, which start ours; husky's are one line that reads another file. */
const MANAGER =
  /\b(lefthook|husky|pre-commit\.com|overcommit|simple-git-hooks)\b|^\. "\$\(dirname .*"\)\/h"$/m

/** Whether a file makes the gate run. */
const isGuarding = ({ kind, mode, text }: GuardFile, path: string): boolean =>
  kind === 'hook'
    ? ((mode & EXECUTES) !== 0 || path.endsWith('/_/h')) && (countEntries(text) > 0 || MANAGER.test(text))
    : countEntries(text) > 0 && !switchesHooksOff(path, text)

/** Whether a file is remembered: settings of a client also where they have no entry, because they may get a switch. */
export const isKept = (file: GuardFile, path: string): boolean =>
  isGuarding(file, path) || isClientSettings(path)

/** Whether a file guards less than it did. A hook may change where a hook manager wrote it anew. */
export const isWeaker = (
  before: GuardFile | undefined,
  now: GuardFile | undefined,
  path: string,
): boolean => {
  if (before === undefined || !isGuarding(before, path))
    return !switchesHooksOff(path, before?.text ?? '') && switchesHooksOff(path, now?.text ?? '')
  if (now === undefined || !isGuarding(now, path)) return true
  if (before.kind === 'settings') {
    const present = ownEntries(now.text)
    return ownEntries(before.text).some((entry) => !present.includes(entry))
  }
  const [manager] = MANAGER.exec(before.text) ?? []
  return now.text !== before.text && (manager === undefined || MANAGER.exec(now.text)?.[0] !== manager)
}

interface UnjudgedCommit {
  readonly id: string
  readonly subject: string
}

/** What changed since the event before. */
export interface GuardChange {
  /** When that was, in milliseconds since the epoch. */
  readonly since: number
  /** What was changed and is put back, by path or setting. */
  readonly restored: readonly string[]
  /** What could not be put back, with the command that does it. */
  readonly left: readonly { readonly what: string; readonly repair: string }[]
  readonly commits: readonly UnjudgedCommit[]
  /** Findings of these commits that block, as far as they were judged in time. */
  readonly blocking: readonly WriteFinding[]
  /** Commits that git made without the hook of a commit, and that were not judged in time. */
  readonly counted: number
}
