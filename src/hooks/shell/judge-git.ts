import { type CommandVerdict, deny } from './command-verdict.ts'
import { OPEN, type ShellWord } from './read-commands.ts'

/** Short options of a subcommand with a value: in the next argument, or always attached. */
const VALUED: Readonly<Record<string, string>> = {
  commit: 'mFCct',
  am: 'Cp',
  push: 'o',
  merge: 'msXF',
  rebase: 'sXxC',
  pull: 'sXo',
  'cherry-pick': 'msX',
  revert: 'msX',
}
const ATTACHED: Readonly<Record<string, string>> = {
  commit: 'Su',
  am: 'S',
  merge: 'S',
  rebase: 'S',
  pull: 'Sj',
}
/** Long options whose value is the next argument. */
const VALUED_LONG =
  /^--(?:message|file|author|date|template|reuse-message|reedit-message|fixup|squash|cleanup|trailer|push-option|exec|onto|strategy|strategy-option|mainline|into-name)$/
/** Git accepts the beginning of a long option. */
const NO_VERIFY = /^--no-v(?:e(?:r(?:i(?:f(?:y)?)?)?)?)?(?:=.*)?$/

const skipsByShort = (name: string, letters: string): 'yes' | 'value' | 'no' => {
  for (const [at, letter] of [...letters].entries()) {
    if (letter === 'n' && (name === 'commit' || name === 'am')) return 'yes'
    if (ATTACHED[name]?.includes(letter)) return 'no'
    if (VALUED[name]?.includes(letter)) return at === letters.length - 1 ? 'value' : 'no'
  }
  return 'no'
}

/** Whether a subcommand that runs hooks is told to skip them. Values of options, such as messages, are passed over. */
const skipsHooks = (name: string, rest: readonly ShellWord[]): boolean => {
  for (let at = 0; at < rest.length; at++) {
    const { text, raw } = rest[at] ?? { text: '', raw: '' }
    if (text === '--') return false
    if (NO_VERIFY.test(text)) return true
    const short = /^-[^-]/.test(text) ? skipsByShort(name, text.slice(1)) : 'no'
    if (short === 'yes') return true
    if (short === 'value' || VALUED_LONG.test(text)) at += 1
    // An expansion that is not read here may still show what it becomes.
    else if (/^-?-?[{$`]/.test(raw) && raw.includes('no-verify')) return true
  }
  return false
}

/** Settings that decide which hooks run, or that read further settings from another file. */
const MOVES_HOOKS = /^(?:core\.hookspath|include\.path|includeif\..*|hook\..*)$/i
/** Settings that only a person changes: also those of the installation. */
const PROTECTED_SETTING =
  /^(?:core\.(?:hookspath|worktree|bare|fsmonitor)|include\.path|includeif\..*|hook\..*|warrant\..*)$/i
const PROTECTED_SECTION = /^(?:core|include|includeif\b.*|hook\b.*|warrant)$/i
const CONFIG_VALUED = /^(?:-f|--file|--blob|--type|--default|--comment|--value)$/
const CONFIG_READS = /^(?:--get\S*|-l|--list|get|list)$/

/** The reason why a `git config` is refused. Reading is free, and most settings are. */
const judgeConfig = (rest: readonly ShellWord[]): CommandVerdict[] => {
  const texts = rest.map(({ text }) => text)
  if (texts.some((text) => CONFIG_READS.test(text))) return []
  const named = texts.filter((text, at) => !text.startsWith('-') && !CONFIG_VALUED.test(texts[at - 1] ?? ''))
  const isSection = texts.some((text) => /^(?:--)?(?:remove|rename)-section$/.test(text))
  const isUnset = texts.some((text) => /^(?:--)?unset(?:-all)?$/.test(text))
  const [name = '', value] = named.filter((text) => !/^(?:set|unset|(?:remove|rename)-section)$/.test(text))
  const isWrite = isSection || isUnset || value !== undefined
  const isProtected = isSection ? PROTECTED_SECTION.test(name) : PROTECTED_SETTING.test(name)
  if (!isWrite || !isProtected) return []
  return [
    deny(
      'hooks-moved',
      `\`git config\` of ${name} changes which git hooks run. Leave it as it is; a person changes it where that is intended.`,
    ),
  ]
}

const isOff = (value: string) => /^(?:0|false|no|off|)$/i.test(value)

/** Variables under which hooks do not run, or not all of them, or with another configuration. */
const SKIPPING: readonly (readonly [name: RegExp, counts: (value: string) => boolean])[] = [
  [/^(?:HUSKY|LEFTHOOK|PUMUKI_HARD_MODE)$/, isOff],
  [
    /^(?:HUSKY_SKIP_HOOKS|PRE_COMMIT_ALLOW_NO_CONFIG|OVERCOMMIT_DISABLE|SKIP_SIMPLE_GIT_HOOKS|PUMUKI_SDD_BYPASS)$/,
    (value) => !isOff(value),
  ],
  [
    /^(?:SKIP|LEFTHOOK_\w+|WARRANT_\w+|HOME|XDG_(?:CONFIG|STATE)_HOME|GIT_CONFIG(?:_\w+)?|GIT_(?:DIR|COMMON_DIR|EXEC_PATH|INDEX_FILE|TEMPLATE_DIR))$/,
    (value) => value !== '',
  ],
]

const GLOBALS_VALUED =
  /^(?:-C|-c|--git-dir|--work-tree|--namespace|--config-env|--super-prefix|--attr-source)$/

const RUN_HOOKS = 'The gate must judge the change: run the same command without it.'

/** Why the options and variables before a subcommand take its hooks away. */
const judgeSurroundings = (
  name: string,
  globals: readonly string[],
  environment: ReadonlyMap<string, string>,
): CommandVerdict[] => {
  const verdicts: CommandVerdict[] = []
  for (const [at, text] of globals.entries()) {
    const value = globals[at + 1] ?? ''
    const setting = text === '-c' || text === '--config-env' ? value : /^--config-env=(.*)/.exec(text)?.[1]
    const [key = ''] = setting?.split('=', 1) ?? []
    if (MOVES_HOOKS.test(key))
      verdicts.push(
        deny(
          'hooks-moved',
          `\`git -c ${key}=…\` takes the git hooks away from \`git ${name}\`. ${RUN_HOOKS}`,
        ),
      )
    const folder = text === '--git-dir' ? value : /^--git-dir=(.*)/.exec(text)?.[1]
    if (folder !== undefined && !/(?:^|\/)\.git\/?$/.test(folder))
      verdicts.push(
        deny(
          'hooks-moved',
          `\`git --git-dir\` makes \`git ${name}\` use another folder, with other hooks. ${RUN_HOOKS}`,
        ),
      )
    if (text.startsWith('--exec-path='))
      verdicts.push(deny('hooks-moved', `\`git --exec-path\` replaces the programs of git. ${RUN_HOOKS}`))
  }
  for (const [variable, value] of environment)
    if (SKIPPING.some(([pattern, counts]) => pattern.test(variable) && counts(value)))
      verdicts.push(
        deny(
          'hooks-skipped',
          `The variable ${variable} changes which hooks \`git ${name}\` runs, or how. ${RUN_HOOKS}`,
        ),
      )
  return verdicts
}

const COMMIT_REF = /^(?:HEAD$|@$|refs\/(?:heads|notes|remotes)\/|--stdin$)/

/** Plumbing that makes commits, or moves branches to them, without any hook. */
const judgePlumbing = (name: string, texts: readonly string[]): CommandVerdict[] => {
  const isPlumbing =
    /^(?:commit-tree|fast-import|send-pack|http-push)$/.test(name) ||
    (name === 'update-ref' && texts.some((text) => COMMIT_REF.test(text) || text.includes(OPEN)))
  if (isPlumbing)
    return [
      deny(
        'commit-by-plumbing',
        `\`git ${name}\` writes commits or branches without git hooks. Use \`git commit\` and \`git push\`, so that the gate judges the change.`,
      ),
    ]
  const isOfReceipts = texts.some((text) => /refs\/notes\/(?:warrant|\*)|\bwarrant\b/.test(text))
  const removes =
    name === 'notes'
      ? !/^(?:list|show)$/.test(texts.find((text) => /^[a-z]+$/.test(text)) ?? '')
      : texts.some((text) => /^(?:-d|--del(?:ete)?|--mirror|--prune|[:+]refs\/notes\/.*)$/.test(text))
  return (name === 'notes' || name === 'push') && isOfReceipts && removes
    ? [
        deny(
          'own-file',
          `\`git ${name}\` would remove or replace receipts. \`warrant receipts push\` sends them.`,
        ),
      ]
    : []
}

/** Judges the arguments of git. */
export const judgeGit = (
  args: readonly ShellWord[],
  environment: ReadonlyMap<string, string>,
): CommandVerdict[] => {
  let at = 0
  while (at < args.length && args[at]?.text.startsWith('-'))
    at += GLOBALS_VALUED.test(args[at]?.text ?? '') ? 2 : 1
  const globals = args.slice(0, at).map(({ text }) => text)
  const name = args[at]?.text ?? ''
  const rest = args.slice(at + 1)
  const texts = rest.map(({ text }) => text)
  const plumbing = judgePlumbing(name, texts)
  if (name === 'config') return judgeConfig(rest)
  if (!Object.hasOwn(VALUED, name)) return plumbing
  const skipped = skipsHooks(name, rest)
    ? [deny('hooks-skipped', `\`git ${name}\` with --no-verify skips the git hooks. ${RUN_HOOKS}`)]
    : []
  return [...judgeSurroundings(name, globals, environment), ...skipped, ...plumbing]
}
