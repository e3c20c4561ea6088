import type { CommandContext } from './command-context.ts'
import { ask, deny } from './command-verdict.ts'
import { type ShellField, UNKNOWN } from './shell-scope.ts'

/** Settings that decide which hooks run, or that read further settings from another file. */
const MOVES_HOOKS = /^(?:core\.hookspath|include\.path|includeif\..*|hook\..*)$/i

export const movesHooks = (name: string): boolean => MOVES_HOOKS.test(name)

/** Settings that only a person changes: also those of the installation. */
const isProtectedSetting = (name: string): boolean =>
  movesHooks(name) || /^(?:core\.(?:worktree|bare)|(?:pumuki|warrant)\..*)$/i.test(name)

const PROTECTED_SECTION = /^(?:core|include|includeif\b.*|hook\b.*|pumuki|warrant)$/i

const VALUED = ['-f', '--file', '--blob', '--type', '--default', '--comment', '--value', '--fixed-value']
const READS =
  /^(?:--get|--get-all|--get-regexp|--get-urlmatch|--get-color|--get-colorbool|-l|--list|--show-origin|--show-scope|--name-only)$/
const REMOVES = /^(?:--unset|--unset-all|--remove-section|--rename-section)$/

type ConfigMode = 'read' | 'write' | 'section' | 'edit'

const VERBS: Readonly<Record<string, ConfigMode>> = {
  get: 'read',
  list: 'read',
  set: 'write',
  unset: 'write',
  'remove-section': 'section',
  'rename-section': 'section',
  edit: 'edit',
}

/** What a command line of `git config` does, and with which names. */
const readConfig = (args: readonly ShellField[]) => {
  const names: string[] = []
  let mode: ConfigMode | undefined
  for (let at = 0; at < args.length; at++) {
    const text = args[at]?.text ?? ''
    if (VALUED.includes(text)) at += 1
    else if (READS.test(text)) mode = 'read'
    else if (/^(?:-e|--edit)$/.test(text)) mode = 'edit'
    else if (/^--(?:remove|rename)-section$/.test(text)) mode = 'section'
    else if (REMOVES.test(text) || /^--(?:add|replace-all)$/.test(text)) mode = 'write'
    else if (!text.startsWith('-')) names.push(text)
  }
  const verb = mode === undefined ? VERBS[names[0] ?? ''] : undefined
  if (verb !== undefined) return { mode: verb, names: names.slice(1) }
  return { mode: mode ?? (names.length > 1 ? ('write' as const) : ('read' as const)), names }
}

/** Judges `git config`: reading is free, and most settings are. */
export const judgeGitConfig = (args: readonly ShellField[], context: CommandContext): void => {
  const { mode, names } = readConfig(args)
  const [name = '', value = ''] = names
  if (mode === 'read') return
  if (mode === 'edit') {
    context.add(
      ask('`git config --edit` may change the settings of the git hooks. Set one value by name instead.'),
    )
    return
  }
  if (name.includes(UNKNOWN))
    context.add(ask('The name of the setting is known only when `git config` runs.'))
  const isProtected =
    mode === 'section' ? names.some((one) => PROTECTED_SECTION.test(one)) : isProtectedSetting(name)
  if (isProtected)
    context.add(
      deny(
        'hooks-moved',
        `\`git config\` of ${name} changes which git hooks run. Leave it as it is; a person changes it where that is intended.`,
      ),
    )
  // An alias is judged as it would be run.
  if (/^alias\./i.test(name) && value !== '')
    context.judgeApart(value.startsWith('!') ? value.slice(1) : `git ${value}`)
}
