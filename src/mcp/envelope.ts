import { isRecord } from '../kernel/encoding/json.ts'
import { MODERN } from './handshake.ts'
import type { Params } from './message.ts'

const PREFIX = 'io.modelcontextprotocol/'
export const VERSION_KEY = `${PREFIX}protocolVersion`
export const CAPABILITIES_KEY = `${PREFIX}clientCapabilities`
const CLIENT_KEY = `${PREFIX}clientInfo`
export const SERVER_KEY = `${PREFIX}serverInfo`

const isEmpty = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0

const PLAIN_CAPABILITIES = new Set(['elicitation', 'sampling', 'roots'])
const ELICITATION_MODES = new Set(['form', 'url'])

const plainCapability = ([key, value]: [string, unknown]): boolean =>
  PLAIN_CAPABILITIES.has(key) &&
  (isEmpty(value) ||
    (key === 'elicitation' &&
      isRecord(value) &&
      Object.entries(value).every(([mode, options]) => ELICITATION_MODES.has(mode) && isEmpty(options))))

const plainClient = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value.name === 'string' &&
  typeof value.version === 'string' &&
  Object.keys(value).every((key) => key === 'name' || key === 'version')

const ENVELOPE_KEYS = new Set([VERSION_KEY, CAPABILITIES_KEY, CLIENT_KEY])

const plainEnvelope = (meta: Record<string, unknown>): boolean =>
  meta[VERSION_KEY] === MODERN &&
  isRecord(meta[CAPABILITIES_KEY]) &&
  Object.entries(meta[CAPABILITIES_KEY]).every(plainCapability) &&
  (meta[CLIENT_KEY] === undefined || plainClient(meta[CLIENT_KEY]))

/**
 * The modern envelope in a request's `_meta`.
 * - `none`: absent
 * - `valid`, `broken`: present, and accepted or rejected by the SDK's schema
 * - `unsure`: only the SDK's schema can decide, and the SDK is not loaded
 */
type EnvelopeState = 'none' | 'valid' | 'broken' | 'unsure'

const MAX_KNOWN = 64

/** Checks envelopes: common ones directly, others by the SDK's schema, whose accepted results are cached. */
export class Envelopes {
  /** The SDK's schema check; undefined until the SDK is loaded. */
  check: ((params: Params) => boolean) | undefined
  readonly #known = new Set<string>()

  judge(params: Params | undefined): EnvelopeState {
    const meta = params?._meta
    if (params === undefined || !isRecord(meta) || !Object.hasOwn(meta, VERSION_KEY)) return 'none'
    if (isPlainMeta(meta)) {
      if (plainEnvelope(meta)) return 'valid'
      const key = JSON.stringify([meta[VERSION_KEY], meta[CAPABILITIES_KEY], meta[CLIENT_KEY]])
      if (this.#known.has(key)) return 'valid'
      if (this.check?.(params)) {
        if (this.#known.size >= MAX_KNOWN) this.#known.clear()
        this.#known.add(key)
        return 'valid'
      }
    }
    if (this.check === undefined) return 'unsure'
    return this.check(params) ? 'valid' : 'broken'
  }
}

type ProgressToken = string | number

const isToken = (value: unknown): value is ProgressToken =>
  typeof value === 'string' || Number.isSafeInteger(value)

const CALL_PARAMS = new Set(['name', 'arguments', '_meta'])
const BARE_PARAMS = new Set(['_meta'])

const isPlain = (params: Params | undefined, members: ReadonlySet<string>): boolean => {
  if (params === undefined) return true
  for (const key in params) if (!members.has(key)) return false
  const meta = params._meta
  return meta === undefined || (isRecord(meta) && isPlainMeta(meta))
}

/**
 * Whether a `tools/call` has only members that we know, so that our answer and the SDK's cannot differ: no task, no
 * retry state, no log level, no unknown member.
 */
export const isPlainCall = (params: Params | undefined): boolean => isPlain(params, CALL_PARAMS)

/** The same for a request that takes no arguments. */
export const isBare = (params: Params | undefined): boolean => isPlain(params, BARE_PARAMS)

/** Has no reserved key except the envelope's, and a valid progress token if any. */
const isPlainMeta = (meta: Record<string, unknown>): boolean => {
  for (const key in meta) {
    if (key === 'progressToken' ? !isToken(meta[key]) : key.startsWith(PREFIX) && !ENVELOPE_KEYS.has(key)) {
      return false
    }
  }
  return true
}

export const progressToken = (params: Params | undefined): ProgressToken | undefined => {
  const token = isRecord(params?._meta) ? params._meta.progressToken : undefined
  return isToken(token) ? token : undefined
}
