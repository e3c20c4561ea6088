import type { Severity } from '../../evidence/schema.ts'
import { GATE_STAGES, type GateStage } from '../../evidence/stage.ts'
import { pushTo } from '../../kernel/multimap.ts'
import { optional } from '../../kernel/optional.ts'
import type { LanguageName } from '../../kernel/text/languages.ts'
import type { CompiledRule } from './compiled-rule.ts'
import { findLanguage, translateKinds } from './languages.ts'
import type { Pack, ShippedRules } from './packs.ts'
import { Coverages, type PlatformRoots } from './paths-by-rule.ts'
import { profileSeverity, RULE_LEVELS, type RuleProfile } from './profile.ts'
import type { RuleAlias, RuleFile, SyntaxRuleFile } from './rule.ts'
import { findOverride, type SeverityOverrides } from './severity-overrides.ts'

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

const matcherOf = ({ rule, constraints, utils }: SyntaxRuleFile) => ({
  rule,
  ...optional({ constraints, utils }),
})

/** A rule that applies to some folder of the repository, under its own id or an alias. */
interface SelectedRule {
  readonly file: RuleFile
  readonly pack: string
  readonly severity: Severity
  /** True when no stage raises the severity: it comes from an override, or the profile is `default`. */
  readonly pinnedSeverity: boolean
  readonly lowered?: CompiledRule['lowered']
  readonly covers: CompiledRule['covers']
  readonly literals: ShippedRules['literals'][string] | undefined
}

/**
 * A severity that the repository gives is its word; so is one of a user rule. The token of a service is as usable in a
 * document as elsewhere.
 */
const loweredIn = ({ metadata }: RuleFile): CompiledRule['lowered'] =>
  metadata?.lowered === 'never'
    ? undefined
    : (metadata?.lowered ?? (metadata?.secret ? 'tests' : 'documents'))

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
    const lowered = override === undefined && profile === 'default' ? loweredIn(file) : undefined
    return [
      {
        file,
        pack,
        severity,
        pinnedSeverity,
        ...optional({ lowered }),
        covers,
        literals: literals?.[of],
      },
    ]
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
  rules.flatMap(({ file, pack, severity, pinnedSeverity, lowered, covers, literals }): CompiledRule[] => {
    const { id, message, metadata = {} } = file
    const basics = {
      id,
      pack,
      covers,
      severity,
      ...(pinnedSeverity && { pinnedSeverity }),
      ...optional({ lowered }),
      trusted,
      message,
      code: metadata.code ?? ruleCode(id),
      ...optional({ why: metadata.why, fix: metadata.fix }),
      ...(metadata.secret && { secret: true }),
      ...optional({ aliases: metadata.aliases, category: metadata.category, cwe: metadata.cwe }),
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
      ...optional({ requiredLiterals: literals?.[language] }),
    }))
  })
