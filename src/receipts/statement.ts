import { optional } from '../kernel/optional.ts'
/** A receipt: an in-toto statement whose predicate is a SLSA verification summary. */

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
export const SUMMARY_TYPE = 'https://slsa.dev/verification_summary/v1'
/** Members of ours in the predicate are below this one key, as the specification asks. */
export const RECEIPT_MEMBERS = 'https://warrant.example/receipt/v1'
const VERIFIER_ID = 'https://warrant.example/gate'

/** The input that is the evidence of the run. */
export const EVIDENCE_URI = '.ai_evidence.json'

/** Days for which a verdict on a tree can be used for a commit with that tree. */
const RECEIPT_DAYS = 30

/** The place of a receipt in the lineage. */
interface LineagePlace {
  readonly origin: string
  readonly index: number
}

/** One input of a verdict, by digest. */
export interface ReceiptInput {
  readonly uri: string
  /** `sha256:` and hexadecimal digits. */
  readonly digest: string
}

/** What the policy of one version of the repository was: a digest of each of its files. */
export type PolicyDigests = Readonly<Record<string, string>>

/** Everything that a receipt says of a verdict. */
export interface ReceiptFacts {
  readonly repository: string
  /** Object id of the tree that was judged; undefined where git gave none. */
  readonly tree: string | undefined
  /** The commit that was judged, or on which the change was made. */
  readonly commit: string | undefined
  readonly version: string
  /** Digest of the files of this program. */
  readonly build: string
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly passed: boolean
  readonly stage: string
  readonly scope: string
  readonly policy: { readonly uri: string; readonly digest: string }
  readonly inputs: readonly ReceiptInput[]
  /** Rule ids or violation codes: why it did not pass. */
  readonly reasons: readonly string[]
  readonly details: ReceiptDetails
}

interface CountedDigest {
  readonly count: number
  readonly digest: string
}

/** The members of a receipt beyond the verification summary. Digests and counts, never contents. */
export interface ReceiptDetails {
  /** `run`: the gate judged the files. `check`: the evidence of an earlier run was judged. */
  readonly kind: 'run' | 'check'
  /** The commit that the change was compared with, and its tree. Absent where all files were judged. */
  readonly base?: string
  readonly base_tree?: string
  readonly head?: string
  readonly policy_from?: 'worktree'
  readonly policies?: { readonly base?: PolicyDigests; readonly head: PolicyDigests }
  /** Variables of the environment that made the run less strict than the repository asks. */
  readonly relaxed_by?: readonly string[]
  /** Why it covers no commit: what the tree has and rules did not read. */
  readonly partial?: string
  readonly files?: {
    readonly changed: number
    readonly scanned: number
    /** Digest over the paths and object ids of the changed files. */
    readonly digest: string
    readonly not_judged: Readonly<Record<string, number>>
    readonly given_up: readonly { readonly path: string; readonly reason: string }[]
  }
  /** Findings that comments left out. */
  readonly suppressed?: CountedDigest
  /** The comments of the files that suppress something after the change, before and after it. */
  readonly suppressions?: { readonly base?: CountedDigest; readonly head: CountedDigest }
  readonly known?: number
  /** Names of the platforms before and after the change. */
  readonly platforms?: { readonly base?: readonly string[]; readonly head: readonly string[] }
  /** The rules that were used: `seed` is a narrower set. */
  readonly profile?: string
  readonly imported?: readonly string[]
  readonly nonce?: string
}

const hexOf = (digest: string): string => digest.slice(digest.indexOf(':') + 1)

/** The statement of a verdict, at its place in the lineage. */
export const buildStatement = (facts: ReceiptFacts, place: LineagePlace): object => {
  const { repository, tree, commit, stage, now, passed, policy, inputs } = facts
  const uri = `git+${repository}`
  return {
    _type: STATEMENT_TYPE,
    subject: [
      {
        name: uri,
        digest: {
          ...optional({ gitTree: tree, gitCommit: commit }),
        },
      },
    ],
    predicateType: SUMMARY_TYPE,
    predicate: {
      verifier: { id: VERIFIER_ID, version: { warrant: facts.version } },
      timeVerified: new Date(now).toISOString(),
      resourceUri: uri,
      policy: { uri: policy.uri, digest: { sha256: hexOf(policy.digest) } },
      inputAttestations: inputs.map(({ uri: name, digest }) => ({
        uri: name,
        digest: { sha256: hexOf(digest) },
      })),
      verificationResult: passed ? 'PASSED' : 'FAILED',
      verifiedLevels: [passed ? `WARRANT_${stage}` : 'FAILED'],
      slsaVersion: '1.1',
      [RECEIPT_MEMBERS]: {
        ...facts.details,
        stage,
        scope: facts.scope,
        build: facts.build,
        expires: new Date(now + RECEIPT_DAYS * 86_400_000).toISOString(),
        lineage: place,
        reasons: facts.reasons,
      },
    },
  }
}
