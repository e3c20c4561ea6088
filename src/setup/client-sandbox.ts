import { isRecord } from '../kernel/encoding/json.ts'
import { CLIENT_HOOKS } from './client-hooks.ts'
import type { SetupClient } from './clients.ts'
import { jsonElement, jsonMember } from './editors/edit-json.ts'
import { cutSpans, endOfLine, type FileEntry, lineEndOf } from './editors/insertion.ts'
import { parseJsonc } from './editors/jsonc.ts'
import { LEFTHOOK_FILES, PRE_COMMIT_FILE } from './git-hooks/install-hooks.ts'

/** Settings of a client under which its own sandbox or permissions keep the files of the gate as they are. */
interface ClientSandbox {
  readonly file: string
  readonly empty: object | undefined
  readonly entries: (paths: readonly string[]) => readonly FileEntry[]
  /** The paths that commands cannot write by this text; undefined where it says nothing of it. */
  readonly readOnlyPaths: (text: string) => readonly string[] | undefined
  /** What it does, for a person. */
  readonly effect: string
}

const HOOKS_FOLDER = '.git/hooks'
const KEY_LIST = '.warrant/keys.yml'

/** Every file that decides whether the gate runs. The first one tells our entries from those of a person. */
export const GUARD_PATHS: readonly string[] = [
  KEY_LIST,
  HOOKS_FOLDER,
  '.git/config',
  '.husky/pre-commit',
  '.husky/pre-push',
  PRE_COMMIT_FILE,
  ...LEFTHOOK_FILES,
  ...Object.values(CLIENT_HOOKS).map(({ file }) => file),
]

/** A permission rule for a path and what is below it. */
const writeRule = (tool: string, path: string): string =>
  `${tool}(${path}${path.endsWith(HOOKS_FOLDER) ? '/**' : ''})`

const listed = (path: readonly string[], value: string): FileEntry =>
  jsonElement({ path, value, isOurs: (one) => one === value, mentions: (one) => one === value })

const CLAUDE_MARK = JSON.stringify(writeRule('Edit', `/${KEY_LIST}`))

/** A person may have the same value without us. */
const unlessForeign = (entry: FileEntry): FileEntry => ({
  ...entry,
  remove: async (text, written) => (text.includes(CLAUDE_MARK) ? entry.remove(text, written) : 'absent'),
})

const member = (path: readonly string[], value: boolean): FileEntry =>
  unlessForeign(jsonMember({ path, value, isOurs: (one) => one === value }))

const CODEX_LINE = 'sandbox_mode = "workspace-write" # by warrant init --sandbox'
const CODEX_MODE = /^sandbox_mode\s*=/m

const codexMode: FileEntry = {
  shown: CODEX_LINE,
  insert: async (text) => (CODEX_MODE.test(text) ? [] : [{ at: 0, text: `${CODEX_LINE}${lineEndOf(text)}` }]),
  remove: async (text) => {
    const from = text.indexOf(CODEX_LINE)
    return from < 0 ? 'absent' : { text: cutSpans(text, [{ from, to: endOfLine(text, from).at }]) }
  },
}

const sandboxOf = (text: string): Readonly<Record<string, unknown>> => {
  const { value } = parseJsonc(text)
  return isRecord(value) && isRecord(value.sandbox) ? value.sandbox : {}
}

export const CLIENT_SANDBOXES: Readonly<Partial<Record<SetupClient, ClientSandbox>>> = {
  claude: {
    file: CLIENT_HOOKS.claude.file,
    empty: CLIENT_HOOKS.claude.empty,
    entries: (paths) => [
      ...paths.map((path) => listed(['permissions', 'deny'], writeRule('Edit', `/${path}`))),
      member(['sandbox', 'enabled'], true),
      member(['sandbox', 'allowUnsandboxedCommands'], false),
      ...paths.map((path) => unlessForeign(listed(['sandbox', 'filesystem', 'denyWrite'], `./${path}`))),
    ],
    readOnlyPaths: (text) => {
      const { enabled, allowUnsandboxedCommands: others, filesystem } = sandboxOf(text)
      const denied = isRecord(filesystem) && Array.isArray(filesystem.denyWrite) ? filesystem.denyWrite : []
      const paths = denied.filter((one) => typeof one === 'string').map((one) => one.replace(/^\.\//, ''))
      return enabled === true && others === false && paths.length > 0 ? paths : undefined
    },
    effect:
      'keeps the files of the gate read-only for commands and edits; on Linux it needs bubblewrap and socat',
  },
  codex: {
    file: '.codex/config.toml',
    empty: undefined,
    entries: () => [codexMode],
    readOnlyPaths: (text) =>
      /^sandbox_mode\s*=\s*"workspace-write"/m.test(text) ? ['.git', '.codex'] : undefined,
    effect: 'keeps .git and .codex read-only for commands, so it asks before each commit',
  },
  cursor: {
    file: '.cursor/cli.json',
    empty: { permissions: { allow: [] } },
    entries: (paths) => paths.map((path) => listed(['permissions', 'deny'], writeRule('Write', path))),
    readOnlyPaths: () => undefined,
    effect:
      'refuses edits of the files of the gate in its terminal program; its sandbox cannot close single files',
  },
}

/** What is written for each client, in one line. */
export const describeSandboxes = (clients: readonly SetupClient[]): string =>
  clients
    .map(
      (client) =>
        `${client} ${CLIENT_SANDBOXES[client]?.effect ?? 'has no setting in a file that keeps single files read-only'}`,
    )
    .join('. ')
