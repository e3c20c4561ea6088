import type { Ruleset } from '../../evidence/schema.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import type { Policy } from '../policy.ts'
import type { CompiledRule } from '../ports.ts'
import type { GateStage } from '../stage.ts'
import {
  type ChangeRule,
  compileChanges,
  expandRules,
  type GlobReader,
  type PlatformRoots,
  reachRules,
} from './compile.ts'
import { grammarFor } from './languages.ts'
import type { Pack, RuleBook, RuleSource } from './packs.ts'
import { ruleFaults } from './rule-faults.ts'
import { NO_WEIGHTS, type Weights } from './severity-overrides.ts'

/** Where a repository keeps rules of its own. */
export const GUEST_FOLDER = '.warrant/rules'
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
const refuseImpostors = (guests: Pack, book: RuleBook): void => {
  const own = new Set([
    ...book.packs.flatMap(({ rules, changes }) => [...rules, ...changes].map(({ id }) => id)),
    ...book.relabels.map(({ id }) => id),
  ])
  const impostor = [...guests.rules, ...guests.changes].find(({ id }) => own.has(id))
  if (impostor !== undefined) {
    throw ruleFaults.duplicate(`${GUEST_FOLDER}: ${impostor.id} is the name of a rule of ours`)
  }
}

export const readGuests = async (
  sources: readonly RuleSource[],
  book: RuleBook,
): Promise<Pack | undefined> => {
  if (sources.length === 0) return undefined
  // YAML and its schemas are loaded for repositories that bring rules, and for no other.
  const { readPack } = await import('./packs.ts')
  const pack = await readPack(GUEST_PACK, '0', sources)
  refuseImpostors(pack, book)
  return pack
}

/** What the repository says of our rules, where it says anything. */
export const loadWeights = async (source: RuleSource | undefined, book: RuleBook): Promise<Weights> =>
  source === undefined
    ? NO_WEIGHTS
    : (await import('./parse-overrides.ts')).readWeights(source.path, source.text, book)

interface RulePorts {
  readonly book: RuleBook
  readonly guests: Pack | undefined
  readonly weights: Weights
  readonly roots: PlatformRoots
  readonly stage: GateStage
  readonly policy: Policy
  readonly glob: GlobReader
  /** What the files that will be looked at end in. */
  readonly extensions: ReadonlySet<string>
}

const listRulesets = ({ book, guests, weights, policy }: RulePorts, used: ReadonlySet<string>): Ruleset[] => [
  ...book.packs
    .filter(({ name }) => used.has(name))
    .map(({ name, version, digest }) => ({
      platform: name,
      bundle: `${name}@${version}`,
      hash: plainHash(digest),
    })),
  ...(book.relabels.length > 0
    ? [{ platform: 'skills', bundle: 'skills', hash: plainHash(digestJson(book.relabels)) }]
    : []),
  ...(guests === undefined
    ? []
    : [{ platform: GUEST_PACK, bundle: 'project-rules', hash: plainHash(guests.digest) }]),
  ...(weights.list.length === 0
    ? []
    : [{ platform: GUEST_PACK, bundle: 'project-severities', hash: plainHash(weights.digest) }]),
  { platform: 'policy', bundle: policy.trace.bundle, hash: policy.trace.hash },
]

/** The rules that apply to this repository at this stage. Ours are made ready for the files at hand only. */
export const assembleRules = (ports: RulePorts): RuleSet => {
  const { book, guests, roots, stage, glob, extensions } = ports
  const { packs, relabels, words } = book
  const weights = ports.weights.of
  const own = reachRules(packs, { roots, stage, relabels, words, glob, weights })
  const foreign = guests === undefined ? [] : reachRules([guests], { roots, stage, glob })
  const isRead = (language: string) => [...extensions].some((one) => grammarFor(language, one) !== undefined)
  const rules = [...expandRules(own, true, isRead), ...expandRules(foreign, false)]
  const byId = new Map(rules.map((rule) => [rule.id, rule]))
  const speaking = guests === undefined ? packs : [...packs, guests]
  const changes = compileChanges(speaking, { roots, glob, weights })
  const ids = new Set(own.map(({ pack }) => pack))
  const changing = new Set(changes.map(({ id }) => id))
  for (const pack of book.packs) if (pack.changes.some(({ id }) => changing.has(id))) ids.add(pack.name)
  return { rules, changes, byId, rulesets: listRulesets(ports, ids) }
}
