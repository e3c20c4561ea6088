import { decodeTreeHash, parseDecimal } from './note.ts'

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
  if (!Number.isSafeInteger(old) || (old as number) < 0) return undefined
  if (!Array.isArray(proof) || proof.length > MAX_PROOF) return undefined
  if (!proof.every((hash) => typeof hash === 'string' && decodeTreeHash(hash) !== undefined)) return undefined
  return { origin, old: old as number, proof, checkpoint }
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
