import type { CommandContext, PlainCommand } from './command-context.ts'
import { ask, deny } from './command-verdict.ts'
import { findHookVariable } from './hook-variables.ts'
import { mayBeOption } from './shell-scope.ts'

/** Commands of this program that change who may judge, or what counts: a person runs them. */
const PERSONAL: Readonly<Record<string, readonly string[]>> = {
  uninstall: [],
  accept: [],
  hooks: ['uninstall'],
  checks: ['allow'],
  keys: ['add', 'revoke'],
  lineage: ['erase', 'adopt', 'repair'],
}

const judgeWarrant = ({ args }: PlainCommand, { add }: CommandContext): void => {
  const [verb, second] = args.filter(({ text }) => !text.startsWith('-'))
  if (verb === undefined) return
  const seconds = Object.hasOwn(PERSONAL, verb.text) ? PERSONAL[verb.text] : undefined
  const isPersonal = seconds !== undefined && (seconds.length === 0 || seconds.includes(second?.text ?? ''))
  const allows = args.some(({ text }) => /^--allow-checks\b/.test(text))
  if (isPersonal || allows) {
    const shown = allows
      ? 'gate --allow-checks'
      : [verb.text, ...(seconds?.length ? [second?.text] : [])].join(' ')
    add(deny('own-command', `\`warrant ${shown}\` is run by a person: it changes what the gate accepts.`))
  } else if (mayBeOption(verb) || (seconds !== undefined && second !== undefined && mayBeOption(second)))
    add(ask('Which command of warrant runs is known only when it runs. Write it out.'))
}

/** Programs that remove the hooks which they manage. */
const HOOK_MANAGERS = new Set(['husky', 'lefthook', 'pre-commit', 'simple-git-hooks', 'overcommit'])
const REMOVES_HOOKS = /^(?:uninstall|--uninstall|uninit)$/

/** Programs that commit on their own, and the options by which they skip hooks. */
const RELEASE_TOOLS =
  /^(?:npm|pnpm|yarn|bun|lerna|standard-version|commit-and-tag-version|release-it|semantic-release|np|bump2version|bumpversion|bump-my-version|cz|commitizen|changeset|nx|gh|hub|jj|stg|gt)$/
const SKIPS = /(?:^|[=\s"'])--no-verify\b|--no-commit-hooks|--commit-hooks=(?:false|0|no)/

/** Programs under which a variable that switches hooks off is common and harmless: they install packages. */
const INSTALLS = /^(?:npm|pnpm|yarn|bun|corepack)$/
const INSTALL_VERB =
  /^(?:ci|i|install|add|rebuild|dedupe|prune|audit|update|upgrade|test|t|run-script|run|x|exec)?$/
/** Programs that run what someone else wrote, so git may be among it. */
const RUNNERS =
  /^(?:npm|pnpm|yarn|bun|lerna|make|just|task|gh|hub|nx|turbo|standard-version|commit-and-tag-version|release-it|semantic-release|changeset|lint-staged|python[\d.]*|node|ruby|perl|.*\.sh)$/

const judgeVariables = ({ name, args, environment }: PlainCommand, { add }: CommandContext): void => {
  const variable = RUNNERS.test(name) ? findHookVariable(environment) : undefined
  if (variable === undefined) return
  const [verb = '', script = ''] = args.map(({ text }) => text).filter((text) => !text.startsWith('-'))
  const isPlain =
    INSTALLS.test(name) && INSTALL_VERB.test(verb) && !/release|publish|version|commit|push/i.test(script)
  if (!isPlain)
    add(
      ask(
        `The variable ${variable} switches git hooks off, and \`${name}\` may run git. Run it without the variable.`,
      ),
    )
}

/** Judges programs other than git that skip or remove hooks, and this program itself. */
export const judgeTools = (command: PlainCommand, context: CommandContext): void => {
  const { name, args } = command
  if (name === 'warrant') judgeWarrant(command, context)
  const texts = args.map(({ text }) => text)
  const isWarrantFile = (text: string) => /(?:^|\/)warrant(?:\.[cm]?js)?$/.test(text)
  // `node …/bin/warrant.js`, whichever options node gets before it.
  const script = /^(?:node|nodejs|bun|deno)$/.test(name)
    ? texts.findIndex((text) => !text.startsWith('-'))
    : -1
  if (script >= 0 && isWarrantFile(texts[script] ?? ''))
    judgeWarrant({ ...command, args: args.slice(script + 1) }, context)
  if (HOOK_MANAGERS.has(name) && texts.some((text) => REMOVES_HOOKS.test(text)))
    context.add(
      deny('hooks-moved', `\`${name}\` would remove the git hooks. A person does that where it is intended.`),
    )
  if (RELEASE_TOOLS.test(name) && SKIPS.test(texts.join(' ')))
    context.add(
      deny('hooks-skipped', `\`${name}\` commits without git hooks here. Run it without that option.`),
    )
  judgeVariables(command, context)
}
