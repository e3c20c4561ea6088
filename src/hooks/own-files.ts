import { isRecord, jsonOf } from '../kernel/encoding/json.ts'

/** What in the git folder decides about hooks and commits. Other files in it, such as messages, are not ours. */
export const GIT_PARTS = [
  'hooks',
  'config',
  'config.worktree',
  'refs',
  'objects',
  'packed-refs',
  'HEAD',
  'index',
  'info/attributes',
  'info/grafts',
  'warrant',
]

/** Files and folders of the repository that only a person and this program change. */
export const OWN_FILES = ['.warrant', '.ai_evidence.json', '.pumuki', 'skills.policy.json']

/** Settings of clients and of hook managers, below the root: ours where they contain our entry. */
export const ENTRY_FILES = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.cursor/hooks.json',
  '.codex/hooks.json',
  '.codex/config.toml',
  '.gemini/settings.json',
  '.github/hooks/warrant.json',
  '.github/copilot/settings.json',
  '.husky/pre-commit',
  '.husky/pre-push',
  '.githooks/pre-commit',
  '.githooks/pre-push',
  'lefthook.yml',
  'lefthook.yaml',
  '.lefthook.yml',
  '.pre-commit-config.yaml',
]

/** The same below the home folder. */
export const HOME_ENTRY_FILES = [
  '.claude/settings.json',
  '.cursor/hooks.json',
  '.codex/hooks.json',
  '.codex/config.toml',
  '.gemini/settings.json',
  '.copilot/hooks/warrant.json',
]

/** How many entries of ours a file of settings or hooks contains. */
export const countEntries = (text: string): number =>
  [...text.matchAll(/\bwarrant\b[\w./'" -]{0,200}\b(?:hook|gate)\b|>>> WARRANT >>>/g)].length

const START = /\b(?:exit|exec|return)\b/

/** One hook of a client, as far as it decides what is started when. */
const describeHooks = (event: string, group: unknown): string[] => {
  if (!isRecord(group)) return []
  const hooks = Array.isArray(group.hooks) ? group.hooks.filter(isRecord) : [group]
  return hooks
    .map(({ command, bash }) => JSON.stringify([event, group.matcher, command ?? bash]))
    .filter((text) => countEntries(text) > 0)
}

/** Our entries in a file: the hooks of settings, or the lines of a script with those before them that may end it. */
export const ownEntries = (text: string): readonly string[] => {
  const value = jsonOf(text)
  if (isRecord(value) && isRecord(value.hooks))
    return Object.entries(value.hooks).flatMap(([event, groups]) =>
      Array.isArray(groups) ? groups.flatMap((group) => describeHooks(event, group)) : [],
    )
  const lines = text.split('\n')
  const ends = (at: number) => lines.slice(0, at).filter((line) => START.test(line)).length
  return lines.flatMap((line, at) => (/\bwarrant/.test(line) ? [`${ends(at)} ${line.trim()}`] : []))
}

const CLIENT_SETTINGS =
  /\/\.(?:claude|cursor|codex|gemini)\/(?:settings(?:\.local)?\.json|hooks\.json|config\.toml)$/
const SWITCH =
  /disableAllHooks|hooksConfig|"hooks"\s*:\s*\{\s*"(?:enabled|disabled)"|^\s*hooks\s*=\s*false|codex_hooks\s*=\s*false|allowManagedHooksOnly/m

export const isClientSettings = (path: string): boolean => CLIENT_SETTINGS.test(path)

/** Whether a text for a settings file of a client switches hooks off. */
export const switchesHooksOff = (path: string, text: string): boolean =>
  CLIENT_SETTINGS.test(path) && SWITCH.test(text)
