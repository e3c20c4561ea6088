import type { Ruleset } from '../../evidence/schema.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { createLimiter } from '../../kernel/async/concurrency.ts'
import { lazyAsync } from '../../kernel/async/once.ts'
import { optional } from '../../kernel/optional.ts'
import { readChangedLines } from '../facts/changed-lines.ts'
import type { FindingDraft } from '../findings/drafts.ts'
import { listNames } from '../findings/file-tally.ts'
import type { ChangeSet, GitReader } from '../ports.ts'
import type { CheckRow } from '../reports/report.ts'
import { CHECKS_FILE, type Check, type CheckPorts, concernsPath, type RequiredCheck } from './check.ts'
import { differenceDraft, readTreeDifference, readWorktreeFiles } from './check-tree.ts'
import type { ImportedRun } from './import-results.ts'
import { digestOutput } from './output-json.ts'
import type { Coverage } from './readers/coverage.ts'
import type { CheckOutput, CheckResult } from './readers/reader.ts'
import { resultDrafts, type TouchedPlaces } from './result-drafts.ts'
import { type CheckRun, type RunContext, runCheck } from './run-check.ts'

interface Share {
  readonly found: number
  readonly covered: number
}

const sum = (shares: Iterable<Share>): Share => {
  let [found, covered] = [0, 0]
  for (const one of shares) {
    found += one.found
    covered += one.covered
  }
  return { found, covered }
}

const lineShare = (lines: ReadonlyMap<number, number>, counts: (line: number) => boolean): Share => {
  const all = [...lines].filter(([line]) => counts(line))
  return { found: all.length, covered: all.filter(([, hits]) => hits > 0).length }
}

const percentOf = ({ found, covered }: Share): number => (covered * 100) / found

/** Rounded down, so that a value below a threshold is not shown as the threshold. */
const shown = (share: Share): string => `${Math.floor(percentOf(share) * 100) / 100} %`

/** Files that the change touched, with the touched lines that no test ran. */
const uncovered = (coverage: Coverage, touched: TouchedPlaces): CheckResult[] =>
  [...coverage.files].flatMap(([file, { lines }]) => {
    const missed = [...lines]
      .filter(([line, hits]) => hits === 0 && touched.lines(file, { line, endLine: line }))
      .map(([line]) => line)
      .sort((a, b) => a - b)
    const [first] = missed
    if (first === undefined) return []
    const region = { line: first, column: 1, endLine: first, endColumn: 2 }
    const message = `No test runs the changed ${missed.length === 1 ? 'line' : 'lines'} ${listNames(missed)}.`
    return [{ rule: 'uncovered-lines', level: 'note', message, file, region }]
  })

/** Results for coverage below the thresholds of a check. */
export const judgeCoverage = (
  { thresholds = {} }: Pick<Check, 'thresholds'>,
  coverage: Coverage,
  touched: TouchedPlaces,
): CheckResult[] => {
  const files = [...coverage.files]
  const shares: Readonly<Record<string, Share>> = {
    lines: sum(files.map(([, { lines }]) => lineShare(lines, () => true))),
    branches: sum(files.map(([, { branches }]) => ({ found: branches.found, covered: branches.taken }))),
    'changed-lines': sum(
      files.map(([file, { lines }]) =>
        lineShare(lines, (line) => touched.lines(file, { line, endLine: line })),
      ),
    ),
  }
  if (shares.lines?.found === 0)
    return [
      { rule: 'empty', level: 'error', message: 'The coverage report covers no line of the repository.' },
    ]
  const results = Object.entries(thresholds).flatMap(([name, least]): CheckResult[] => {
    const share = shares[name]
    // Nothing to cover is covered: a change of documents touches no line of a program.
    if (share === undefined || share.found === 0 || percentOf(share) >= least) return []
    const message = `Tests cover ${shown(share)} of the ${name.replace('-', ' ')} (${share.covered} of ${share.found}); at least ${least} % are required.`
    return [{ rule: `${name}-below-threshold`, level: 'error', message }]
  })
  const isBelow = results.some(({ rule }) => rule.startsWith('changed-lines'))
  return isBelow ? [...results, ...uncovered(coverage, touched)] : results
}

/** Progress of the checks: how many are done, and which are running. */
export type CheckProgress = (done: number, total: number, running: readonly string[]) => void

interface CheckRequest {
  readonly ports: CheckPorts
  readonly git: GitReader
  readonly set: ChangeSet
  readonly stage: GateStage
  readonly progress: CheckProgress
  readonly signal: AbortSignal
}

export interface JudgedChecks {
  readonly drafts: readonly FindingDraft[]
  readonly rulesets: readonly Ruleset[]
  readonly rows: readonly CheckRow[]
}

/** The checks that a stage asks for, apart from those that nothing in the change concerns. */
export const selectChecks = (
  required: readonly RequiredCheck[],
  { stage, set }: Pick<CheckRequest, 'stage' | 'set'>,
): { readonly due: readonly RequiredCheck[]; readonly skipped: readonly RequiredCheck[] } => {
  const due: RequiredCheck[] = []
  const skipped: RequiredCheck[] = []
  for (const one of required) {
    if (!one.check.stages.includes(stage)) continue
    const matters = concernsPath(one.check)
    // A new version of the checks is tried on the change that brings it.
    const concerns = (path: string) => path === CHECKS_FILE || matters(path)
    const isConcerned = set.changes.some(
      ({ path, from }) => concerns(path) || (from !== undefined && concerns(from)),
    )
    ;(isConcerned ? due : skipped).push(one)
  }
  return { due, skipped }
}

/** The places that the change touched, in the files that results or coverage name. */
const touchedPlaces = async (
  set: ChangeSet,
  outputs: readonly CheckOutput[],
  signal: AbortSignal,
): Promise<TouchedPlaces> => {
  const changed = new Set(set.changes.map(({ path }) => path))
  const named = outputs.flatMap(({ results, coverage }) => [
    ...results.flatMap(({ file }) => file ?? []),
    ...(coverage?.files.keys() ?? []),
  ])
  return { file: (path) => changed.has(path), lines: await readChangedLines(set, named, signal) }
}

const displayName = ({ check, ofBase }: RequiredCheck): string =>
  ofBase ? `${check.name} (base)` : check.name

/** The output with the results about coverage. */
const withCoverage = (check: Check, output: CheckOutput, touched: TouchedPlaces): CheckOutput =>
  output.coverage === undefined
    ? output
    : { ...output, results: [...output.results, ...judgeCoverage(check, output.coverage, touched)] }

/** A check and what it gave; `label` is the file that its results were imported from. */
interface JudgedRun {
  readonly one: RequiredCheck
  readonly run: CheckRun
  readonly label?: string
}

/** One check with its findings, its row in the report and its row in the evidence. */
const toJudged = ({ one, run, label }: JudgedRun, touched: TouchedPlaces): JudgedChecks => {
  const name = displayName(one)
  const { consent, ms, cached } = run
  const common = {
    name,
    origin: label === undefined ? ('run' as const) : ('imported' as const),
    ...optional({ file: label, consent }),
    ...(cached && { cached }),
    ...optional({ duration_ms: ms }),
  }
  if ('problem' in run)
    return { drafts: [run.draft], rulesets: [], rows: [{ ...common, outcome: run.problem, results: 0 }] }
  return describeOutput({ check: one.check, imported: label }, { ...run, common, touched })
}

interface DescribedOutput {
  readonly output: CheckOutput
  readonly version?: string | undefined
  readonly common: Omit<CheckRow, 'outcome' | 'results'>
  readonly touched: TouchedPlaces
}

const describeOutput = (
  origin: Parameters<typeof resultDrafts>[0],
  { output, version, common, touched }: DescribedOutput,
): JudgedChecks => {
  const whole = withCoverage(origin.check, output, touched)
  const { drafts, outside } = resultDrafts(origin, whole, touched)
  const digest = digestOutput(output)
  const tool = {
    ...optional({ tool: output.tool?.name, version: output.tool?.version ?? version }),
  }
  const row: CheckRow = {
    ...common,
    outcome: whole.results.length === 0 ? 'clean' : 'results',
    results: whole.results.length,
    ...(outside > 0 && { outside }),
    ...(output.omitted !== undefined && output.omitted > 0 && { omitted: output.omitted }),
    ...tool,
    digest,
  }
  return {
    drafts,
    rulesets: [{ platform: 'check', bundle: common.name, hash: digest.slice('sha256:'.length), ...tool }],
    rows: [row],
  }
}

export const joinJudged = (all: readonly JudgedChecks[]): JudgedChecks => ({
  drafts: all.flatMap(({ drafts }) => drafts),
  rulesets: all.flatMap(({ rulesets }) => rulesets),
  rows: all.flatMap(({ rows }) => rows),
})

/** Runs checks, several at a time. */
const runChecks = async (
  due: readonly RequiredCheck[],
  { ports, git, progress, signal }: CheckRequest,
): Promise<readonly JudgedRun[]> => {
  const presentFiles = () => readWorktreeFiles(git, signal)
  const files = lazyAsync(presentFiles)
  const context: RunContext = { ports, files: () => files.get(), presentFiles, signal }
  const limit = createLimiter(ports.places)
  const running = new Set<string>()
  let done = 0
  const report = () => progress(done, due.length, [...running])
  const runOne = async (one: RequiredCheck): Promise<JudgedRun> => {
    running.add(displayName(one))
    report()
    const run = await runCheck(one, context)
    running.delete(displayName(one))
    done += 1
    report()
    return { one, run }
  }
  return Promise.all(due.map((one) => limit(() => runOne(one))))
}

/** Runs checks and judges what they, and the imported results, found. A check that gives no result is a finding. */
export const judgeChecks = async (
  due: readonly RequiredCheck[],
  request: CheckRequest,
  imported: readonly ImportedRun[] = [],
): Promise<JudgedChecks> => {
  const { git, set, stage, signal } = request
  const compare = due.length === 0 ? undefined : readTreeDifference(git, set, signal)
  const [runs, difference] = await Promise.all([runChecks(due, request), compare])
  const all: readonly JudgedRun[] = [...runs, ...imported]
  const outputs = all.flatMap(({ run }) => ('output' in run ? [run.output] : []))
  const touched = await touchedPlaces(set, outputs, signal)
  const apart = runs.flatMap(({ one, run }) =>
    'output' in run ? differenceDraft(one.check, difference, stage) : [],
  )
  return joinJudged([
    ...all.map((judged) => toJudged(judged, touched)),
    { drafts: apart, rulesets: [], rows: [] },
  ])
}

/** Rows for the checks that nothing in the change concerns. */
export const skippedRows = (skipped: readonly RequiredCheck[]): CheckRow[] =>
  skipped.map((one) => ({ name: displayName(one), origin: 'run', outcome: 'skipped', results: 0 }))
