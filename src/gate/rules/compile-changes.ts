import type { Severity } from '../../evidence/schema.ts'
import { type CompileOptions, ruleCode, rulePlatforms } from './compile.ts'
import type { Pack } from './packs.ts'
import { coverage, rootsFor } from './paths-by-rule.ts'
import { profileSeverity } from './profile.ts'
import type { ChangeFile } from './rule.ts'
import { findOverride } from './severity-overrides.ts'

export interface ChangeRule {
  readonly id: string
  readonly severity: Severity
  readonly code: string
  readonly message: string
  readonly why?: string
  readonly fix?: string
  /** The changed paths whose required companion change is missing. */
  readonly missing: (changed: readonly string[]) => readonly string[]
}

type ChangeOptions = Pick<CompileOptions, 'roots' | 'overrides' | 'profile'>

const compileChange = (file: ChangeFile, { roots, overrides, profile }: ChangeOptions): ChangeRule[] => {
  const { when, require, ignores } = file.changes
  const folders = rootsFor(rulePlatforms(file), roots)
  const own = profile === undefined ? file.metadata.severity : profileSeverity(file, profile)
  const severity = findOverride(overrides, file.id, file.metadata.aliases) ?? own
  if (folders.length === 0 || severity === undefined || severity === 'OFF') return []
  const needsCompanion = coverage({ files: when, ignores }, folders)
  const isCompanion = coverage({ files: require }, folders)
  const { code = ruleCode(file.id), why, fix } = file.metadata
  return [
    {
      id: file.id,
      severity,
      code,
      message: file.message,
      ...(why !== undefined && { why }),
      ...(fix !== undefined && { fix }),
      missing: (changed) => {
        const found = changed.filter(needsCompanion)
        return found.length === 0 || changed.some(isCompanion) ? [] : found
      },
    },
  ]
}

/** Compiles the rules about changed files. */
export const compileChanges = (packs: readonly Pack[], options: ChangeOptions): ChangeRule[] =>
  packs.flatMap(({ changes }) => changes.flatMap((file) => compileChange(file, options)))
