import { unifiedDiff } from '../../kernel/text/diff.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import { extensionOf, LANGUAGES } from '../../kernel/text/languages.ts'
import { shellCommand } from '../../setup/launch.ts'
import type { PlannedFile } from '../../setup/plan.ts'
import { showTarget } from '../../setup/target-file.ts'
import type { InitPlan } from './plan-init.ts'

export interface InitReport {
  readonly repository: string
  readonly plan: InitPlan
  readonly written: boolean
  /** The paths that git tracks. */
  readonly tracked: readonly string[]
  readonly enforced: Readonly<Record<string, string>>
  /** Leaves out what was shown before the question. */
  readonly brief?: true
}

const MAX_LANGUAGES = 5

/** The parsed languages of the tracked files, the most frequent first. */
export const countLanguages = (tracked: readonly string[]): readonly (readonly [string, number])[] => {
  const names = new Map<string, string>(
    Object.entries(LANGUAGES).flatMap(([name, { extensions }]) =>
      extensions.map((extension) => [extension, name] as const),
    ),
  )
  const counts = new Map<string, number>()
  for (const path of tracked) {
    const name = names.get(extensionOf(path))
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].sort((one, other) => other[1] - one[1]).slice(0, MAX_LANGUAGES)
}

const describeHooks = ({ hooks: { manager, file, active }, lintStaged }: InitPlan): string => {
  const how =
    manager === undefined
      ? 'plain git hooks'
      : `${manager} (${file})${active.size === 0 ? ', not active in this clone' : ''}`
  return `${how}${lintStaged ? '; lint-staged is left as it is' : ''}`
}

const describeLaunch = ({ launch }: InitPlan): string[] =>
  launch.length === 2
    ? [
        `The entries start this program by its path, because no \`warrant\` is on the PATH: ${shellCommand(launch)}`,
        'Other machines do not have this path. Before you commit the entries, put warrant on the PATH, run `warrant uninstall`, and run this again.',
      ]
    : []

const found = ({ repository, plan, tracked }: InitReport): string[] => {
  const languages = countLanguages(tracked).map(([name, count]) => `${name} ${count}`)
  const clients = plan.clients.map(({ client, by }) => (by === 'named' ? client : `${client} (${by})`))
  return [
    escapeLineBreaks(`repository  ${repository}`),
    `languages   ${languages.join(', ') || 'none that is parsed'}`,
    `hooks       ${describeHooks(plan)}`,
    `clients     ${clients.join(', ') || 'none found; name yours: --clients claude'}`,
    ...(plan.checks > 0
      ? [`checks      ${plan.checks} could be declared: warrant checks suggest, or add --checks`]
      : []),
  ]
}

const listFiles = ({ plan, written }: InitReport): string[] => {
  const { files, kept, skipped } = plan
  const names = files.map(
    ({ target, before }) => `  ${before === undefined ? 'new ' : 'edit'} ${showTarget(target)}`,
  )
  return [
    ...(names.length === 0
      ? ['', 'There is nothing to change.']
      : ['', written ? 'Written:' : 'To be written:', ...names]),
    ...(kept.length === 0 ? [] : [`As it is: ${kept.join(', ')}`]),
    ...skipped.flatMap(({ path, why, byHand }) => [
      '',
      `Not changed: ${path}, because ${why}. Add by hand:`,
      ...byHand.split('\n').map((line) => `  ${line}`),
    ]),
  ]
}

export const diffOf = ({ target, before, after }: PlannedFile): string =>
  unifiedDiff(showTarget(target), before, after)

/** What was found, the changes as a diff, and what is enforced then. */
export const describeInit = (report: InitReport, ending: readonly string[]): string[] => {
  const { plan, brief, enforced } = report
  const width = Math.max(...Object.keys(enforced).map((name) => name.length))
  return [
    ...(brief ? [] : [...found(report), ...plan.files.flatMap((file) => ['', diffOf(file)])]),
    ...listFiles(report),
    ...(brief ? [] : describeLaunch(plan).flatMap((line, at) => (at === 0 ? ['', line] : [line]))),
    '',
    ...Object.entries(enforced).map(([name, text]) => `${name.padEnd(width)}  ${text}`),
    ...(ending.length === 0 ? [] : ['', ...ending]),
  ]
}
