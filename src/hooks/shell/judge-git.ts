import { quoteShell } from '../../kernel/text/shell-quote.ts'
import type { CommandContext, PlainCommand } from './command-context.ts'
import { ask, deny } from './command-verdict.ts'
import { expandWord } from './expand-word.ts'
import { type GitArguments, readGitArguments, readSubcommand, runsHooks } from './git-arguments.ts'
import { findSkippingVariable } from './hook-variables.ts'
import { isKnown, type ShellField, UNKNOWN } from './shell-scope.ts'
import { splitCommands } from './split-commands.ts'

/** Subcommands of git: git ignores an alias with the name of one. */
const SUBCOMMANDS = new Set(
  `add am annotate apply archive backfill bisect branch bugreport bundle cat-file check-attr check-ignore check-mailmap
check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column commit commit-graph commit-tree
config count-objects credential describe diagnose diff diff-files diff-index diff-pairs diff-tree difftool fast-export
fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc grep gui
hash-object help history hook http-push index-pack init interpret-trailers last-modified lfs log ls-files ls-remote
ls-tree maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv
name-rev notes pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase receive-pack reflog refs
remote repack replace replay repo request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack
shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule subtree switch
symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive upload-pack var
verify-commit verify-pack verify-tag version whatchanged worktree write-tree`.split(/\s+/),
)

const isKnownSubcommand = (name: string): boolean => SUBCOMMANDS.has(name)

/** Settings that decide which hooks run, or that read further settings from another file. */
const MOVES_HOOKS = /^(?:core\.hookspath|include\.path|includeif\..*|hook\..*)$/i

const movesHooks = (name: string): boolean => MOVES_HOOKS.test(name)

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
const judgeGitConfig = (args: readonly ShellField[], context: CommandContext): void => {
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

const RUN_HOOKS = 'The gate must judge the change: run the same command without it.'

/** Whether `--git-dir` names the folder that git would use anyway. */
const isOwnGitDir = (gitDir: string, { scope }: CommandContext): boolean =>
  /^(?:\.\/)?\.git\/?$/.test(gitDir) || gitDir === `${scope.places.root}/.git`

/** Refusals that depend on options and variables before the subcommand. */
const judgeSurroundings = (
  name: string,
  git: GitArguments,
  command: PlainCommand,
  context: CommandContext,
): void => {
  const moved = git.settings.find((one) => movesHooks(one.name))
  if (moved !== undefined)
    context.add(
      deny(
        'hooks-moved',
        `\`git -c ${moved.name}=…\` takes the git hooks away from \`git ${name}\`. ${RUN_HOOKS}`,
      ),
    )
  if (git.settings.some((one) => one.name.includes(UNKNOWN)))
    context.add(ask(`\`git -c\` sets a name that is known only when \`git ${name}\` runs.`))
  if (git.gitDir !== undefined && !isOwnGitDir(git.gitDir, context))
    context.add(
      deny(
        'hooks-moved',
        `\`git --git-dir\` makes \`git ${name}\` use another folder, with other hooks. ${RUN_HOOKS}`,
      ),
    )
  if (git.execPath)
    context.add(deny('hooks-moved', `\`git --exec-path\` replaces the programs of git. ${RUN_HOOKS}`))
  const variable = findSkippingVariable(command.environment)
  if (variable !== undefined)
    context.add(
      deny(
        'hooks-skipped',
        `The variable ${variable} changes which hooks \`git ${name}\` runs, or how. ${RUN_HOOKS}`,
      ),
    )
}

const judgeHookRunner = (
  name: string,
  git: GitArguments,
  command: PlainCommand,
  context: CommandContext,
): void => {
  judgeSurroundings(name, git, command, context)
  const { skipsHooks, isOpen, commands } = readSubcommand(name, git.rest)
  if (skipsHooks)
    context.add(deny('hooks-skipped', `\`git ${name}\` with --no-verify skips the git hooks. ${RUN_HOOKS}`))
  else if (isOpen || (command.takesMore && (name === 'commit' || name === 'push')))
    context.add(
      ask(
        `Whether \`git ${name}\` runs its hooks depends on an argument that is known only when it runs. Write the argument out.`,
      ),
    )
  for (const one of commands) context.judgeApart(one)
  const isRemoval = git.rest.some(({ text }) => /^(?:-d|--del(?:ete)?|--mirror|--prune)$/.test(text))
  const notes = name === 'push' && git.rest.find(({ text }) => /refs\/notes\/(?:warrant|\*)/.test(text))
  if (notes && (isRemoval || /^[:+]/.test(notes.text)))
    context.add(
      deny(
        'own-file',
        'The push removes or replaces the receipts of the remote. `warrant receipts push` sends them.',
      ),
    )
}

const REFS_OF_COMMITS = /^(?:HEAD$|@$|refs\/(?:heads|notes|remotes)\/)/

/** Plumbing that makes commits, or moves branches to them, without any hook. */
const judgePlumbing = (name: string, rest: readonly ShellField[], { add }: CommandContext): void => {
  if (name === 'update-ref') {
    const ref = rest.find(({ text }) => REFS_OF_COMMITS.test(text) || text.includes(UNKNOWN))
    if (ref === undefined && !rest.some(({ text }) => text === '--stdin')) return
  }
  if (name === 'notes' && !rest.some(({ text }) => /\bwarrant/.test(text))) return
  if (name === 'notes' && rest.some(({ text }) => ['list', 'show'].includes(text))) return
  const what = name === 'notes' ? 'changes receipts' : 'writes commits or branches without git hooks'
  add(
    deny(
      name === 'notes' ? 'own-file' : 'commit-by-plumbing',
      `\`git ${name}\` ${what}. Use \`git commit\` and \`git push\`, so that the gate judges the change.`,
    ),
  )
}

const PLUMBING = new Set('commit-tree update-ref fast-import send-pack http-push notes'.split(' '))

/** Arguments of git with an alias replaced; undefined where the alias is a shell command, which is judged here. */
const expandAlias = (
  value: string,
  git: GitArguments,
  context: CommandContext,
): readonly ShellField[] | undefined => {
  if (value.startsWith('!')) {
    const rest = git.rest.map(({ text }) => quoteShell(text)).join(' ')
    context.judgeApart(`${value.slice(1)} ${rest}`)
    return undefined
  }
  const words = splitCommands(value)[0]?.words ?? []
  const settings = git.settings
    .filter((one) => !one.name.startsWith('alias.'))
    .flatMap((one) => ['-c', `${one.name}=${one.value}`])
  return [
    ...settings.map((text) => ({ text, glob: false })),
    ...words.flatMap((word) => expandWord(word, context.scope)),
    ...git.rest,
  ]
}

const aliasOf = (name: string, git: GitArguments, context: CommandContext): string | undefined => {
  const given = git.settings.find((one) => one.name === `alias.${name.toLowerCase()}`)
  return given?.value ?? (isKnownSubcommand(name) ? undefined : context.alias(name))
}

const MAX_ALIASES = 4

/** Judges a command line of git. */
export const judgeGit = (command: PlainCommand, context: CommandContext, depth = 0): void => {
  const git = readGitArguments(command.args)
  const { subcommand, rest } = git
  if (subcommand === undefined) return
  if (!isKnown(subcommand)) {
    const reading = readSubcommand('commit', rest)
    if (reading.skipsHooks || reading.isOpen)
      context.add(ask('The subcommand of git is known only when it runs. Write it out.'))
    return
  }
  const name = subcommand.text
  const alias = depth < MAX_ALIASES ? aliasOf(name, git, context) : undefined
  if (alias !== undefined) {
    const args = expandAlias(alias, git, context)
    if (args !== undefined) judgeGit({ ...command, args }, context, depth + 1)
    return
  }
  if (runsHooks(name)) judgeHookRunner(name, git, command, context)
  else if (name === 'config') judgeGitConfig(rest, context)
  else if (PLUMBING.has(name)) judgePlumbing(name, rest, context)
  else if (name === 'submodule' && rest.some(({ text }) => text === 'foreach'))
    context.judgeApart(
      rest
        .slice(rest.findIndex(({ text }) => text === 'foreach') + 1)
        .map(({ text }) => text)
        .join(' '),
    )
  else if (name === 'bisect' && rest[0]?.text === 'run') context.start(rest.slice(1), command)
}
