import type { Evidence } from '../../evidence/schema.ts'
import type { EvidenceReading } from '../../evidence/store.ts'
import { violation } from '../../gate/violations.ts'
import type { Clock } from '../../kernel/ports.ts'
import { type ClosedReason, isOfferedBlocked, type ToolOffer } from '../../kernel/tool-offer.ts'
import type { HeadState } from '../../platform/git/head-state.ts'

/** What decides whether the server offers tools that write. */
interface GateFacts {
  readonly reading: EvidenceReading
  /** Undefined outside of a repository. Read only where the evidence says BLOCKED. */
  readonly head: HeadState | undefined
  /** Whether the evidence lacks the receipt of a listed key; false where the repository lists none. */
  readonly lacksReceipt: boolean
  /** Whether the repository lists keys. */
  readonly listsKeys: boolean
}

/**
 * Whether the verdict speaks of what is checked out: of the same commit, or of the same branch. A commit that avoids
 * the gate stays on the branch, and a new branch on the commit, so neither alone ends a block.
 */
const isPresentVerdict = (
  { judged_tree: judged, repo_state: state }: Evidence,
  head: HeadState | undefined,
): boolean => {
  if (head === undefined || judged === undefined) return true
  const isSameBranch = head.branch !== 'HEAD' && state?.git.branch === head.branch
  return judged.head === (head.commit ?? null) || isSameBranch
}

/**
 * Why tools that write are closed; undefined when they are open. Missing evidence closes nothing: a repository in
 * which no gate ever ran has no verdict.
 */
export const closedReason = ({
  reading,
  head,
  lacksReceipt,
  listsKeys,
}: GateFacts): ClosedReason | undefined => {
  if (reading.kind === 'missing') return undefined
  if (reading.kind === 'invalid')
    return listsKeys ? { why: `the evidence file is invalid (${reading.reason})` } : undefined
  if (lacksReceipt) {
    const { message: why, fix } = violation(
      'EVIDENCE_UNSIGNED',
      'no listed key signed a receipt of the evidence',
    )
    return { why, fix }
  }
  const { ai_gate: gate, snapshot } = reading.evidence
  if (gate.status !== 'BLOCKED' || !isPresentVerdict(reading.evidence, head)) return undefined
  const count = gate.violations.length
  const violations = `${count} violation${count === 1 ? '' : 's'}`
  return { why: `the last verdict of the gate is BLOCKED (${snapshot.stage}, ${violations})` }
}

/** Reads what the state depends on. Each of them is cached by the files it comes from. */
interface StatePorts {
  readonly clock: Clock
  readonly evidence: () => Promise<EvidenceReading>
  readonly head: () => Promise<HeadState | undefined>
  /** Entries of the log of decisions; undefined when there is none. */
  readonly lineageSize: () => Promise<number | undefined>
  readonly receipts: (
    reading: EvidenceReading,
  ) => Promise<{ readonly listsKeys: boolean; readonly lacksReceipt: boolean }>
  /** Called when other tools are offered than before. */
  readonly changed: () => void
}

/** How long the state of the gate is used without a look at its files, and the facts of freshness. */
const STATE_MS = 200
const FRESHNESS_MS = 1_000
/** How long a request waits for a slow disk or git; it then gets what was known before. The first ones know nothing. */
const WAIT_MS = 500
const FIRST_WAIT_MS = 5_000
/** The time in which a run is recorded after its evidence was written. */
const RECORD_MS = 1_000

/** A value that is loaded again after `ms`. Requests wait for a load at most `WAIT_MS`. */
class Refreshed {
  readonly #clock: Clock
  readonly #ms: number
  readonly #load: () => Promise<void>
  #until = 0
  #isLoaded = false
  #loading: Promise<void> | undefined
  /** A request has waited long enough for the present load: the next ones do not wait. */
  #isSlow = false

  constructor(clock: Clock, ms: number, load: () => Promise<void>) {
    this.#clock = clock
    this.#ms = ms
    this.#load = load
  }

  /** Undefined while the value is recent. */
  refresh(): Promise<void> | undefined {
    if (this.#loading === undefined && this.#clock.elapsed() < this.#until) return undefined
    this.#loading ??= this.#load()
      // What cannot be read stays as it was known.
      .catch(() => {})
      .finally(() => {
        this.#until = this.#clock.elapsed() + this.#ms
        this.#loading = undefined
        this.#isLoaded = true
        this.#isSlow = false
      })
    return this.pending()
  }

  /** A load that is under way; undefined when there is none to wait for. */
  pending(): Promise<void> | undefined {
    if (this.#loading === undefined || this.#isSlow) return undefined
    return this.#bounded(this.#loading)
  }

  /** Loads again, also when a load is under way: it may have begun before the change. */
  async reload(): Promise<void> {
    await this.pending()
    this.#until = 0
    await this.refresh()
  }

  #bounded(loading: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#clock.after(this.#isLoaded ? WAIT_MS : FIRST_WAIT_MS, () => {
        this.#isSlow = true
        resolve()
      })
      void loading.then(() => {
        stop()
        resolve()
      })
    })
  }
}

/** What the unified server knows of gate and repository: which tools it offers, and how fresh its answers are. */
export class ServerState {
  readonly #ports: StatePorts
  readonly #gate: Refreshed
  readonly #freshness: Refreshed
  #closed: ClosedReason | undefined
  #isKnown = false
  /** The tools were offered before the state was known, as open. */
  #isAssumed = false
  #reading: EvidenceReading = { kind: 'missing' }
  #head: HeadState | undefined
  #lineage: number | undefined
  #written = { second: -1, json: '{}' }

  constructor(ports: StatePorts) {
    this.#ports = ports
    this.#gate = new Refreshed(ports.clock, STATE_MS, () => this.#readGate())
    this.#freshness = new Refreshed(ports.clock, FRESHNESS_MS, () => this.#readFreshness())
  }

  /** Why tools that write are closed; undefined while they are open. */
  get closed(): ClosedReason | undefined {
    return this.#closed
  }

  get hasEvidence(): boolean {
    return this.#reading.kind === 'valid'
  }

  /** Which tools are offered, by the state of the gate. */
  get offer(): ToolOffer {
    return {
      key: () => {
        this.#isAssumed ||= !this.#isKnown
        return this.#closed === undefined ? 'open' : 'closed'
      },
      isOffered: (tool) => this.#closed === undefined || isOfferedBlocked(tool),
      refresh: () => this.#gate.refresh(),
      pending: () => this.#gate.pending(),
    }
  }

  /** Brings the facts of freshness up to date; undefined when they are. */
  touch(): Promise<void> | undefined {
    return this.#freshness.refresh()
  }

  /** The gate may have run: reads everything again. */
  async reload(): Promise<void> {
    await Promise.all([this.#gate.reload(), this.#freshness.reload()])
  }

  /** The evidence file has changed. A run is recorded after it: a block for lack of a receipt is looked at again. */
  async evidenceChanged(): Promise<void> {
    await this.reload()
    if (this.#closed !== undefined) this.#ports.clock.after(RECORD_MS, () => void this.reload())
  }

  /** Freshness as JSON, written once a second: every answer carries it. */
  freshnessJson(): string {
    const second = Math.floor(this.#ports.clock.now() / 1_000)
    if (second !== this.#written.second) this.#written = { second, json: this.#writeFreshness(second) }
    return this.#written.json
  }

  #writeFreshness(second: number): string {
    const reading = this.#reading
    const at = reading.kind === 'valid' ? Date.parse(reading.evidence.timestamp) / 1_000 : undefined
    return JSON.stringify({
      tree: this.#head?.tree,
      evidenceAgeSeconds: at === undefined ? undefined : Math.max(0, second - Math.floor(at)),
      lineageSize: this.#lineage,
    })
  }

  async #readGate(): Promise<void> {
    const reading = await this.#ports.evidence()
    const [receipts, head] = await Promise.all([
      this.#ports.receipts(reading),
      isBlocked(reading) ? this.#ports.head() : undefined,
    ])
    const closed = closedReason({ reading, head, ...receipts })
    const isOffered = this.#isKnown || this.#isAssumed
    const isChanged = isOffered && (closed === undefined) !== (this.#closed === undefined)
    this.#reading = reading
    this.#closed = closed
    this.#isKnown = true
    this.#written.second = -1
    if (isChanged) this.#ports.changed()
  }

  async #readFreshness(): Promise<void> {
    const [reading, head, lineage] = await Promise.all([
      this.#ports.evidence(),
      this.#ports.head(),
      this.#ports.lineageSize(),
    ])
    this.#reading = reading
    this.#head = head
    this.#lineage = lineage
    this.#written.second = -1
  }
}

const isBlocked = (reading: EvidenceReading): boolean =>
  reading.kind === 'valid' && reading.evidence.ai_gate.status === 'BLOCKED'
