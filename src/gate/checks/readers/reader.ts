import type { Severity } from '../../../evidence/schema.ts'
import type { Region } from '../../reports/report.ts'
import type { Coverage } from './coverage.ts'

/** One result of a tool. Texts are one line each, without terminal sequences and within limits. */
export interface CheckResult {
  /** The id that the tool gives its rule; never empty. */
  readonly rule: string
  /** The level in the words of the tool, in lower case: `error`, `warning`, `note`, `critical`, `failure`. */
  readonly level: string
  readonly message: string
  /** Relative to the root of the repository, with `/`; undefined when the result is about no file inside it. */
  readonly file?: string
  readonly region?: Region
  readonly help?: string
}

/** What a reader found in the output of a tool. */
export interface CheckOutput {
  readonly tool?: { readonly name: string; readonly version?: string }
  readonly results: readonly CheckResult[]
  /** Results beyond the limit; those that were kept are the worst. */
  readonly omitted?: number
  /** Results that the tool itself marks as suppressed. They are not among `results`. */
  readonly suppressed?: number
  readonly coverage?: Coverage
}

export interface ReaderInput {
  readonly bytes: Uint8Array
  /** The root of the repository, absolute. */
  readonly root: string
  /** The folder that the tool ran in, absolute: relative paths start here. */
  readonly folder: string
  /** Undefined when the output was imported, or the tool was killed. */
  readonly exitCode: number | undefined
  readonly limits: { readonly results: number }
}

/** Throws `CheckUnreadable` with the reason when the output is not what the format says. */
export type CheckReader = (input: ReaderInput) => CheckOutput

/** The longest output that a reader accepts. A longer one is refused, because it cannot be judged completely. */
export const MAX_OUTPUT_BYTES = 128 * 1024 * 1024

/** The output of a tool cannot be judged; the message says why. */
export class CheckUnreadable extends Error {}

const SEVERITIES: ReadonlyMap<string, Severity> = new Map([
  ['critical', 'CRITICAL'],
  ['blocker', 'CRITICAL'],
  ['fatal', 'ERROR'],
  ['error', 'ERROR'],
  ['failure', 'ERROR'],
  ['high', 'ERROR'],
  ['warning', 'WARN'],
  ['warn', 'WARN'],
  ['medium', 'WARN'],
  ['low', 'INFO'],
  ['none', 'INFO'],
  ['note', 'INFO'],
  ['notice', 'INFO'],
  ['info', 'INFO'],
  ['information', 'INFO'],
  ['hint', 'INFO'],
  ['help', 'INFO'],
  ['style', 'INFO'],
  ['convention', 'INFO'],
  ['refactor', 'INFO'],
])

/** Our severity for a level of a tool. A level that is not known is an error: it must not pass unseen. */
export const severityOfLevel = (level: string): Severity => SEVERITIES.get(level) ?? 'ERROR'
