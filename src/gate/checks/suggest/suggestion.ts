import type { GateStage } from '../../../evidence/stage.ts'
import type { ReaderName } from '../readers/check-readers.ts'

/** The files of a repository, as far as suggestions look at them. */
export interface DeclaringFiles {
  /** The names in the root folder. */
  readonly names: ReadonlySet<string>
  /** The text of a file; undefined when there is none that can be read. */
  readonly read: (path: string) => Promise<string | undefined>
  /** The names in a folder; empty when there is none. */
  readonly list: (folder: string) => Promise<readonly string[]>
}

/** A check that a repository could declare, and where that was seen. */
export interface SuggestedCheck {
  readonly name: string
  readonly run: string
  readonly reads: ReaderName
  readonly stages: readonly GateStage[]
  readonly timeout: string
  readonly paths?: readonly string[]
  readonly version?: string
  readonly install?: string
  /** What was found where, for a comment. */
  readonly found: string
}

/** The checks of one ecosystem, and what was seen and is not suggested, with the reason. */
export interface Suggestions {
  readonly checks: readonly SuggestedCheck[]
  readonly notes: readonly string[]
}

export const BEFORE_COMMIT: readonly GateStage[] = ['PRE_COMMIT', 'PRE_PUSH', 'CI']
export const BEFORE_PUSH: readonly GateStage[] = ['PRE_PUSH', 'CI']
export const IN_CI: readonly GateStage[] = ['CI']

/** A check as a row of a table: name, command, reader, stages, deadline, where it was found, and the rest. */
export const row = (
  name: string,
  run: string,
  reads: ReaderName,
  stages: readonly GateStage[],
  timeout: string,
  found: string,
  rest: Pick<SuggestedCheck, 'paths' | 'version' | 'install'> = {},
): SuggestedCheck => ({ name, run, reads, stages, timeout, ...rest, found })
