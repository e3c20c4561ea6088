import type { SecretFinding } from '../../kernel/text/secrets.ts'
import type { SourceUnit } from './source-unit.ts'

/** What the readers found in a source file. It depends on the path and the text of that file alone. */
export interface SourceReading {
  readonly unit: SourceUnit
  readonly secrets: readonly SecretFinding[]
}

/** Readings of an earlier analysis, so that only files that changed are parsed again. */
export interface ReadingCache {
  get(key: string): SourceReading | undefined
  put(key: string, reading: SourceReading): void
  /** Keeps the readings of this analysis. A failed write is ignored. */
  save(): Promise<void>
}
