import { isRecord } from '../../kernel/encoding/json.ts'
import { CLIENT_HOOKS, commandsOf, type HookedClient, hookEntries } from '../../setup/client-hooks.ts'
import { parseJsonc } from '../../setup/editors/jsonc.ts'
import { readTomlLines } from '../../setup/editors/toml.ts'
import { type LaunchWords, readShellLaunch } from '../../setup/launch.ts'

/** `unknown`: the client keeps it where it cannot be read, or in a way that is not known. */
export type ClientTrust = 'trusted' | 'untrusted' | 'unknown'

/**
 * Whether Codex runs the hooks of a project: its home configuration trusts the project and has the digest of a hook of
 * this file. Which line the digest is of cannot be told.
 */
export const readCodexTrust = (text: string | undefined, root: string): ClientTrust => {
  if (text === undefined) return 'untrusted'
  try {
    const lines = readTomlLines(text).filter(({ kind }) => kind === 'key')
    const isProject = lines.some(
      ({ path: [table, folder, key], to }) =>
        table === 'projects' &&
        folder === root &&
        key === 'trust_level' &&
        /["']trusted["']$/.test(text.slice(0, to)),
    )
    const prefix = `${root}/.codex/hooks.json:pre_tool_use`
    const isHook = lines.some(
      ({ path: [hooks, state, name = '', key] }) =>
        hooks === 'hooks' && state === 'state' && name.startsWith(prefix) && key === 'trusted_hash',
    )
    return isProject && isHook ? 'trusted' : 'untrusted'
  } catch {
    return 'unknown'
  }
}

const parse = (text: string | undefined): unknown => (text === undefined ? {} : JSON.parse(text))

/**
 * Whether Gemini CLI trusts a folder: the nearest entry at or above it decides, and without one it is not trusted. The
 * settings of the user can switch this off.
 */
export const readGeminiTrust = (
  folders: string | undefined,
  settings: string | undefined,
  root: string,
): ClientTrust => {
  try {
    const [value, user] = [parse(folders), parse(settings)]
    const security = isRecord(user) ? user.security : undefined
    const folderTrust = isRecord(security) ? security.folderTrust : undefined
    if (isRecord(folderTrust) && folderTrust.enabled === false) return 'trusted'
    const [nearest] = Object.entries(isRecord(value) ? value : {})
      .filter(([folder]) => root === folder || root.startsWith(`${folder.replace(/\/$/, '')}/`))
      .sort(([one], [other]) => other.length - one.length)
    return nearest?.[1] === 'TRUST_FOLDER' || nearest?.[1] === 'TRUST_PARENT' ? 'trusted' : 'untrusted'
  } catch {
    return 'unknown'
  }
}

/**
 * What a file of a client says about the hook before a tool. `edited`: a line is there that `warrant init` did not
 * write. `after`: our entries are there, and not the one that can refuse.
 */
export type HookLine =
  | { readonly state: 'absent' | 'after' | 'edited' | 'off' }
  | { readonly state: 'unreadable'; readonly why: string }
  | { readonly state: 'present'; readonly command: string; readonly launch: LaunchWords }

const elementsOf = (hooks: unknown, event: string): readonly unknown[] => {
  const list = isRecord(hooks) ? hooks[event] : undefined
  return Array.isArray(list) ? list : []
}

/** Settings with which a client starts no hook. */
export const disablesEveryHook = (value: unknown): boolean =>
  isRecord(value) &&
  (value.disableAllHooks === true || (isRecord(value.hooksConfig) && value.hooksConfig.enabled === false))

/** Finds our line in the file of a client. */
export const findHookLine = async (client: HookedClient, text: string): Promise<HookLine> => {
  let value: unknown
  try {
    ;({ value } = parseJsonc(text))
  } catch (thrown) {
    return { state: 'unreadable', why: thrown instanceof Error ? thrown.message : String(thrown) }
  }
  const args = `hook ${client}`
  const hooks = isRecord(value) ? value.hooks : undefined
  const { events } = CLIENT_HOOKS[client]
  const at = events.findIndex(({ blocks }) => blocks)
  const commands = (event = ''): string[] =>
    elementsOf(hooks, event)
      .flatMap(commandsOf)
      .filter((command) => command.includes('warrant') && command.includes(args))
  const [command] = commands(events[at]?.event)
  if (command === undefined)
    return { state: events.some(({ event }) => commands(event).length > 0) ? 'after' : 'absent' }
  if (disablesEveryHook(value)) return { state: 'off' }
  const launch = readShellLaunch(command, args)
  const entry = launch && hookEntries(client, launch)[at]
  // An entry with another matcher or without a deadline is not the one that was written.
  if (launch === undefined || (await entry?.remove(text, new Set())) === 'edited') return { state: 'edited' }
  return { state: 'present', command, launch }
}
