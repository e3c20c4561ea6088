import * as z from 'zod'
import { optional } from '../kernel/optional.ts'
import { escapeHidden } from '../kernel/text/hidden-characters.ts'
import { readYaml, YamlError } from '../kernel/text/safe-yaml.ts'
import { quoteShell } from '../kernel/text/shell-quote.ts'
import { receiptFaults } from './faults.ts'
import { KEY_ROLES, KEYS_FILE, MAX_KEYS_BYTES } from './keys-path.ts'
import { parseReceiptKey, type ReceiptKey } from './verifier-key.ts'

const LIMITS = { aliases: 20, depth: 6, nodes: 20_000, rejectWarnings: true }
const MAX_KEYS = 1_000

const plainText = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => escapeHidden(text) === text, 'must not contain hidden or control characters')

// YAML reads an unquoted date as text in the core schema, which is what is wanted.
const day = z.union([z.iso.date(), z.iso.datetime()])

const KeyEntry = z.strictObject({
  key: plainText,
  owner: plainText,
  role: z.enum(KEY_ROLES),
  /** Receipts of earlier times do not count. */
  from: day.optional(),
  /** Receipts of this time and later do not count. */
  until: day.optional(),
  /** The key was lost or stolen: receipts of this time and later do not count. */
  revoked: day.optional(),
  /** The name of the key whose holder added this one: when that is revoked, so is this one. */
  by: plainText.optional(),
})

const KeysFile = z.strictObject({ keys: z.array(KeyEntry).max(MAX_KEYS) })

export interface ListedKey extends Omit<z.infer<typeof KeyEntry>, 'key'> {
  readonly key: ReceiptKey
  /** The revoked key whose holder added this one. */
  readonly revokedWith?: string
}

/** A thief of a key may have added keys with it. */
const withRevokers = (keys: readonly ListedKey[]): readonly ListedKey[] => {
  let known = keys
  // A key is added by an older one, so as many rounds as there are keys are enough.
  for (let round = 0; round < keys.length; round++) {
    const revoked = new Map(known.flatMap((one) => (one.revoked ? [[one.key.name, one.revoked]] : [])))
    const next = known.map((one) => {
      const day = one.by === undefined || one.revoked !== undefined ? undefined : revoked.get(one.by)
      return day === undefined ? one : { ...one, revoked: day, ...optional({ revokedWith: one.by }) }
    })
    if (next.every((one, at) => one === known[at])) break
    known = next
  }
  return known
}

const problem = (why: string) => receiptFaults.keys_invalid(`${KEYS_FILE} cannot be used: ${why}`)

const readValue = async (text: string): Promise<unknown> => {
  try {
    return readYaml(await import('yaml'), text, LIMITS)
  } catch (thrown) {
    if (thrown instanceof YamlError) throw problem(thrown.message)
    throw thrown
  }
}

/** The keys of the file; none where there is no file. An invalid file is a fault. */
export const parseKeys = async (text: string | undefined): Promise<readonly ListedKey[]> => {
  if (text === undefined) return []
  if (text.length > MAX_KEYS_BYTES) throw problem(`it is larger than ${MAX_KEYS_BYTES} bytes`)
  const parsed = KeysFile.safeParse(await readValue(text))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw problem(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`)
  }
  const keys = parsed.data.keys.map((entry, at) => {
    const key = parseReceiptKey(entry.key)
    if (key === undefined) throw problem(`keys.${at}.key is not a verifier key`)
    return { ...entry, key }
  })
  const ids = new Set(keys.map(({ key }) => key.id))
  // Two rows for one key would leave open which of them counts.
  if (ids.size !== keys.length) throw problem('a key is listed twice')
  return withRevokers(keys)
}

/** The beginning of a new list. */
export const KEYS_HEADER = `# The keys whose receipts this repository trusts. Commit this file; a change of it is judged by the version before.
# A person adds a key with \`warrant receipts keys add\`, and takes it back with \`warrant receipts keys revoke\`.
keys:
`

/** A key as the list has it. */
export const writeListedKey = (key: string, owner: string, role: string, by?: string): string =>
  `  - key: ${JSON.stringify(key)}\n    owner: ${JSON.stringify(owner)}\n    role: ${role}\n${by === undefined ? '' : `    by: ${JSON.stringify(by)}\n`}`

/** What a listed developer runs to add the key. */
export const addKeyCommand = ({ text }: ReceiptKey): string =>
  `warrant receipts keys add ${quoteShell(text)} --owner NAME`
