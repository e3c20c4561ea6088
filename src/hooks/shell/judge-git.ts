import { quoteShell } from '../../kernel/text/shell-quote.ts'
import type { CommandContext, PlainCommand } from './command-context.ts'
import { ask, deny } from './command-verdict.ts'
import { expandWord } from './expand-word.ts'
import { type GitArguments, readGitArguments, readSubcommand, runsHooks } from './git-arguments.ts'
import { isKnownSubcommand } from './git-subcommands.ts'
import { findSkippingVariable } from './hook-variables.ts'
import { judgeGitConfig, movesHooks } from './judge-git-config.ts'
import { isKnown, type ShellField, UNKNOWN } from './shell-scope.ts'
import { splitCommands } from './split-commands.ts'

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
