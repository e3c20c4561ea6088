import type { CheckDeadline, Jail, PathRules } from '../kernel/jail.ts'
import type { SyntaxParser } from './source/syntax-tree.ts'

/** What a job about the project works with. Jobs are synchronous: they run in a thread that may hang. */
export interface JobContext {
  readonly jail: Jail
  /** What the general tools may read. */
  readonly rules: PathRules
  /** Asked often; throws once the time is up or nobody waits any more. */
  readonly checkDeadline: CheckDeadline
  readonly now: () => number
  readonly parser: SyntaxParser
  /** Largest file that is read, in bytes, inclusive. */
  readonly fileBytes: number
}

/** The largest file there may be. */
export const MAX_FILE = 10 * 1024 * 1024
