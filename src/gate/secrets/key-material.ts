import { isRecord } from '../../kernel/encoding/json.ts'
import { shannonEntropy } from './entropy.ts'

/** Decides whether text in the format of a key or token is a whole one, by decoding it. */

const PEM = /^-----BEGIN ([A-Z ]*?)PRIVATE KEY( BLOCK)?-----([\s\S]*?)(?:-----END|$)/
const PEM_HEADER = /^[A-Za-z-]+: .*$/gm
const SEQUENCE = 0x30
const LEAST_BODY = 64
const LEAST_ENTROPY = 4.5
const OPENSSH_MAGIC = 'openssh-key-v1'

/** The bytes that a DER sequence says it has, with its header; undefined if this is no sequence. */
const derLength = (bytes: Buffer): number | undefined => {
  const first = bytes[1]
  if (bytes[0] !== SEQUENCE || first === undefined) return undefined
  if (first < 0x80) return first + 2
  const size = first - 0x80
  return size >= 1 && size <= 3 && bytes.length > 2 + size ? bytes.readUIntBE(2, size) + 2 + size : undefined
}

/** A private key with its whole body. Headers alone, placeholder text and cut fixtures are no keys. */
export const isWholePrivateKey = (text: string): boolean => {
  const [, kind = '', block, raw = ''] = PEM.exec(text) ?? []
  const unescaped = raw.replace(/\\r|\\t/g, '').replace(/\\n/g, '\n')
  // The checksum of OpenPGP is a line of its own that starts with `=`.
  const body = unescaped
    .replace(PEM_HEADER, '')
    .replace(/^=\S{4}\s*$/gm, '')
    .replace(/(?<=["'`]\s*)\+(?=\s)|["'`,;\\|()\s]/g, '')
  if (body.length < LEAST_BODY || !/^[A-Za-z0-9+/]+={0,2}$/.test(body)) return false
  if (shannonEntropy(body.slice(0, 400)) < LEAST_ENTROPY - (kind.startsWith('OPENSSH') ? 1 : 0)) return false
  const bytes = Buffer.from(body, 'base64')
  if (kind.startsWith('OPENSSH')) return bytes.subarray(0, OPENSSH_MAGIC.length).toString() === OPENSSH_MAGIC
  if (block !== undefined || unescaped.includes('ENCRYPTED')) return true
  return derLength(bytes) === bytes.length
}

const decodeObject = (part: string | undefined): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString())
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Tokens that are published with a page or printed in documentation. */
const isPublicClaims = ({ sub, name, role }: Readonly<Record<string, unknown>>): boolean =>
  sub === '1234567890' || name === 'John Doe' || role === 'anon'

/** A signed JSON web token whose claims are not those of a documented example. */
export const isSignedToken = (text: string): boolean => {
  const [header, claims, signature = ''] = text.split('.')
  const { alg } = decodeObject(header) ?? {}
  const payload = decodeObject(claims)
  if (typeof alg !== 'string' || alg.toLowerCase() === 'none' || payload === undefined) return false
  return signature !== '' && !isPublicClaims(payload)
}
