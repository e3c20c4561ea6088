import { unifiedDiff } from '../../kernel/text/diff.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import { extensionOf, LANGUAGES } from '../../kernel/text/languages.ts'
import { quoteShellWord } from '../../kernel/text/shell-quote.ts'
import { CLIENT_HOOKS } from '../../setup/client-hooks.ts'
import { CLIENT_SERVERS } from '../../setup/client-servers.ts'
import { trustStep } from '../../setup/clients.ts'
import { shellCommand } from '../../setup/launch.ts'
import type { LeftFile, PlannedFile } from '../../setup/plan.ts'
import { showTarget } from '../../setup/target-file.ts'
import { writeTable } from '../command/text-table.ts'
import type { InitPlan } from './plan-init.ts'

export interface InitReport {
  readonly repository: string
  readonly plan: InitPlan
  readonly written: boolean
  /** Files that changed after they were shown. */
  readonly left: readonly LeftFile[]
  /** The paths that git tracks. */
  readonly tracked: readonly string[]
  readonly enforced: Readonly<Record<string, string>>
  /** The command with which a listed developer adds the key of this machine, where that is needed. */
  readonly enrol?: string
}

export interface InitView {
  /** Leaves out what was shown before the question. */
  readonly brief?: boolean
  readonly diff?: boolean
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

const describeLaunch = ({ launch, clients }: InitPlan): string[] =>
  launch.length === 2 && clients.length > 0
    ? [
        '',
        `The entries start this program by its path, because no \`warrant\` is on the PATH: ${shellCommand(launch)}`,
        'Other machines do not have this path. Before you commit the entries, put warrant on the PATH, run `warrant uninstall`, and run this again.',
      ]
    : []

const found = ({ repository, plan, tracked }: InitReport): string[] => {
  const languages = countLanguages(tracked).map(([name, count]) => `${name} ${count}`)
  const clients = plan.clients.map(({ client, by, shared }) =>
    by === 'named' ? client : `${client} (${by}${shared ? '' : ', for you alone'})`,
  )
  const offered = plan.offered.map(({ client, by }) => `${client} (${by})`).join(', ')
  return [
    escapeLineBreaks(`repository  ${repository}`),
    `languages   ${languages.join(', ') || 'none that is parsed'}`,
    `hooks       ${describeHooks(plan)}`,
    `clients     ${clients.join(', ') || 'none found; name yours: --clients claude'}`,
    ...(offered === ''
      ? []
      : [`yours       ${offered}: add --clients mine; their files stay hidden from git`]),
    ...(plan.checks > 0
      ? [`checks      ${plan.checks} could be declared: warrant checks suggest, or add --checks`]
      : []),
  ]
}

const SERVER_FILES = Object.entries(CLIENT_SERVERS).map(([name, { files }]) => [name, files] as const)

const HOOK_FILES = Object.values(CLIENT_HOOKS).map(({ file }) => file)
const isOfClient = (path: string): boolean =>
  HOOK_FILES.includes(path) ||
  SERVER_FILES.some(([, files]: readonly [string, readonly string[]]) => files.includes(path))

/** What a file is for, in a few words. */
const purposeOf = (path: string): string => {
  const served = SERVER_FILES.find(([, files]: readonly [string, readonly string[]]) =>
    files.includes(path),
  )?.[0]
  const hooked = Object.entries(CLIENT_HOOKS).find(([, { file }]) => file === path)?.[0]
  if (hooked !== undefined)
    return `${hooked} asks before it writes or runs a command${served === undefined ? '' : ', and has the tools'}`
  if (served !== undefined) return `${served} has the tools`
  if (path === '.git/info/exclude') return 'hides the state of this clone from git'
  if (path.startsWith('.github/workflows/')) return 'judges pull requests'
  if (path.startsWith('.warrant/')) return 'declares type checker, linter and tests'
  return path.endsWith('pre-push')
    ? 'judges each push'
    : path.endsWith('pre-commit')
      ? 'judges each commit'
      : 'judges each commit and push'
}

const listFiles = ({ plan, written, left }: InitReport): string[] => {
  const { files, kept, skipped, ignored } = plan
  const gone = new Set(left.map(({ path }) => path))
  const rows = files
    .map(({ target, before }) => [showTarget(target), before === undefined ? 'new' : 'edit'] as const)
    .filter(([path]) => !gone.has(path))
    .map(([path, change]) => [path, change, purposeOf(path)])
  return [
    '',
    ...(rows.length === 0
      ? ['There is nothing to change.']
      : [writeTable([written ? 'written' : 'would be written', '', 'what it does'], rows)]),
    ...(kept.length === 0 ? [] : [`As it is: ${kept.join(', ')}`]),
    ...left.map(
      ({ path, why }) => `NOT WRITTEN: ${path}, because ${why}. Run \`warrant init\` again to see it.`,
    ),
    ...(ignored.length === 0
      ? []
      : [
          `Git ignores ${ignored.join(', ')}: your team does not get ${ignored.length === 1 ? 'it' : 'them'}. To share: git add --force ${ignored.map(quoteShellWord).join(' ')}`,
        ]),
    ...skipped.flatMap(({ path, why, byHand }) => [
      '',
      `Not changed: ${path}, because ${why}. Add by hand:`,
      ...byHand.split('\n').map((line) => `  ${line}`),
    ]),
  ]
}

export const diffOf = ({ target, before, after }: PlannedFile): string =>
  unifiedDiff(showTarget(target), before, after)

const enforcedLines = (enforced: InitReport['enforced']): string[] => {
  const width = Math.max(...Object.keys(enforced).map((name) => name.length)) + 2
  return Object.entries(enforced).flatMap(([name, text]) =>
    text.split('\n').map((line, at) => `${(at === 0 ? name : '').padEnd(width)}${line}`),
  )
}

/** What is left to do by hand, in order. */
const nextSteps = ({ plan, left, enrol }: InitReport): string[] => {
  const gone = new Set([...left.map(({ path }) => path), ...plan.ignored])
  // Entries with a path of this machine are not for the team.
  const isPath = plan.launch.length === 2
  const shared = plan.files.flatMap(({ target }) =>
    target.place === 'tree' &&
    !gone.has(target.path) &&
    !plan.personal.includes(target.path) &&
    !(isPath && isOfClient(target.path))
      ? [quoteShellWord(target.path)]
      : [],
  )
  const trust = plan.clients.flatMap(({ client }) => trustStep(client) ?? [])
  const steps = [
    ...(shared.length === 0 ? [] : [`Commit the files for your team: git add ${shared.join(' ')}`]),
    ...trust,
    'See it block: warrant doctor --fire',
    ...(enrol === undefined
      ? []
      : [`This repository requires receipts. Send this to a developer whose key is listed:\n   ${enrol}`]),
  ]
  return ['', 'Next:', ...steps.map((step, at) => `${at + 1}. ${step}`)]
}

/** What was found, the files, what is enforced then, and what is left to do. */
export const describeInit = (report: InitReport, show: InitView, ending: readonly string[]): string[] => [
  ...(show.brief ? [] : found(report)),
  ...(show.diff ? report.plan.files.flatMap((file) => ['', diffOf(file)]) : []),
  ...listFiles(report),
  ...(show.brief ? [] : describeLaunch(report.plan)),
  '',
  ...enforcedLines(report.enforced),
  ...(report.written ? nextSteps(report) : []),
  ...(ending.length === 0 ? [] : ['', ...ending]),
]
