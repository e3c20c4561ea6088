import type { Ruleset } from '../../evidence/schema.ts'
import { createLimiter } from '../../kernel/async/concurrency.ts'
import { lazyAsync } from '../../kernel/async/once.ts'
import { readChangedLines } from '../facts/changed-lines.ts'
import type { FindingDraft } from '../findings/collect.ts'
import type { ChangeSet, GitReader } from '../ports.ts'
import type { CheckRow } from '../reports/report.ts'
import type { GateStage } from '../stage.ts'
import { type Check, concernsPath, type RequiredCheck } from './check.ts'
import { differenceDraft, readTreeDifference, readWorktreeFiles } from './check-tree.ts'
import { judgeCoverage } from './judge-coverage.ts'
import { digestOutput } from './output-json.ts'
import type { CheckPorts } from './ports.ts'
import type { CheckOutput } from './readers/reader.ts'
import { resultDrafts, type TouchedPlaces } from './result-drafts.ts'
import { type CheckRun, type RunContext, runCheck } from './run-check.ts'

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
    const concerns = concernsPath(one.check)
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

/** One check with its findings, its row in the report and its row in the evidence. */
const toJudged = (one: RequiredCheck, run: CheckRun, touched: TouchedPlaces): JudgedChecks => {
  const name = displayName(one)
  const { consent, ms, cached } = run
  const common = {
    name,
    origin: 'run' as const,
    ...(consent !== undefined && { consent }),
    ...(cached && { cached }),
    ...(ms !== undefined && { duration_ms: ms }),
  }
  if ('problem' in run)
    return { drafts: [run.draft], rulesets: [], rows: [{ ...common, outcome: run.problem, results: 0 }] }
  return describeOutput({ check: one.check, imported: undefined }, { ...run, common, touched })
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
    ...(output.tool !== undefined && { tool: output.tool.name }),
    ...((output.tool?.version ?? version) !== undefined && { version: output.tool?.version ?? version }),
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

/** Runs checks, several at a time, and judges what they found. A check that gives no result is a finding. */
export const judgeChecks = async (
  due: readonly RequiredCheck[],
  { ports, git, set, stage, progress, signal }: CheckRequest,
): Promise<JudgedChecks> => {
  const presentFiles = () => readWorktreeFiles(git, signal)
  const files = lazyAsync(presentFiles)
  const context: RunContext = { ports, files: () => files.get(), presentFiles, signal }
  const limit = createLimiter(ports.places)
  const running = new Set<string>()
  let done = 0
  const report = () => progress(done, due.length, [...running])
  const run = (one: RequiredCheck) =>
    limit(async () => {
      running.add(displayName(one))
      report()
      const result = await runCheck(one, context)
      running.delete(displayName(one))
      done += 1
      report()
      return result
    })
  const [difference, ...runs] = await Promise.all([readTreeDifference(git, set, signal), ...due.map(run)])
  const outputs = runs.flatMap((result) => ('output' in result ? [result.output] : []))
  const touched = await touchedPlaces(set, outputs, signal)
  return joinJudged(
    due.flatMap((one, at) => {
      const result = runs[at]
      if (result === undefined) return []
      const judged = toJudged(one, result, touched)
      const apart = 'output' in result ? differenceDraft(one.check, difference, stage) : []
      return [judged, { drafts: apart, rulesets: [], rows: [] }]
    }),
  )
}

/** Rows for the checks that nothing in the change concerns. */
export const skippedRows = (skipped: readonly RequiredCheck[]): CheckRow[] =>
  skipped.map((one) => ({ name: displayName(one), origin: 'run', outcome: 'skipped', results: 0 }))
