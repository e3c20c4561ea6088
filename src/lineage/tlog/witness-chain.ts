import { checkConsistency, EMPTY_TREE_ROOT } from '../verify.ts'
import { type Checkpoint, decodeTreeHash, openSignedCheckpoint, parseDecimal } from './note.ts'

/** What a witness is asked to cosign, as C2SP defines it (tlog-witness, add-checkpoint). Imports only `note.ts`. */

const MAX_PROOF = 63

export interface WitnessRequest {
  /** The log. The checkpoint has to name the same. */
  readonly origin: string
  /** Size of the tree that the proof starts from. */
  readonly old: number
  /** Consistency proof of RFC 9162 from `old` to the checkpoint; hashes in base64. */
  readonly proof: readonly string[]
  /** The signed note. */
  readonly checkpoint: string
}

/** Reads a request from one line of JSON. Undefined when it is malformed. Verifies nothing. */
export const parseWitnessRequest = (line: string): WitnessRequest | undefined => {
  let value: Partial<WitnessRequest> | null
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { origin, old, proof, checkpoint } = value
  if (typeof origin !== 'string' || typeof checkpoint !== 'string') return undefined
  if (typeof old !== 'number' || !Number.isSafeInteger(old) || old < 0) return undefined
  if (!Array.isArray(proof) || proof.length > MAX_PROOF) return undefined
  if (!proof.every((hash) => typeof hash === 'string' && decodeTreeHash(hash) !== undefined)) return undefined
  return { origin, old, proof, checkpoint }
}

/** One line of JSON, with the members always in the same order. */
export const writeWitnessRequest = ({ origin, old, proof, checkpoint }: WitnessRequest): string =>
  JSON.stringify({ origin, old, proof, checkpoint })

/** The body of the request `add-checkpoint` to a witness. */
export const writeAddCheckpoint = ({ old, proof, checkpoint }: WitnessRequest): string =>
  [`old ${old}`, ...proof, '', checkpoint].join('\n')

/** Reads the body of `add-checkpoint`. Undefined when it is malformed. */
export const readAddCheckpoint = (body: string): WitnessRequest | undefined => {
  const end = body.indexOf('\n\n')
  if (end === -1) return undefined
  const [first = '', ...proof] = body.slice(0, end).split('\n')
  const old = first.startsWith('old ') ? parseDecimal(first.slice('old '.length)) : undefined
  if (old === undefined || proof.length > MAX_PROOF) return undefined
  if (!proof.every((hash) => decodeTreeHash(hash) !== undefined)) return undefined
  const checkpoint = body.slice(end + 2)
  return { origin: checkpoint.slice(0, checkpoint.indexOf('\n')), old, proof, checkpoint }
}

/**
 * Whether a log has only grown since a checkpoint that was seen, from nothing but signed checkpoints and proofs between
 * them. Their order does not matter, and any of them may be wrong. Imports only what verifies.
 */

/** A checkpoint, with the signed note where it is known. */
interface SeenCheckpoint extends Checkpoint {
  readonly note?: string
}

type WitnessVerdict =
  | { readonly outcome: 'consistent'; readonly newest: SeenCheckpoint; readonly ignored: number }
  | {
      /**
       * `rollback`: the newest checkpoint is smaller than the one that was seen. `truncated`: there is no checkpoint of
       * the log any more. `forked`: the two checkpoints do not belong to one log. `gap`: no proof connects them.
       */
      readonly outcome: 'rollback' | 'truncated' | 'forked' | 'gap'
      /** The checkpoint that was seen, or the smaller one. */
      readonly older: SeenCheckpoint
      /** The one that contradicts it. None when the log is truncated to nothing. */
      readonly newer?: SeenCheckpoint
      /** Records that are malformed, belong to another log, or have no signature of a given key. */
      readonly ignored: number
    }

interface Step {
  readonly old: number
  readonly path: readonly string[]
  readonly to: SeenCheckpoint
}

const nodeId = ({ size, root }: Checkpoint): string => `${size} ${root}`
const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
/** The note decides between equal checkpoints, so that the verdict is the same for every order of the records. */
const bySize = (a: SeenCheckpoint, b: SeenCheckpoint): number =>
  a.size - b.size || compareText(a.root, b.root) || compareText(a.note ?? '', b.note ?? '')

/** What was seen of a log before its first checkpoint: every log continues it. */
export const unseenLog = (origin: string): SeenCheckpoint => ({ origin, size: 0, root: EMPTY_TREE_ROOT })

/** The steps whose checkpoint has a signature that counts. */
const openRequests = (origin: string, requests: readonly WitnessRequest[], keys: readonly string[]) => {
  const opened = new Map<string, Checkpoint | undefined>()
  const open = (note: string): Checkpoint | undefined => {
    if (!opened.has(note)) opened.set(note, openSignedCheckpoint(note, keys))
    return opened.get(note)
  }
  return requests.flatMap((request): Step[] => {
    if (request.origin !== origin) return []
    const checkpoint = open(request.checkpoint)
    const path = request.proof.map(decodeTreeHash)
    if (checkpoint?.origin !== origin || request.old > checkpoint.size) return []
    if (checkpoint.size === 0 && checkpoint.root !== EMPTY_TREE_ROOT) return []
    if (!path.every((hash) => hash !== undefined)) return []
    const { size, root } = checkpoint
    return [{ old: request.old, path, to: { origin, size, root, note: request.checkpoint } }]
  })
}

const holds = ({ old, path, to }: Step, from: Checkpoint): boolean =>
  checkConsistency({ older: old, newer: to.size, olderRoot: from.root, newerRoot: to.root, path })

/** Checkpoints of one log by size. A second root at one size is a fork. */
class CheckpointSet {
  readonly #bySize = new Map<number, SeenCheckpoint>()

  /** Adds a checkpoint. Returns the one that contradicts it. */
  add(checkpoint: SeenCheckpoint): SeenCheckpoint | undefined {
    const other = this.#bySize.get(checkpoint.size)
    if (other?.root === checkpoint.root ? other.note === undefined : other === undefined)
      this.#bySize.set(checkpoint.size, checkpoint)
    return other?.root === checkpoint.root ? undefined : other
  }

  at(size: number): SeenCheckpoint | undefined {
    return this.#bySize.get(size)
  }

  sorted(): SeenCheckpoint[] {
    return [...this.#bySize.values()].sort(bySize)
  }
}

/** The checkpoints that verified proofs show to be a prefix of the newest one. */
const provenPrefixes = (newest: Checkpoint, steps: readonly Step[], known: CheckpointSet): Set<string> => {
  const into = new Map<string, Step[]>()
  for (const step of steps) into.set(nodeId(step.to), [...(into.get(nodeId(step.to)) ?? []), step])
  const proven = new Set([nodeId(newest)])
  const open = [newest]
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const step of into.get(nodeId(next)) ?? []) {
      const from = known.at(step.old)
      if (from === undefined || proven.has(nodeId(from)) || !holds(step, from)) continue
      proven.add(nodeId(from))
      open.push(from)
    }
  return proven
}

/** Why a checkpoint is no proven prefix of the newest one. */
const explainLoose = (loose: SeenCheckpoint, newest: SeenCheckpoint, steps: readonly Step[]) => {
  const [failed] = steps
    .filter((step) => step.old === loose.size && step.to.size > loose.size && !holds(step, loose))
    .map(({ to }) => to)
    .sort(bySize)
  return failed === undefined
    ? ({ outcome: 'gap', older: loose, newer: newest } as const)
    : ({ outcome: 'forked', older: loose, newer: failed } as const)
}

/**
 * The newest checkpoint, if every signed checkpoint and the one that was seen are prefixes of it by proofs that hold.
 * Otherwise the contradiction, which is the same one for every order of the requests.
 */
export const checkWitnessChain = (
  seen: SeenCheckpoint,
  requests: readonly WitnessRequest[],
  keys: readonly string[],
): WitnessVerdict => {
  const steps = openRequests(seen.origin, requests, keys)
  const ignored = requests.length - steps.length
  const known = new CheckpointSet()
  for (const checkpoint of [seen, ...steps.map(({ to }) => to).sort(bySize)]) {
    const other = known.add(checkpoint)
    if (other !== undefined) return { outcome: 'forked', older: other, newer: checkpoint, ignored }
  }
  const newest = known.sorted().at(-1) ?? seen
  const signed = steps
    .map(({ to }) => to)
    .sort(bySize)
    .at(-1)
  if (signed === undefined && seen.size > 0) return { outcome: 'truncated', older: seen, ignored }
  if (signed !== undefined && signed.size < seen.size)
    return { outcome: 'rollback', older: seen, newer: signed, ignored }
  const proven = provenPrefixes(newest, steps, known)
  // The empty tree is a prefix of every tree, and needs no proof.
  const isLoose = (one: Checkpoint): boolean => one.size > 0 && !proven.has(nodeId(one))
  const loose = isLoose(seen) ? seen : known.sorted().find(isLoose)
  if (loose !== undefined) return { ...explainLoose(loose, newest, steps), ignored }
  return { outcome: 'consistent', newest, ignored }
}
