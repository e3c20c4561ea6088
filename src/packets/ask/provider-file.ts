import * as z from 'zod'
import { type Hints, NORMALIZE_MODES, type Provider } from '../embed.ts'
import { packetFaults } from '../faults.ts'

const Text = z.string().min(1).max(8192)
const Seconds = z.number().positive().max(600)
const Headers = z.record(z.string().max(256), Text)
const Dim = z.int().min(1).max(65_536)
/** Keys of other tools that have no use here. */
const Unused = z.unknown().optional()

const Auth = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('bearer'), token: Text }),
    z.strictObject({ type: z.literal('basic'), username: Text, password: Text }),
  ],
  'expected the type basic or bearer',
)

/** A provider entry. Tools that write such files use `null` for absent keys. */
const Entry = z.strictObject({
  type: z.literal('http', "must be 'http'").nullish(),
  url: Text.nullish(),
  http: z
    .strictObject({
      base_url: Text.nullish(),
      embeddings_path: Text.nullish(),
      models_path: Unused,
      timeout: Seconds.nullish(),
      headers_static: Headers.nullish(),
    })
    .nullish(),
  headers: Headers.nullish(),
  auth: Auth.nullish(),
  timeout: Seconds.nullish(),
  batch_size: z.int().min(1).max(2048).nullish(),
  model: Text.nullish(),
  dims: Dim.nullish(),
  query_prefix: Text.nullish(),
  document_prefix: Text.nullish(),
  hints: z
    .strictObject({
      dim: Dim.nullish(),
      normalize: z.boolean().nullish(),
      task: Text.nullish(),
      model: Text.nullish(),
    })
    .nullish(),
  normalize_mode: z.enum(NORMALIZE_MODES).nullish(),
  discovery_ttl_seconds: Unused,
  model_artifacts: Unused,
})
type Entry = z.infer<typeof Entry>

const ProviderFile = z.strictObject({ default: Text.nullish(), providers: z.record(z.string(), Entry) })

type Environment = Readonly<Record<string, string | undefined>>

/** Never contains a value of the file: it may be a secret. */
export const refuseProvider = (why: string, fix?: string): never => {
  throw packetFaults.provider(
    `config/embeddings.yml cannot be used: ${why}`,
    fix === undefined ? {} : { fix },
  )
}

/** The name that selects the file's default provider. */
const DEFAULT = 'default'

const pick = ({ default: usual, providers }: z.infer<typeof ProviderFile>, asked: string) => {
  const name = asked === DEFAULT ? (usual ?? DEFAULT) : asked
  const entry = Object.hasOwn(providers, name) ? providers[name] : undefined
  if (entry !== undefined) return { name, entry }
  const known = Object.keys(providers).sort().join(', ')
  return refuseProvider(
    asked === DEFAULT && usual == null ? 'it names no default' : `it has no provider ${name}`,
    known === '' ? 'Add one to the file.' : `Name one of ${known}.`,
  )
}

/**
 * Replaces `${NAME}` by the value of a variable. An unset variable is an error: it would make an empty key, or
 * half an address.
 */
const expander = (environment: Environment, at: string) => (text: string) =>
  text.replace(/\$\{([^}]*)(\}?)/g, (_, name: string, end: string) => {
    if (end === '' || !/^[A-Za-z_]\w*$/.test(name))
      return refuseProvider(`${at} has \${ that is not followed by NAME}`)
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined
    return (
      value ||
      refuseProvider(`${at} uses the variable ${name}, which is not set`, `Set the variable ${name}.`)
    )
  })

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Characters allowed in a header value. A line break would begin another header. */
const HEADER_VALUE = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/
/** Headers that the client sets, or that have a key of their own in the file. */
const OWN_HEADERS =
  /^(?:host|connection|keep-alive|content-.*|transfer-encoding|te|trailer|upgrade|expect|proxy-.*|x-embedding-.*|x-model-hint)$/

type Expand = ReturnType<typeof expander>

const readHeaders = (entry: Entry, expand: Expand, at: string): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries({ ...entry.http?.headers_static, ...entry.headers })) {
    const lower = name.toLowerCase()
    if (!HEADER_NAME.test(name))
      refuseProvider(`${at}.headers: ${JSON.stringify(name)} is not a valid header name`)
    if (OWN_HEADERS.test(lower))
      refuseProvider(
        `${at}.headers: ${name} is set by the client and cannot be changed`,
        'Remove it, or use a hint.',
      )
    headers[lower] = headerValue(expand(value), `${at}.headers.${name}`)
  }
  const { auth } = entry
  if (auth == null) return headers
  if (headers.authorization !== undefined)
    refuseProvider(`${at} sets authorization twice`, 'Keep either auth or the header.')
  return { ...headers, authorization: headerValue(authorization(auth, expand, at), `${at}.auth`) }
}

const headerValue = (value: string, at: string): string =>
  HEADER_VALUE.test(value) ? value : refuseProvider(`${at} is not a valid header value`)

const authorization = (auth: NonNullable<Entry['auth']>, expand: Expand, at: string): string => {
  if (auth.type === 'bearer') return `Bearer ${expand(auth.token)}`
  const [user, password] = [expand(auth.username), expand(auth.password)]
  if (user.includes(':')) refuseProvider(`${at}.auth: a username cannot contain a colon`)
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** The endpoint: an address like `EMBEDDING_URL`, or a base address and a path. */
const readEndpoint = ({ url, http }: Entry, expand: Expand, at: string): Pick<Provider, 'url' | 'path'> => {
  if (url != null && http?.base_url != null)
    refuseProvider(`${at} has both url and http.base_url`, 'Keep one of them.')
  const place = expand(url ?? http?.base_url ?? refuseProvider(`${at} has neither url nor http.base_url`))
  const path = http?.embeddings_path == null ? undefined : expand(http.embeddings_path)
  if (!isAddress(place)) refuseProvider(`${at}: its address is not an http:// or https:// URL`)
  const { username, password, hash, search } = new URL(place)
  if (username !== '' || password !== '')
    refuseProvider(`${at}: its address has a password in it`, 'Write user and password under auth.')
  if (hash !== '' || search !== '')
    refuseProvider(`${at}: its address has a query or a fragment`, 'Put the query into http.embeddings_path.')
  return { url: place, path }
}

const readHints = ({ hints }: Entry, expand: Expand, at: string): Hints | undefined => {
  if (hints == null) return undefined
  const word = (text: string | null | undefined, key: string) =>
    text == null ? undefined : headerValue(expand(text), `${at}.hints.${key}`)
  return {
    dim: hints.dim ?? undefined,
    normalize: hints.normalize ?? undefined,
    task: word(hints.task, 'task'),
    model: word(hints.model, 'model'),
  }
}

/** Reads one provider of the file. Only its own `${NAME}`s are expanded. */
export const readProvider = (value: unknown, asked: string, environment: Environment): Provider => {
  const parsed = ProviderFile.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return refuseProvider(`${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'not valid'}`)
  }
  const { name, entry } = pick(parsed.data, asked)
  const at = `providers.${name}`
  const expand = expander(environment, at)
  const hints = readHints(entry, expand, at)
  const seconds = entry.timeout ?? entry.http?.timeout ?? undefined
  return {
    ...readEndpoint(entry, expand, at),
    model: entry.model == null ? hints?.model : headerValue(expand(entry.model), `${at}.model`),
    headers: readHeaders(entry, expand, at),
    hints,
    timeoutMs: seconds === undefined ? undefined : Math.ceil(seconds * 1000),
    batchSize: entry.batch_size ?? undefined,
    dims: entry.dims ?? undefined,
    normalize: entry.normalize_mode ?? 'auto',
    prefixes: { query: entry.query_prefix ?? '', document: entry.document_prefix ?? '' },
  }
}
