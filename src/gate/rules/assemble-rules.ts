import type { Ruleset, Severity } from '../../evidence/schema.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import { optional } from '../../kernel/optional.ts'
import { LANGUAGES, type LanguageName } from '../../kernel/text/languages.ts'
import type { GatePolicy } from '../policy.ts'
import { type CompileOptions, compileRules, ruleCode, rulePlatforms, selectRules } from './compile.ts'
import type { CompiledRule } from './compiled-rule.ts'
import type { UserRules } from './join-rules.ts'
import { grammarFor } from './languages.ts'
import type { Pack, RuleSource, ShippedRules } from './packs.ts'
import { coverage, type PlatformRoots, rootsFor } from './paths-by-rule.ts'
import { profileSeverity, type RuleProfile } from './profile.ts'
import type { ChangeFile } from './rule.ts'
import { ruleFaults } from './rule-faults.ts'
import { findOverride, NO_OVERRIDES, type SeverityOverrides } from './severity-overrides.ts'
import type { RuleScope } from './shipped-parts.ts'

interface ChangeRule {
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
      ...optional({ why, fix }),
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

/** The folder of the user rules in a repository. */
export const USER_RULES_FOLDER = '.warrant/rules'
/** The severities of shipped rules that the repository overrides. */
export const OVERRIDES_FILE = `${USER_RULES_FOLDER}/severities.yml`
const USER_PACK = 'project'

/** The rules of one gate run. */
export interface RuleSet {
  readonly rules: readonly CompiledRule[]
  readonly changes: readonly ChangeRule[]
  /** By id; a rule for several languages has one entry. */
  readonly byId: ReadonlyMap<string, CompiledRule>
  readonly rulesets: readonly Ruleset[]
}

const withoutPrefix = (digest: string): string => digest.replace(/^sha256:/, '')

/** A user rule with the id of a shipped rule would replace it. */
const rejectDuplicateIds = (userRules: Pack, { packs, aliases }: ShippedRules): void => {
  const shipped = new Set([
    ...packs.flatMap(({ rules, changes }) =>
      [...rules, ...changes].flatMap(({ id, metadata }) => [id, ...(metadata?.aliases ?? [])]),
    ),
    ...aliases.map(({ id }) => id),
  ])
  const duplicate = [...userRules.rules, ...userRules.changes].find(({ id }) => shipped.has(id))
  if (duplicate !== undefined)
    throw ruleFaults.duplicate(`${USER_RULES_FOLDER}: ${duplicate.id} is the id of a shipped rule`)
}

export const readUserRules = async (
  sources: readonly RuleSource[],
  shippedRules: () => Promise<ShippedRules>,
): Promise<UserRules | undefined> => {
  if (sources.length === 0) return undefined
  // Loads the YAML parser and the schemas only for repositories with user rules.
  const { readPackFiles } = await import('./packs.ts')
  const userRules = await readPackFiles(USER_PACK, '0', sources)
  rejectDuplicateIds(userRules.pack, await shippedRules())
  return userRules
}

interface ShippedSeverities {
  readonly shippedRules: () => Promise<ShippedRules>
  readonly profile: RuleProfile
}

export const loadSeverityOverrides = async (
  text: string | undefined,
  { shippedRules, profile }: ShippedSeverities,
): Promise<SeverityOverrides> => {
  if (text === undefined) return NO_OVERRIDES
  const { readSeverityOverrides } = await import('./parse-overrides.ts')
  const shipped = { shippedRules: await shippedRules(), profile }
  return readSeverityOverrides(OVERRIDES_FILE, text, shipped)
}

interface RuleInputs {
  readonly shippedRules: ShippedRules
  readonly userRules: Pack | undefined
  readonly overrides: SeverityOverrides
  readonly roots: PlatformRoots
  readonly stage: GateStage
  readonly policy: GatePolicy
  readonly profile: RuleProfile
  /** The extensions of the files in scope. */
  readonly extensions: ReadonlySet<string>
}

const listRulesets = (
  { shippedRules, userRules, overrides, policy, profile }: RuleInputs,
  usedPacks: ReadonlySet<string>,
): Ruleset[] => {
  const ruleset = (platform: string, bundle: string, digest: string): Ruleset => ({
    platform,
    bundle,
    hash: withoutPrefix(digest),
  })
  const { packs, aliases } = shippedRules
  return [
    ...packs
      .filter(({ name }) => usedPacks.has(name))
      .map(({ name, version, digest }) => ruleset(name, `${name}@${version}`, digest)),
    ...(aliases.length === 0 || profile !== 'seed' ? [] : [ruleset('skills', 'skills', digestJson(aliases))]),
    ...(userRules === undefined ? [] : [ruleset(USER_PACK, 'project-rules', userRules.digest)]),
    ...(overrides.list.length === 0 ? [] : [ruleset(USER_PACK, 'project-severities', overrides.digest)]),
    ruleset('policy', policy.trace.bundle, policy.trace.hash),
  ]
}

/** The rules that apply to this repository at this stage. Shipped rules are compiled only for languages in scope. */
const assembleRules = (inputs: RuleInputs): RuleSet => {
  const { shippedRules, userRules, roots, stage, extensions, profile } = inputs
  const { packs, literals } = shippedRules
  const aliases = profile === 'seed' ? shippedRules.aliases : []
  const overrides = inputs.overrides.byRule
  const shipped = selectRules(packs, { roots, stage, aliases, literals, overrides, profile })
  const foreign = userRules === undefined ? [] : selectRules([userRules], { roots, stage })
  const isRead = (language: LanguageName) =>
    [...extensions].some((one) => grammarFor(language, one) !== undefined)
  const rules = [...compileRules(shipped, true, isRead), ...compileRules(foreign, false)]
  const changes = [
    ...compileChanges(packs, { roots, overrides, profile }),
    ...(userRules === undefined ? [] : compileChanges([userRules], { roots })),
  ]
  const changeIds = new Set(changes.map(({ id }) => id))
  const usedPacks = new Set([
    ...shipped.map(({ pack }) => pack),
    ...packs
      .filter(({ platforms = [] }) => platforms.some((names) => rootsFor(names, roots).length > 0))
      .map(({ name }) => name),
    ...packs.filter((pack) => pack.changes.some(({ id }) => changeIds.has(id))).map(({ name }) => name),
  ])
  return {
    rules,
    changes,
    byId: new Map(rules.map((rule) => [rule.id, rule])),
    rulesets: listRulesets(inputs, usedPacks),
  }
}

/** Loads the rules and assembles them: those that may read the files at `paths`; without it, files of any name. */
export const loadRuleSet = async (
  load: (scope?: RuleScope) => Promise<ShippedRules>,
  inputs: Omit<RuleInputs, 'shippedRules'>,
  paths?: readonly string[],
): Promise<RuleSet> => {
  const { extensions, profile, overrides } = inputs
  const isPlain = profile === 'default' && overrides.byRule.size === 0
  const scope = isPlain ? { extensions, ...optional({ paths }) } : undefined
  return assembleRules({ ...inputs, shippedRules: await load(scope) })
}

/** Assembles each set of rules once, for files of every language: most changes are judged by the same. */
export const shareRuleSets = (): typeof loadRuleSet => {
  const sets = new Map<string, Promise<RuleSet>>()
  const extensions = new Set(Object.values(LANGUAGES).flatMap((one): readonly string[] => one.extensions))
  return (load, inputs) => {
    const { userRules, overrides, roots, stage, profile } = inputs
    const key = JSON.stringify([userRules, overrides.digest, roots, stage, profile])
    const set = sets.get(key) ?? loadRuleSet(load, { ...inputs, extensions })
    sets.set(key, set)
    return set
  }
}
