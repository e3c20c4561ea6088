import { isRecord } from '../../kernel/encoding/json.ts'
import { isTemplateValue } from '../../kernel/text/template-value.ts'

/** Decides whether text in the format of a key or token is a whole one, by decoding it. */

const PEM = /^-----BEGIN ([A-Z ]*?)PRIVATE KEY( BLOCK)?-----([\s\S]*?)(?:-----END|$)/
const PEM_HEADER = /^[A-Za-z-]+: .*$/gm
const SEQUENCE = 0x30
const LEAST_BODY = 64
const LEAST_ENTROPY = 4.5
const LONG_BODY = 512
const RANDOM_ENTROPY = 5.5
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
const isWholePrivateKey = (text: string): boolean => {
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
  // A long body that is not cut where its length says so may be damaged; a short one is a fixture.
  return (
    derLength(bytes) === bytes.length || (body.length >= LONG_BODY && shannonEntropy(body) >= RANDOM_ENTROPY)
  )
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
const isSignedToken = (text: string): boolean => {
  const [header, claims, signature = ''] = text.split('.')
  const { alg } = decodeObject(header) ?? {}
  const payload = decodeObject(claims)
  if (typeof alg !== 'string' || alg.toLowerCase() === 'none' || payload === undefined) return false
  return signature !== '' && !isPublicClaims(payload)
}

/** The Shannon entropy of a text, in bits per character. Random base64 has more than 4, a word less than 3. */
export const shannonEntropy = (text: string): number => {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/**
 * Text that stands where a secret would stand and is none: a template, a documented example, a name. A rule about
 * secrets reports nothing there. Every decision uses the text alone, so it is the same on every machine.
 */

/** Passwords that everyone knows. They protect nothing, and local databases and tutorials use them. */
const KNOWN_PASSWORDS =
  /^(?:p[a@4]ss(?:w[o0]rd|wd)?|pwd?|secret|admin|root|user(?:name)?|gu?est|postgres(?:ql)?|mysql|mariadb|mongo(?:db)?|redis|rabbitmq|minio(?:admin)?|elastic|sa|test|hunter|letmein|welcome|login|toor|db|my-?sql|dbpass(?:word)?|userpass(?:word)?|foo|bar|token|credential|port)s?[-_]?[0-9!@#$]{0,8}$/i

/** Documented keys of emulators and of standards. A few characters name one. */
const TEST_VECTORS = [
  'Eby8vdM02xNOcqFl',
  'C2y6yDjf5/R+ob0N',
  'wJalrXUtnFEMI',
  'je7MtGbClwBF',
  'AKIDEXAMPLE',
  'dGhlIHNhbXBsZSBub25jZQ',
]

const STEP = 1
const LEAST_RUN = 8
const MOST_WORDS = 0.8

/** The longest run of equal characters, and the longest run of characters that count up or down. */
const longestRuns = (text: string): { readonly equal: number; readonly counting: number } => {
  let [equal, counting, same, up, down] = [1, 1, 1, 1, 1]
  for (let at = 1; at < text.length; at++) {
    const difference = text.charCodeAt(at) - text.charCodeAt(at - 1)
    const wraps = text[at - 1] === '9' && text[at] === '0'
    same = difference === 0 ? same + 1 : 1
    up = difference === STEP || wraps ? up + 1 : 1
    down = difference === -STEP ? down + 1 : 1
    equal = Math.max(equal, same)
    counting = Math.max(counting, up, down)
  }
  return { equal, counting }
}

/** Filler: few characters, one of them repeated, a repeated part, or characters in their order. */
const isFiller = (value: string): boolean => {
  const distinct = new Set(value).size
  if (value.length >= 6 && distinct <= 3) return true
  if (value.length >= 16 && distinct <= 5) return true
  if (/^(.{1,16}?)\1{2,}.{0,15}$/.test(value)) return true
  const { equal, counting } = longestRuns(value)
  return (equal >= 5 && equal * 4 >= value.length) || (counting >= LEAST_RUN && counting * 6 >= value.length)
}

const VOWEL = /[aeiouy]/i
/** Neighbours that words do not have: random lower-case text has many of them. */
const NO_WORD =
  /[bcdfghjklmnpqrstvwxz]{5}|q[^u]|[jvz][bcdfgjkmnpqrstvwx]|x[bdfgjkmnqrsvwxz]|[bcfghkmpqtvwxz]j|[bcdfghjkmpqvwx]z|[fhjkpqvwxz]q/i
const LONGEST_WORD = 20

const isWord = (part: string): boolean =>
  part.length >= 3 && part.length <= LONGEST_WORD && VOWEL.test(part) && !NO_WORD.test(part)

/** The parts of an identifier: `accessToken_2` has `access`, `Token` and `2`. */
const splitParts = (text: string): string[] =>
  text.split(
    /[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])/,
  )

/** The name of a thing, made of words: an identifier, a path, a host, an error code. */
const isName = (value: string): boolean => {
  if (!/^[\w.:/@ +-]+$/.test(value)) return false
  const divided = /[a-z]\W|_|\W[a-z]/i.test(value)
  // A number between separators is a version, a year or a code.
  const parts = splitParts(value).filter((part) => !(divided && /^\d{0,4}$/.test(part)))
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const words = parts.filter((part) => /^[A-Za-z]+$/.test(part) && isWord(part))
  return words.reduce((sum, part) => sum + part.length, 0) >= length * MOST_WORDS
}

/** An address without a password, a path, a mail address. */
const ADDRESS =
  /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^\s:@]*(?::\d+)?(?:[/?#]|$)|^\.{0,2}\/[\w.-]+\/|^[\w.-]+(?:\/[\w.-]+)+\.[a-z]{2,5}$|^[\w.+-]+@[\w-]+\.[\w.]+$|^data:/i

/** Whether the value is the password of an address: `scheme://user:VALUE@host`. It may be a word. */
const isAddressPassword = (value: string, line: string): boolean =>
  line.includes(`:${value}@`) && /:\/\/[^\s/]*:/.test(line)

/** Whether the value is the login of a basic header with a password that everyone knows, or that is the name. */
const isKnownLogin = (value: string, line: string): boolean => {
  if (!/\bbasic\s$/i.test(line.slice(0, line.indexOf(value)))) return false
  const [name = '', password = name] = Buffer.from(value, 'base64').toString().split(':', 2)
  return password === name || KNOWN_PASSWORDS.test(password)
}

/** The name before a digest of content: in lock files and integrity members. */
const DIGEST_NAME =
  /\b(?:integrity|checksum|sha(?:1|256|384|512)|md5|digest|fingerprint|commit|revision|resolved)\b["']?\s*[:=]\s*["'`]?[^\s"'`,;]*$/i
const DIGEST = /^(?:sha(?:1|256|384|512)-[A-Za-z0-9+/=]+|[a-f0-9]{32,128})$/i

/** Whether text in the place of a secret is no secret. `line` is the line it is in, `path` its file. */
export const isPlaceholder = (value: string, line: string, path: string): boolean => {
  if (value.startsWith('-----BEGIN')) return !isWholePrivateKey(value)
  if (/^eyJ[\w-]+\.eyJ[\w-]*(?:\.[\w-]*)?$/.test(value)) return !isSignedToken(value)
  if (isTemplateValue(value)) return true
  if (KNOWN_PASSWORDS.test(value) || isFiller(value)) return true
  if (TEST_VECTORS.some((vector) => value.includes(vector))) return true
  if (
    DIGEST.test(value) &&
    (DIGEST_NAME.test(line.slice(0, line.lastIndexOf(value))) || /\block\b|\.sum$/.test(path))
  )
    return true
  if (isAddressPassword(value, line)) return false
  if (isKnownLogin(value, line)) return true
  return ADDRESS.test(value) || isName(value)
}
