import { isRecord } from '../../kernel/encoding/json.ts'
import { CLIENT_HOOKS, commandsOf, type HookedClient, hookEntries } from '../client-hooks.ts'
import { parseJsonc } from '../editors/jsonc.ts'
import { type LaunchWords, readShellLaunch } from '../launch.ts'

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
