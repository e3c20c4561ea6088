import type { Ruleset } from '../../evidence/schema.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import type { LanguageName } from '../../kernel/text/languages.ts'
import type { GatePolicy } from '../policy.ts'
import type { CompiledRule } from '../ports.ts'
import type { GateStage } from '../stage.ts'
import { type ChangeRule, compileChanges, compileRules, type PlatformRoots, selectRules } from './compile.ts'
import { grammarFor } from './languages.ts'
import type { Pack, RuleSource, ShippedRules } from './packs.ts'
import { ruleFaults } from './rule-faults.ts'
import { NO_OVERRIDES, type SeverityOverrides } from './severity-overrides.ts'

/** Where a repository keeps rules of its own. */
export const USER_RULES_FOLDER = '.warrant/rules'
const GUEST_PACK = 'project'

/** All that will be asked of the files. */
export interface RuleSet {
  readonly rules: readonly CompiledRule[]
  readonly changes: readonly ChangeRule[]
  /** By id; rules of several languages share one. */
  readonly byId: ReadonlyMap<string, CompiledRule>
  readonly rulesets: readonly Ruleset[]
}

const plainHash = (digest: string): string => digest.replace(/^sha256:/, '')

/** A guest that takes the name of a rule of ours would speak in its place. */
const refuseImpostors = (userRules: Pack, shippedRules: ShippedRules): void => {
  const own = new Set([
    ...shippedRules.packs.flatMap(({ rules, changes }) => [...rules, ...changes].map(({ id }) => id)),
    ...shippedRules.relabels.map(({ id }) => id),
  ])
  const impostor = [...userRules.rules, ...userRules.changes].find(({ id }) => own.has(id))
  if (impostor !== undefined) {
    throw ruleFaults.duplicate(`${USER_RULES_FOLDER}: ${impostor.id} is the name of a rule of ours`)
  }
}

export const readUserRules = async (
  sources: readonly RuleSource[],
  shippedRules: ShippedRules,
): Promise<Pack | undefined> => {
  if (sources.length === 0) return undefined
  // YAML and its schemas are loaded for repositories that bring rules, and for no other.
  const { readPack } = await import('./packs.ts')
  const pack = await readPack(GUEST_PACK, '0', sources)
  refuseImpostors(pack, shippedRules)
  return pack
}

/** What the repository says of our rules, where it says anything. */
export const loadSeverityOverrides = async (
  source: RuleSource | undefined,
  shippedRules: ShippedRules,
): Promise<SeverityOverrides> =>
  source === undefined
    ? NO_OVERRIDES
    : (await import('./parse-overrides.ts')).readSeverityOverrides(source.path, source.text, shippedRules)

interface RulePorts {
  readonly book: ShippedRules
  readonly guests: Pack | undefined
  readonly weights: SeverityOverrides
  readonly roots: PlatformRoots
  readonly stage: GateStage
  readonly policy: GatePolicy
  /** What the files that will be looked at end in. */
  readonly extensions: ReadonlySet<string>
}

const listRulesets = (
  { book: shippedRules, guests: userRules, weights: overrides, policy }: RulePorts,
  used: ReadonlySet<string>,
): Ruleset[] => [
  ...shippedRules.packs
    .filter(({ name }) => used.has(name))
    .map(({ name, version, digest }) => ({
      platform: name,
      bundle: `${name}@${version}`,
      hash: plainHash(digest),
    })),
  ...(shippedRules.relabels.length > 0
    ? [{ platform: 'skills', bundle: 'skills', hash: plainHash(digestJson(shippedRules.relabels)) }]
    : []),
  ...(userRules === undefined
    ? []
    : [{ platform: GUEST_PACK, bundle: 'project-rules', hash: plainHash(userRules.digest) }]),
  ...(overrides.list.length === 0
    ? []
    : [{ platform: GUEST_PACK, bundle: 'project-severities', hash: plainHash(overrides.digest) }]),
  { platform: 'policy', bundle: policy.trace.bundle, hash: policy.trace.hash },
]

/** The rules that apply to this repository at this stage. Ours are made ready for the files at hand only. */
export const assembleRules = (ports: RulePorts): RuleSet => {
  const { book: shippedRules, guests: userRules, roots, stage, extensions } = ports
  const { packs, relabels, words } = shippedRules
  const overrides = ports.weights.of
  const own = selectRules(packs, { roots, stage, relabels, words, weights: overrides })
  const foreign = userRules === undefined ? [] : selectRules([userRules], { roots, stage })
  const isRead = (language: LanguageName) =>
    [...extensions].some((one) => grammarFor(language, one) !== undefined)
  const rules = [...compileRules(own, true, isRead), ...compileRules(foreign, false)]
  const byId = new Map(rules.map((rule) => [rule.id, rule]))
  const speaking = userRules === undefined ? packs : [...packs, userRules]
  const changes = compileChanges(speaking, { roots, weights: overrides })
  const ids = new Set(own.map(({ pack }) => pack))
  const changing = new Set(changes.map(({ id }) => id))
  for (const pack of shippedRules.packs)
    if (pack.changes.some(({ id }) => changing.has(id))) ids.add(pack.name)
  return { rules, changes, byId, rulesets: listRulesets(ports, ids) }
}
