import { compareText } from '../evidence/compare.ts'
import { digestJson } from '../kernel/encoding/hash.ts'
import { optional } from '../kernel/optional.ts'
import type { ReceiptDetails, ReceiptInput } from '../receipts/statement.ts'
import { listNames } from './findings/file-tally.ts'
import type { Judgement } from './gate-evidence.ts'
import type { GateFinding } from './reports/report.ts'
import type { RuleProfile } from './rules/profile.ts'
import { BYPASS_VARIABLE } from './sdd/decision.ts'

/** The versions of the repository that a run compared. All undefined where no file was read. */
export interface BoundVersions {
  /** Object id of the tree that was judged. */
  readonly tree?: string | undefined
  /** Why the receipt is partial. */
  readonly partial?: string | undefined
  readonly base?: string | undefined
  /** Object id of the tree of the base. */
  readonly baseTree?: string | undefined
  readonly head?: string | undefined
  readonly policies?: ReceiptDetails['policies']
  readonly suppressions?: ReceiptDetails['suppressions']
  readonly platforms?: ReceiptDetails['platforms']
  /** Whether variables of the environment relaxed the policy. */
  readonly isRelaxed?: boolean
}

/** What a receipt says of a run, besides its verdict. */
export interface RunFacts {
  readonly tree: string | undefined
  /** The commit that was judged; the last commit where no tree is known. */
  readonly commit: string | undefined
  readonly scope: string
  /** One digest over everything that the verdict was made by. */
  readonly policy: string
  readonly reasons: readonly string[]
  readonly inputs: readonly ReceiptInput[]
  readonly details: ReceiptDetails
}

interface FactsInput extends Judgement {
  readonly profile: RuleProfile
  readonly specification: ReceiptInput | undefined
}

const MAX_LISTED = 100

const GIVEN_UP_RULES = new Set(['gate.file-given-up', 'gate.file-unread', 'gate.grammar-missing'])

const listGivenUp = ({ findings }: Judgement) =>
  findings
    .filter(({ ruleId }) => GIVEN_UP_RULES.has(ruleId))
    .slice(0, MAX_LISTED)
    .map(({ file, code }) => ({ path: file, reason: code }))

/** Why a receipt is partial: what its tree has and rules did not read. What the base has, or a person accepted, counts as read. */
export const whyPartial = (open: readonly GateFinding[], unread: readonly string[]): string | undefined => {
  const givenUp = open.filter(({ ruleId }) => GIVEN_UP_RULES.has(ruleId)).map(({ file }) => file)
  const paths = [...new Set([...unread, ...givenUp])]
  return paths.length === 0 ? undefined : `rules did not read what the tree has of ${listNames(paths.sort())}`
}

/** Output of checks, specification and citations. The evidence is added when it is written. */
const listInputs = ({ checks, specification, citations }: FactsInput): ReceiptInput[] => [
  ...checks.flatMap(({ name, digest }) => (digest === undefined ? [] : [{ uri: `check:${name}`, digest }])),
  ...(specification === undefined ? [] : [specification]),
  ...citations.map(({ uri, digest }) => ({ uri, digest })),
]

/** The rules that block, each once. */
const listReasons = ({ reasons }: FactsInput): string[] =>
  [...new Set(reasons.map(({ ruleId }) => ruleId))].sort(compareText).slice(0, MAX_LISTED)

/** The variables that made this run less strict than the repository asks. */
const listRelaxing = ({ bound, decision }: FactsInput): string[] => [
  ...(bound.isRelaxed ? ['PUMUKI_HARD_MODE'] : []),
  ...(decision?.details?.bypass === true ? [BYPASS_VARIABLE] : []),
]

export const runFacts = (input: FactsInput): RunFacts => {
  const { tree: judged, bound, findings, files, counts, policy, rulesets, overrides } = input
  const { tree, base, baseTree, head, policies, suppressions, platforms, partial } = bound
  const relaxed = listRelaxing(input)
  const suppressed = findings
    .filter(({ state }) => state === 'suppressed')
    .map(({ fingerprint }) => fingerprint)
  return {
    tree,
    // Uncommitted work has only a tree id.
    commit: head ?? (tree === undefined ? base : undefined),
    scope: input.source,
    policy: digestJson({ policy, rulesets, overrides, policies }),
    reasons: listReasons(input),
    inputs: listInputs(input),
    details: {
      kind: 'run',
      ...optional({ base, base_tree: baseTree, head, policies, partial }),
      ...(relaxed.length > 0 && { relaxed_by: relaxed }),
      ...(judged !== undefined && {
        files: {
          changed: files.changed,
          scanned: files.scanned,
          digest: judged.digest,
          not_judged: { ...files.skipped },
          given_up: listGivenUp(input),
        },
      }),
      suppressed: { count: suppressed.length, digest: digestJson(suppressed.sort(compareText)) },
      known: counts.known,
      ...optional({ suppressions, platforms }),
      profile: input.profile,
      imported: input.checks.flatMap(({ name, origin }) => (origin === 'imported' ? [name] : [])),
    },
  }
}
