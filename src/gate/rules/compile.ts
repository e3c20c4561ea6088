import type { Severity } from '../../evidence/schema.ts'
import { compileBraceGlob, type PathTest } from '../../kernel/text/glob.ts'
import type { LanguageName } from '../../kernel/text/languages.ts'
import type { CompiledRule } from '../ports.ts'
import { GATE_STAGES, type GateStage } from '../stage.ts'
import { findLanguage, translateKinds } from './languages.ts'
import type { Pack, ShippedRules } from './packs.ts'
import type { ChangeFile, RuleAlias, RuleFile } from './rule.ts'
import { RULE_LEVELS, type SeverityOverrides } from './severity-overrides.ts'

/** Where each platform lives: folders ending in `/`, or `''` for the whole repository. */
export type PlatformRoots = Readonly<Record<string, readonly string[]>>

export interface CompileOptions {
  readonly roots: PlatformRoots
  readonly stage: GateStage
  readonly relabels?: readonly RuleAlias[]
  /** Words each rule needs, where they are known already. */
  readonly words?: ShippedRules['words']
  /** What the repository says rules weigh in it. */
  readonly weights?: SeverityOverrides['of']
}

type Test = (path: string) => boolean

export const ruleCode = (id: string): string => id.toUpperCase().replace(/[^A-Z0-9]+/g, '_')

export const platformsOf = ({
  metadata,
}: {
  readonly metadata?: RuleFile['metadata']
}): readonly string[] => {
  const platform = metadata?.platform ?? 'generic'
  return typeof platform === 'string' ? [platform] : platform
}

type Globs = RuleFile['files']

const compileGlobs = (globs: Globs, whenEmpty: boolean): PathTest => {
  if (globs === undefined || globs.length === 0) return () => whenEmpty
  const tests = globs.map((one) =>
    typeof one === 'string'
      ? compileBraceGlob(one)
      : compileBraceGlob(one.glob, { nocase: one.caseInsensitive ?? false }),
  )
  return (segments) => tests.some((test) => test(segments))
}

/** The folders a rule looks into; the whole repository is written ''. A platform that is not there has none. */
const rootsFor = (platforms: readonly string[], roots: PlatformRoots): readonly string[] =>
  [...new Set(platforms.flatMap((name) => (name === 'generic' ? [''] : (roots[name] ?? []))))].sort()

/** Globs are relative to a platform's folder, so that a rule fits any layout. */
const coverage = (files: Globs, ignores: Globs, folders: readonly string[]): Test => {
  const isIncluded = compileGlobs(files, true)
  const isExcluded = compileGlobs(ignores, false)
  return (path) =>
    folders.some((folder) => {
      if (!path.startsWith(folder)) return false
      const segments = path.slice(folder.length).split('/')
      return isIncluded(segments) && !isExcluded(segments)
    })
}

/** Rules of equal reach share one function: a scanner asks it once a file. */
class Coverages {
  readonly #known = new Map<string, Test>()
  readonly #roots: PlatformRoots

  constructor(roots: PlatformRoots) {
    this.#roots = roots
  }

  of(rule: Pick<RuleFile, 'files' | 'ignores'>, platforms: readonly string[]): Test | undefined {
    const folders = rootsFor(platforms, this.#roots)
    if (folders.length === 0) return undefined
    const key = JSON.stringify([rule.files, rule.ignores, folders])
    const known = this.#known.get(key) ?? coverage(rule.files, rule.ignores, folders)
    this.#known.set(key, known)
    return known
  }
}

const bodyOf = ({ rule, constraints, utils }: RuleFile) => ({
  rule,
  ...(constraints !== undefined && { constraints }),
  ...(utils !== undefined && { utils }),
})

/** A rule that has somewhere to look, under one of its names. */
interface SelectedRule {
  readonly file: RuleFile
  readonly pack: string
  readonly home: LanguageName
  readonly severity: Severity
  /** Whether the repository said so itself. */
  readonly settled: boolean
  readonly covers: Test
  readonly words: ShippedRules['words'][string] | undefined
}

const reached = (from: GateStage, stage: GateStage): boolean =>
  GATE_STAGES.indexOf(stage) >= GATE_STAGES.indexOf(from)

/** The names a rule goes by at a stage: its own, and those it was given. */
const namesOf = (file: RuleFile, relabels: readonly RuleAlias[], stage: GateStage): readonly RuleFile[] => [
  file,
  ...relabels
    .filter(({ from }) => reached(from, stage))
    .map(({ id, severity, platform }) => ({
      ...file,
      id,
      metadata: { ...file.metadata, severity, platform, code: ruleCode(id) },
    })),
]

/** The rules of the packs that have something to say on a repository whose platforms live in `roots`. */
export const selectRules = (packs: readonly Pack[], options: CompileOptions): SelectedRule[] => {
  const { roots, stage, relabels = [], words, weights: overrides } = options
  const coverages = new Coverages(roots)
  const named = new Map<string, RuleAlias[]>()
  for (const relabel of relabels) named.set(relabel.of, [...(named.get(relabel.of) ?? []), relabel])
  const reach = (pack: string, file: RuleFile, of: string): SelectedRule[] => {
    const weight = overrides?.get(file.id)
    const severity = weight ?? file.metadata?.severity ?? RULE_LEVELS[file.severity]
    const home = findLanguage(file.language)
    if (severity === undefined || severity === 'OFF' || file.severity === 'off' || home === undefined)
      return []
    const covers = coverages.of(file, platformsOf(file))
    const settled = weight !== undefined
    return covers === undefined ? [] : [{ file, pack, home, severity, settled, covers, words: words?.[of] }]
  }
  return packs.flatMap(({ name, rules }) =>
    rules.flatMap((file) =>
      namesOf(file, named.get(file.id) ?? [], stage).flatMap((one) => reach(name, one, file.id)),
    ),
  )
}

/** Makes rules ready to run, in those of their languages that anybody will read. */
export const compileRules = (
  rules: readonly SelectedRule[],
  trusted: boolean,
  reads: (language: LanguageName) => boolean = () => true,
): CompiledRule[] =>
  rules.flatMap(({ file, home, severity, settled, covers, words }) => {
    const { id, message, metadata = {} } = file
    const others = (metadata.languages ?? []).flatMap((name) => findLanguage(name) ?? [])
    return [...new Set([home, ...others])].filter(reads).map((language) => ({
      id,
      language,
      matcher: language === home ? bodyOf(file) : translateKinds(bodyOf(file), home, language),
      covers,
      severity,
      ...(settled && { settled }),
      trusted,
      message,
      code: metadata.code ?? ruleCode(id),
      ...(metadata.why !== undefined && { why: metadata.why }),
      ...(metadata.fix !== undefined && { fix: metadata.fix }),
      ...(metadata.secret && { secret: true }),
      ...(words?.[language] !== undefined && { words: words[language] }),
    }))
  })

export interface ChangeRule {
  readonly id: string
  readonly severity: Severity
  readonly code: string
  readonly message: string
  readonly why?: string
  readonly fix?: string
  /** The changed paths that ask for something that is not there; empty when all is well. */
  readonly missing: (changed: readonly string[]) => readonly string[]
}

type ChangeOptions = Pick<CompileOptions, 'roots' | 'weights'>

const compileChange = (file: ChangeFile, { roots, weights: overrides }: ChangeOptions): ChangeRule[] => {
  const { when, require, ignores } = file.changes
  const folders = rootsFor(platformsOf(file), roots)
  const weight = overrides?.get(file.id) ?? file.metadata.severity
  if (folders.length === 0 || weight === 'OFF') return []
  const asking = coverage(when, ignores, folders)
  const answering = coverage(require, undefined, folders)
  const { code = ruleCode(file.id), why, fix } = file.metadata
  return [
    {
      id: file.id,
      severity: weight,
      code,
      message: file.message,
      ...(why !== undefined && { why }),
      ...(fix !== undefined && { fix }),
      missing: (changed) => {
        const asked = changed.filter(asking)
        return asked.length === 0 || changed.some(answering) ? [] : asked
      },
    },
  ]
}

/** The rules of the packs that speak of changes. */
export const compileChanges = (packs: readonly Pack[], options: ChangeOptions): ChangeRule[] =>
  packs.flatMap(({ changes }) => changes.flatMap((file) => compileChange(file, options)))
