import type { CheckDeadline, Jail, PathRules } from '../kernel/jail.ts'
import type { SyntaxParser } from '../kernel/syntax-tree.ts'

/** The dependencies of a job. Jobs are synchronous: they run in a worker thread that may block. */
export interface JobContext {
  readonly jail: Jail
  /** Which files the project_* tools may read. */
  readonly rules: PathRules
  /** Throws when the deadline has passed or the call was cancelled. Call it inside long loops. */
  readonly checkDeadline: CheckDeadline
  readonly now: () => number
  readonly parser: SyntaxParser
  /** Largest file that is read, in bytes, inclusive. */
  readonly fileBytes: number
}

/** Upper bound of `fileBytes`, and the largest report. */
export const MAX_FILE = 10 * 1024 * 1024
