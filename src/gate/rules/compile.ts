import type { Severity } from '../../evidence/schema.ts'
import { pushTo } from '../../kernel/multimap.ts'
import { compileBraceGlob, type PathTest } from '../../kernel/text/glob.ts'
import { extensionOf, type LanguageName } from '../../kernel/text/languages.ts'
import { GATE_STAGES, type GateStage } from '../stage.ts'
import type { CompiledRule } from './compiled-rule.ts'
import { findLanguage, translateKinds } from './languages.ts'
import type { Pack, ShippedRules } from './packs.ts'
import { isProduction } from './path-kinds.ts'
import { profileSeverity, RULE_LEVELS, type RuleProfile } from './profile.ts'
import type { RuleAlias, RuleFile, SyntaxRuleFile } from './rule.ts'
import { findOverride, type SeverityOverrides } from './severity-overrides.ts'

/** The folders of each platform, ending in `/`; `''` is the whole repository. */
export type PlatformRoots = Readonly<Record<string, readonly string[]>>

export interface CompileOptions {
  readonly roots: PlatformRoots
  readonly stage: GateStage
  readonly aliases?: readonly RuleAlias[]
  /** Required literals of shipped rules, computed at build time. */
  readonly literals?: ShippedRules['literals']
  readonly overrides?: SeverityOverrides['byRule']
  /** Undefined for user rules, which belong to no profile. */
  readonly profile?: RuleProfile
}

type Test = (path: string) => boolean

export const ruleCode = (id: string): string => id.toUpperCase().replace(/[^A-Z0-9]+/g, '_')

export const rulePlatforms = ({
  metadata,
}: {
  readonly metadata?: RuleFile['metadata']
}): readonly string[] => {
  const platform = metadata?.platform ?? 'generic'
  return typeof platform === 'string' ? [platform] : platform
}

const ruleSeverity = ({ metadata, severity }: RuleFile): Severity | undefined =>
  metadata?.severity ?? RULE_LEVELS[severity]

type Globs = RuleFile['files']

type CompileGlob = (glob: NonNullable<Globs>[number]) => PathTest

const compileOneGlob: CompileGlob = (one) =>
  typeof one === 'string'
    ? compileBraceGlob(one)
    : compileBraceGlob(one.glob, { nocase: one.caseInsensitive ?? false })

const compileGlobs = (globs: Globs, whenEmpty: boolean, compile: CompileGlob): PathTest => {
  if (globs === undefined || globs.length === 0) return () => whenEmpty
  const tests = globs.map(compile)
  return (segments) => tests.some((test) => test(segments))
}

/** The folders that a rule applies to. A platform that was not detected has none. */
export const rootsFor = (platforms: readonly string[], roots: PlatformRoots): readonly string[] =>
  [...new Set(platforms.flatMap((name) => (name === 'generic' ? [''] : (roots[name] ?? []))))].sort()

interface SplitPath {
  readonly path: string
  readonly segments: readonly string[]
  /** The segments with the extension in lower case; undefined when it already is. */
  readonly lowered: readonly string[] | undefined
}

let lastSplit: SplitPath = { path: '', segments: [''], lowered: undefined }

/** Keeps the last result: the scanner tests one path with every coverage in turn. */
const splitPath = (path: string): SplitPath => {
  if (lastSplit.path === path) return lastSplit
  const extension = extensionOf(path)
  const lowered = path.endsWith(extension)
    ? undefined
    : `${path.slice(0, path.length - extension.length)}${extension}`.split('/')
  lastSplit = { path, segments: path.split('/'), lowered }
  return lastSplit
}

let lastProduction = { path: '', value: isProduction('') }

/** Keeps the last result, for the same reason. */
const isProductionPath = (path: string): boolean => {
  if (lastProduction.path !== path) lastProduction = { path, value: isProduction(path) }
  return lastProduction.value
}

/** `evil.TS` is a TypeScript file like any other, so a pattern for `*.ts` covers it. */
const matchesPath = (test: PathTest, { segments, lowered }: SplitPath): boolean =>
  test(segments) || (lowered !== undefined && test(lowered))

/** Globs are relative to a platform's folder, so that a rule fits any layout. */
export const coverage = (
  { files, ignores }: Pick<RuleFile, 'files' | 'ignores'>,
  folders: readonly string[],
  { production = false, compile = compileOneGlob } = {},
): Test => {
  // Compiled with the first path: most coverages of a small change are never asked.
  let compiled: { readonly included: PathTest; readonly excluded: PathTest } | undefined
  return (path) =>
    (!production || isProductionPath(path)) &&
    folders.some((folder) => {
      if (!path.startsWith(folder)) return false
      compiled ??= {
        included: compileGlobs(files, true, compile),
        excluded: compileGlobs(ignores, false, compile),
      }
      const split = splitPath(path.slice(folder.length))
      return matchesPath(compiled.included, split) && !matchesPath(compiled.excluded, split)
    })
}

/** Rules with equal globs and folders share one function, so that the scanner calls it once a file. */
class Coverages {
  readonly #globs = new Map<string, PathTest>()
  readonly #compile: CompileGlob = (glob) => {
    const key = JSON.stringify(glob)
    const test = this.#globs.get(key) ?? compileOneGlob(glob)
    this.#globs.set(key, test)
    return test
  }
  readonly #known = new Map<string, Test>()
  readonly #roots: PlatformRoots

  constructor(roots: PlatformRoots) {
    this.#roots = roots
  }

  of(rule: RuleFile, platforms: readonly string[]): Test | undefined {
    const folders = rootsFor(platforms, this.#roots)
    if (folders.length === 0) return undefined
    const production = rule.metadata?.production
    const key = JSON.stringify([rule.files, rule.ignores, folders, production])
    const compile = this.#compile
    const known = this.#known.get(key) ?? coverage(rule, folders, { production, compile })
    this.#known.set(key, known)
    return known
  }
}

const matcherOf = ({ rule, constraints, utils }: SyntaxRuleFile) => ({
  rule,
  ...(constraints !== undefined && { constraints }),
  ...(utils !== undefined && { utils }),
})

/** A rule that applies to some folder of the repository, under its own id or an alias. */
interface SelectedRule {
  readonly file: RuleFile
  readonly pack: string
  readonly severity: Severity
  /** True when no stage raises the severity: it comes from an override, or the profile is `default`. */
  readonly pinnedSeverity: boolean
  readonly covers: Test
  readonly literals: ShippedRules['literals'][string] | undefined
}

const isReached = (from: GateStage, stage: GateStage): boolean =>
  GATE_STAGES.indexOf(stage) >= GATE_STAGES.indexOf(from)

/** The rule, and a copy for each alias that is in force at the stage. */
const withAliases = (
  file: RuleFile,
  aliases: readonly RuleAlias[],
  stage: GateStage,
): readonly RuleFile[] => [
  file,
  ...aliases
    .filter(({ from }) => isReached(from, stage))
    .map(({ id, severity, platform }) => ({
      ...file,
      id,
      metadata: {
        ...file.metadata,
        severity,
        platform,
        code: ruleCode(id),
        aliases: undefined,
        seedSeverity: undefined,
      },
    })),
]

/** The rules of the packs that apply to a repository with these platforms. */
export const selectRules = (packs: readonly Pack[], options: CompileOptions): SelectedRule[] => {
  const { roots, stage, aliases = [], literals, overrides, profile } = options
  const coverages = new Coverages(roots)
  const aliasesOf = new Map<string, RuleAlias[]>()
  for (const alias of aliases) pushTo(aliasesOf, alias.of, alias)
  const select = (pack: string, file: RuleFile, of: string): SelectedRule[] => {
    const override = findOverride(overrides, file.id, file.metadata?.aliases)
    const own = profile === undefined ? ruleSeverity(file) : profileSeverity(file, profile)
    const severity = override ?? own
    if (severity === undefined || severity === 'OFF' || file.severity === 'off') return []
    const covers = coverages.of(file, rulePlatforms(file))
    if (covers === undefined) return []
    const pinnedSeverity = override !== undefined || profile === 'default'
    return [{ file, pack, severity, pinnedSeverity, covers, literals: literals?.[of] }]
  }
  return packs.flatMap(({ name, rules }) =>
    rules.flatMap((file) =>
      withAliases(file, aliasesOf.get(file.id) ?? [], stage).flatMap((one) => select(name, one, file.id)),
    ),
  )
}

/** The languages of a rule; the first is the one that its matcher is written for. */
const languagesOf = ({ language, metadata }: SyntaxRuleFile): readonly LanguageName[] => [
  ...new Set([language, ...(metadata?.languages ?? [])].flatMap((name) => findLanguage(name) ?? [])),
]

/** Compiles rules; those about syntax for each of their languages that `reads` accepts. */
export const compileRules = (
  rules: readonly SelectedRule[],
  trusted: boolean,
  reads: (language: LanguageName) => boolean = () => true,
): CompiledRule[] =>
  rules.flatMap(({ file, pack, severity, pinnedSeverity, covers, literals }): CompiledRule[] => {
    const { id, message, metadata = {} } = file
    const basics = {
      id,
      pack,
      covers,
      severity,
      ...(pinnedSeverity && { pinnedSeverity }),
      trusted,
      message,
      code: metadata.code ?? ruleCode(id),
      ...(metadata.why !== undefined && { why: metadata.why }),
      ...(metadata.fix !== undefined && { fix: metadata.fix }),
      ...(metadata.secret && { secret: true }),
      ...(metadata.aliases !== undefined && { aliases: metadata.aliases }),
      ...(metadata.category !== undefined && { category: metadata.category }),
      ...(metadata.cwe !== undefined && { cwe: metadata.cwe }),
    }
    if ('text' in file) {
      const everyKind = metadata.secret === true || metadata.everyKind === true
      return [{ ...basics, text: file.text, everyFile: file.files === undefined, everyKind }]
    }
    const [home, ...others] = languagesOf(file)
    if (home === undefined) return []
    const matcher = matcherOf(file)
    return [home, ...others].filter(reads).map((language) => ({
      ...basics,
      language,
      matcher: language === home ? matcher : translateKinds(matcher, home, language),
      ...(typeof file.fix === 'string' &&
        !metadata.secret && { repair: { template: file.fix, safe: trusted && metadata.safeFix === true } }),
      ...(literals?.[language] !== undefined && { requiredLiterals: literals[language] }),
    }))
  })
