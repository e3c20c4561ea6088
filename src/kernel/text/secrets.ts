import { escapeHidden } from './hidden-characters.ts'
import { isTemplateValue } from './template-value.ts'

/** Masking of credentials: every text of a workflow answer passes through here. */

const MASK = '***'

const CREDENTIAL_WORDS =
  'password|passwd|passphrase|pwd|secret|token|api[-_.]?key|access[-_.]?key|account[-_.]?key|private[-_.]?key|client[-_.]?secret|credentials?|signature'

const SECRET_KEY = new RegExp(`(?:^|[._-]|[a-z](?=[A-Z]))(?:${CREDENTIAL_WORDS})$`, 'i')

interface Pattern {
  readonly kind: string
  readonly find: RegExp
  /** The replacement. */
  readonly show: string
}

// Every repetition is bounded, so that hostile text cannot cause catastrophic backtracking.
const PATTERNS: readonly Pattern[] = [
  {
    kind: 'private key',
    find: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[\s\S]{0,8000}?-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
    show: MASK,
  },
  { kind: 'token', find: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, show: MASK },
  {
    kind: 'token',
    find: /\b(?:gh[pousr]_|github_pat_|glpat-|npm_|hf_|sk_live_|rk_live_)[\w-]{16,200}/g,
    show: MASK,
  },
  { kind: 'token', find: /\bxox[abeoprs]-[\w-]{10,200}/g, show: MASK },
  { kind: 'token', find: /\bsk-[\w-]{20,200}/g, show: MASK },
  { kind: 'token', find: /\bAIza[\w-]{35}/g, show: MASK },
  { kind: 'token', find: /\beyJ[\w-]{8,2000}\.eyJ[\w-]{8,2000}\.[\w-]{8,2000}/g, show: MASK },
  {
    kind: 'token',
    find: /\b(Bearer|Basic) (?=[A-Za-z+/._~-]{0,200}\d)[A-Za-z0-9+/._~-]{16,2000}={0,2}/g,
    show: `$1 ${MASK}`,
  },
  {
    kind: 'credentials in an address',
    find: /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>{}]{1,200}@/gi,
    show: `$1${MASK}@`,
  },
  {
    kind: 'credentials in an address',
    find: /\b([a-z][a-z0-9+.-]{0,30}:\/\/)(?!\*\*\*@)[^\s/?#@:"'<>{}]{1,100}:(?!\d{1,5}(?:[/?#]|$))[^\s"'<>{}]{1,200}@/gi,
    show: `$1${MASK}@`,
  },
  {
    kind: 'credentials in an address',
    find: /\b(jdbc:oracle:[a-z]{1,10}:)[^\s/@"']{1,100}\/[^\s@"']{1,100}@/gi,
    show: `$1${MASK}@`,
  },
  {
    kind: 'password in a connection string',
    find: new RegExp(
      `\\b(\\w{0,40}(?:${CREDENTIAL_WORDS})\\s{0,4}=\\s{0,4})(?!\\*\\*\\*|\\$\\{|["'])[^\\s&;,"'<>]{1,400}`,
      'gi',
    ),
    show: `$1${MASK}`,
  },
  {
    kind: 'password as a default',
    find: new RegExp(`(\\$\\{[\\w.-]{0,100}(?:${CREDENTIAL_WORDS}):)(?!\\*\\*\\*)[^\${}]{1,200}\\}`, 'gi'),
    show: `$1${MASK}}`,
  },
]

/** The text with credentials replaced by `***`. */
export const maskText = (text: string): string =>
  PATTERNS.reduce((masked, { find, show }) => masked.replace(find, show), text)

/** The type without `readonly`: a masked value is a new copy. */
type Mutable<T> = T extends readonly (infer U)[]
  ? Mutable<U>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T

/** A deep copy in which every string is masked and hidden characters are escaped, object keys included. */
export const maskAll = <T>(value: T): Mutable<T> => mask(value) as Mutable<T>

const maskString = (text: string): string => escapeHidden(maskText(text))

const mask = (value: unknown): unknown => {
  if (typeof value === 'string') return maskString(value)
  if (Array.isArray(value)) return value.map(mask)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [maskString(key), mask(one)]))
}

export interface SecretFinding {
  readonly file: string
  readonly line: number
  readonly kind: string
  /** The name of the setting or variable, or the kind of secret; never its value. */
  readonly place: string
}

/** `${NAME:default}` and `${NAME:-default}`; with `?` the text is a message. */
const WITH_DEFAULT = /^\$\{[\w.-]{1,200}:([-=+?]?)([^{}]*)\}$/

/** Empty, a placeholder, encrypted, or masked already. The default of a placeholder may be a secret. */
const isPlaceholder = (value: string): boolean => {
  const text = value.trim()
  const [, operator, fallback] = WITH_DEFAULT.exec(text) ?? []
  if (fallback !== undefined) return operator === '?' || isPlaceholder(fallback)
  return text === '' || /^(ENC\(|\{cipher\}|@.*@$)/.test(text) || isTemplateValue(text)
}

/** Whether the name of a setting stands for a credential and its value is one in plain text. */
export const isCredential = (key: string, value: string): boolean =>
  SECRET_KEY.test(key.replace(/\[\d+\]$/, '')) &&
  !isPlaceholder(value) &&
  !/^(true|false|\d{1,6})$/i.test(value.trim())

const ASSIGNED = new RegExp(
  `\\b(\\w{0,40}(?:${CREDENTIAL_WORDS}))\\s{0,4}[:=]\\s{0,4}(["'])([^"'\\n]{6,200})\\2`,
  'gi',
)

/** A value with a digit and without spaces: more likely a generated secret than a word. */
const looksGenerated = (value: string): boolean =>
  /\d/.test(value) && !/\s|\$\{|\{\}/.test(value) && !isPlaceholder(value)

/** Whether an address such as `https://user:password@` holds a password that is none of a template. */
const hasPassword = (address: string): boolean => {
  const [, password] = /:\/\/[^:]*:(.*)@$/s.exec(address) ?? []
  return password !== undefined && !isPlaceholder(password)
}

/** Per file. */
const MAX_FINDINGS = 200

const lineCounter = (text: string): ((at: number) => number) => {
  let [counted, line] = [0, 1]
  return (at) => {
    for (; counted < at; counted += 1) if (text.charCodeAt(counted) === 10) line += 1
    return line
  }
}

/** Credentials in a text, at most one for each line, in the order of the lines. */
export const findSecrets = (file: string, text: string): readonly SecretFinding[] => {
  const plain = PATTERNS.filter(({ kind }) => !kind.startsWith('password')).flatMap(({ kind, find }) =>
    [...text.matchAll(find)]
      .filter(({ 0: found }) => kind !== 'token' || !isTemplateValue(found))
      .map(({ index, 0: found }) => ({ index, kind, place: kind, found })),
  )
  const assigned = [...text.matchAll(ASSIGNED)]
    .filter(([, , , value = '']) => looksGenerated(value))
    .map(({ index, 1: name = '', 0: found }) => ({ index, kind: 'secret in code', place: name, found }))
  const lineOf = lineCounter(text)
  const found = [...plain, ...assigned]
    // `http://***@host` is masked already; a user name without a password is no secret.
    .filter((one) => !one.found.includes(MASK) && (!one.found.endsWith('@') || hasPassword(one.found)))
    .sort((a, b) => a.index - b.index)
    .map(({ index, kind, place }) => ({ file, line: lineOf(index), kind, place }))
  return found.filter((one, at) => found[at - 1]?.line !== one.line).slice(0, MAX_FINDINGS)
}
