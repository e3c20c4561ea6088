import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'

/**
 * Signed notes, verifier keys and checkpoints as C2SP defines them (signed-note, tlog-checkpoint). Part of the
 * stand-alone verifier: this file imports nothing of ours, and nothing in it signs.
 */

/** Type of an Ed25519 signature over the text of a note. */
export const NOTE_SIGNATURE = 0x01
/** Type of an Ed25519 cosignature with a time. */
export const COSIGNATURE = 0x04

const RAW_KEY_BYTES = 32
const ID_BYTES = 4
const HASH_BYTES = 32
/** A note has to hold 16 signatures of at most 5 kB each. */
const MAX_NOTE_CHARS = 262_144
const MAX_SIGNATURES = 100
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/** The bytes of standard base64; undefined for any other spelling, which the decoder of Node.js would accept. */
export const decodeBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** A SHA-256 hash in base64 as hexadecimal digits. */
export const decodeTreeHash = (text: string): string | undefined => {
  const bytes = decodeBase64(text)
  return bytes?.length === HASH_BYTES ? bytes.toString('hex') : undefined
}

const COUNT = /^(?:0|[1-9]\d{0,15})$/
/** A number as the specifications write it: decimal digits without leading zeros. */
export const parseDecimal = (text: string): number | undefined => {
  const value = Number(text)
  return COUNT.test(text) && Number.isSafeInteger(value) ? value : undefined
}

/** The key ID in a signature line and in a verifier key. */
export const noteKeyId = (name: string, type: number, publicKey: Uint8Array): string =>
  createHash('sha256')
    .update(`${name}\n`)
    .update(Buffer.of(type))
    .update(publicKey)
    .digest()
    .subarray(0, ID_BYTES)
    .toString('hex')

/** The line that names a public key: name, key ID, and type and key in base64. */
export const writeNoteKey = (name: string, type: number, publicKey: Uint8Array): string =>
  `${name}+${noteKeyId(name, type, publicKey)}+${Buffer.concat([Buffer.of(type), publicKey]).toString('base64')}`

interface NoteKey {
  readonly name: string
  readonly type: number
  /** The 32 bytes of the Ed25519 key. */
  readonly publicKey: Buffer
}

const KEY_NAME = /^[^\s+\p{Cc}]+$/u

/** Reads the line of an Ed25519 key, of either type. Undefined when it is malformed or its key ID is wrong. */
export const parseNoteKey = (line: string): NoteKey | undefined => {
  const [, name = '', id, encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(line) ?? []
  const bytes = decodeBase64(encoded)
  const type = bytes?.[0]
  if (bytes?.length !== 1 + RAW_KEY_BYTES || (type !== NOTE_SIGNATURE && type !== COSIGNATURE))
    return undefined
  const publicKey = bytes.subarray(1)
  if (!KEY_NAME.test(name) || noteKeyId(name, type, publicKey) !== id) return undefined
  return { name, type, publicKey }
}

interface NoteSignature {
  readonly name: string
  readonly id: string
  readonly signature: Buffer
}

interface SignedNote {
  /** The signed text with its last newline. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

const parseSignature = (line: string): NoteSignature | undefined => {
  const [, name = '', encoded = ''] = /^\u2014 (\S+) (\S+)$/.exec(line) ?? []
  const bytes = decodeBase64(encoded)
  if (!KEY_NAME.test(name) || bytes === undefined || bytes.length <= ID_BYTES) return undefined
  return { name, id: bytes.subarray(0, ID_BYTES).toString('hex'), signature: bytes.subarray(ID_BYTES) }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a note must not contain them
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/

/** Text that was copied from a terminal may lack its last newline. */
const withNewline = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)

/** Splits a note into text and signatures. Undefined when it is malformed. Verifies nothing. */
export const parseNote = (note: string): SignedNote | undefined => {
  if (note.length > MAX_NOTE_CHARS || CONTROL.test(note) || !note.endsWith('\n')) return undefined
  const end = note.lastIndexOf('\n\n')
  if (end === -1) return undefined
  const lines = note.slice(end + 2, -1).split('\n')
  if (lines.length > MAX_SIGNATURES) return undefined
  const signatures = lines.map(parseSignature)
  if (!signatures.every((one) => one !== undefined)) return undefined
  return { text: note.slice(0, end + 1), signatures }
}

/** An Ed25519 public key from its 32 bytes. */
export const ed25519Key = (publicKey: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' })

/** Signature lines that a public key made under any name: the name is no part of what is trusted. */
export const signaturesBy = (note: SignedNote, type: number, publicKey: Uint8Array): NoteSignature[] =>
  note.signatures.filter(({ name, id }) => id === noteKeyId(name, type, publicKey))

export interface Checkpoint {
  readonly origin: string
  readonly size: number
  /** Root of the Merkle tree in hexadecimal. */
  readonly root: string
}

const parseCheckpointText = (text: string): Checkpoint | undefined => {
  const [origin = '', sizeText = '', rootText = '', ...extensions] = text.slice(0, -1).split('\n')
  const size = parseDecimal(sizeText)
  const root = decodeTreeHash(rootText)
  if (origin === '' || size === undefined || root === undefined || extensions.includes('')) return undefined
  return { origin, size, root }
}

interface SignedCheckpoint extends Checkpoint {
  /** The verifier keys, of those given, that signed it. */
  readonly signedBy: readonly string[]
}

const verifiesText = (note: SignedNote, publicKey: Uint8Array): boolean | undefined => {
  const lines = signaturesBy(note, NOTE_SIGNATURE, publicKey)
  if (lines.length === 0) return undefined
  const key = ed25519Key(publicKey)
  return lines.every(({ signature }) => verify(null, Buffer.from(note.text), key, signature))
}

/**
 * The checkpoint in a note that at least one of the keys signed as its log, under any name. Undefined when the note is
 * malformed, when none of the keys signed it, and when a signature of one of them is wrong.
 */
export const openSignedCheckpoint = (text: string, keys: readonly string[]): SignedCheckpoint | undefined => {
  const note = parseNote(withNewline(text))
  const checkpoint = note && parseCheckpointText(note.text)
  if (note === undefined || checkpoint === undefined) return undefined
  const signedBy: string[] = []
  for (const line of keys) {
    const key = parseNoteKey(line)
    const holds = key && verifiesText(note, key.publicKey)
    if (holds === false) return undefined
    if (holds) signedBy.push(line)
  }
  return signedBy.length === 0 ? undefined : { ...checkpoint, signedBy }
}
