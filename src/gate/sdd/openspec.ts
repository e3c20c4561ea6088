import { isRecord } from '../../kernel/encoding/json.ts'
import { optional } from '../../kernel/optional.ts'
import type { RepositoryFiles } from '../../kernel/ports.ts'
import type { FolderNames, OpenSpecProgram, ProgramResult } from '../ports.ts'

/** The oldest supported OpenSpec: earlier validators report no totals. */
const MINIMUM_VERSION = '1.1.1'
const MAX_VERSION_CHARS = 200
const MAX_OUTPUT_CHARS = 4_096

export interface OpenSpecStatus {
  readonly installed: boolean
  /** The output of `openspec --version`. */
  readonly version?: string
  readonly projectInitialized: boolean
  readonly minimumVersion: string
  readonly recommendedVersion: string
  /** False when the version is too old or not known. */
  readonly compatible: boolean
  readonly parsedVersion?: string
  /** Why the program was not started, or why a program of the repository does not count. */
  readonly note?: string
}

export interface SddValidation {
  readonly ok: boolean
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly totals: { readonly items: number; readonly failed: number; readonly passed: number }
  readonly issues: { readonly errors: number; readonly warnings: number; readonly infos: number }
  /** Why the output is not usable; absent when it is. */
  readonly unreadable?: 'time' | 'size' | 'format' | 'start'
}

const toNumbers = (version: string): readonly number[] => version.split('.').map(Number)

/** The first x.y.z in the output of a program. */
export const parseVersion = (output: string): string | undefined =>
  /\d{1,9}\.\d{1,9}\.\d{1,9}/.exec(output)?.[0]

export const isCompatible = (version: string): boolean => {
  const minimum = toNumbers(MINIMUM_VERSION)
  const at = toNumbers(version).findIndex((part, place) => part !== minimum[place])
  return at === -1 || (toNumbers(version)[at] ?? 0) > (minimum[at] ?? 0)
}

// A change id becomes part of a path: it must name one folder below `changes` other than `archive`.
const CHANGE_ID = /^(?!\.+$)(?!archive$)[\p{L}\p{N}_.][\p{L}\p{N}\p{M}_. -]{0,127}$/iu

export const isChangeId = (id: string): boolean => CHANGE_ID.test(id) && !/[ .]$/.test(id)

const singleLine = (text: string): string =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_VERSION_CHARS)

const NOT_STARTED =
  'The program was not started, so its version is not known. The tool check_sdd_status starts it and tells.'

/** `start: false` is for answers that must not start a program. */
export const readOpenSpec = async (
  program: OpenSpecProgram,
  files: Pick<RepositoryFiles, 'exists'>,
  { start, signal }: { readonly start: boolean; readonly signal: AbortSignal },
): Promise<OpenSpecStatus> => {
  const [found, answer, projectInitialized] = await Promise.all([
    program.find(),
    start ? program.run(['--version'], signal) : undefined,
    files.exists('openspec'),
  ])
  const installed = start ? answer?.exitCode === 0 : found.exists
  const version = answer?.exitCode === 0 ? singleLine(answer.stdout) : ''
  const parsedVersion = parseVersion(version)
  const note = found.note ?? (start || !found.exists ? undefined : NOT_STARTED)
  return {
    installed,
    ...(version !== '' && { version }),
    projectInitialized,
    minimumVersion: MINIMUM_VERSION,
    recommendedVersion: MINIMUM_VERSION,
    compatible: parsedVersion !== undefined && isCompatible(parsedVersion),
    ...optional({ parsedVersion, note }),
  }
}

export type ChangeState = 'open' | 'archived' | 'missing'

/** OpenSpec archives a change under its date and name. */
const isDated = (name: string, id: string): boolean =>
  name.length === id.length + 11 && name.endsWith(`-${id}`) && /^\d{4}-\d{2}-\d{2}-/.test(name)

export const findChange = async (
  id: string,
  files: Pick<RepositoryFiles, 'exists'> & FolderNames,
): Promise<ChangeState> => {
  if (!isChangeId(id)) return 'missing'
  if (await files.exists(`openspec/changes/archive/${id}`)) return 'archived'
  if (await files.exists(`openspec/changes/${id}`)) return 'open'
  const archived = await files.names('openspec/changes/archive')
  return archived.some((name) => isDated(name, id)) ? 'archived' : 'missing'
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

const issueLevels = (items: unknown): readonly unknown[] =>
  (Array.isArray(items) ? items : [])
    .flatMap((item) => (isRecord(item) && Array.isArray(item.issues) ? item.issues : []))
    .map((issue) => (isRecord(issue) ? issue.level : undefined))

/** Issues by level. Older versions of OpenSpec count them in the summary, newer ones only list them. */
const countIssues = (report: Record<string, unknown>, byLevel: unknown): SddValidation['issues'] => {
  const levels = issueLevels(report.items)
  const counted = isRecord(byLevel) ? byLevel : {}
  const of = (...names: readonly string[]) =>
    Math.max(
      levels.filter((level) => names.some((name) => name === level)).length,
      ...names.map((name) => count(counted[name]) ?? 0),
    )
  return { errors: of('ERROR'), warnings: of('WARNING', 'WARN'), infos: of('INFO') }
}

const parseReport = (stdout: string): Pick<SddValidation, 'totals' | 'issues'> | undefined => {
  let report: unknown
  try {
    report = JSON.parse(stdout)
  } catch {
    return undefined
  }
  const summary = isRecord(report) ? report.summary : undefined
  const totals = isRecord(summary) ? summary.totals : undefined
  if (!isRecord(report) || !isRecord(summary) || !isRecord(totals)) return undefined
  const [items, failed, passed] = [totals.items, totals.failed, totals.passed].map(count)
  if (failed === undefined || passed === undefined) return undefined
  return {
    totals: { items: items ?? failed + passed, failed, passed },
    issues: countIssues(report, summary.byLevel),
  }
}

const NO_COUNTS = {
  totals: { items: 0, failed: 0, passed: 0 },
  issues: { errors: 0, warnings: 0, infos: 0 },
}

/** Reads the result of the validator. Unreadable output is never `ok`. */
export const readValidation = (result: ProgramResult | undefined, root: string): SddValidation => {
  const shown = (text: string | undefined) => (text ?? '').replaceAll(root, '.').slice(0, MAX_OUTPUT_CHARS)
  const process = {
    exitCode: result?.exitCode ?? null,
    stdout: shown(result?.stdout),
    stderr: shown(result?.stderr),
  }
  const report = result?.cut === undefined ? parseReport(result?.stdout ?? '') : undefined
  if (report === undefined) {
    const unreadable = result === undefined ? 'start' : (result.cut ?? 'format')
    return { ok: false, ...process, ...NO_COUNTS, unreadable }
  }
  const ok = result?.exitCode === 0 && report.totals.failed === 0 && report.issues.errors === 0
  return { ok, ...process, ...report }
}

export const VALIDATE = ['validate', '--changes', '--json', '--no-interactive'] as const
