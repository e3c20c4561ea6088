import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { optional } from '../../kernel/optional.ts'
import { packetFaults } from '../faults.ts'
import { readJson } from './json-bytes.ts'
import { confinePath } from './safe-path.ts'

export const METADATA_SCHEMA = 'cpm.packet.metadata'
export const METADATA_VERSION = '1.0'
const LEGACY_SCHEMA = 'cpm-oci/v1'
const MAX_BYTES = 4 * 1024 * 1024
const MAX_FILES = 10_000
const DIGEST = /^sha256:[0-9a-f]{64}$/

interface PayloadFile {
  /** Relative to the payload root. */
  readonly name: string
  readonly digest?: string
  readonly size?: number
}

type Members = Readonly<Record<string, unknown>>

/** `packet.manifest.json`: the metadata that lookup needs, in one small blob. */
export interface PacketMetadata {
  readonly schema: typeof METADATA_SCHEMA
  readonly schema_version: typeof METADATA_VERSION
  readonly packet: { readonly name: string; readonly version: string } & Members
  readonly compat?: Members
  readonly payload: { readonly files: readonly PayloadFile[]; readonly full_ref?: string }
  readonly payload_root: string
  readonly source?: Members
  readonly source_manifest?: Members
  readonly links?: Members
}

const refuse = (message: string): never => {
  throw packetFaults.metadata(message)
}

const record = (value: unknown, what: string): Members =>
  isRecord(value) ? value : refuse(`${what} must be an object`)

const requiredText = (holder: Members, key: string, what: string): string => {
  const value = holder[key]
  return typeof value === 'string' && value.trim() !== '' ? value : refuse(`${what}.${key} is required`)
}

const readFile = (value: unknown): PayloadFile => {
  const { name, digest, size } = record(value, 'metadata.payload.files[]')
  if (typeof name !== 'string' || name === '') return refuse('metadata.payload.files[].name is required')
  if (digest !== undefined && !(typeof digest === 'string' && DIGEST.test(digest)))
    return refuse('metadata.payload.files[].digest is not a sha256 digest')
  if (size !== undefined && !(typeof size === 'number' && Number.isSafeInteger(size) && size >= 0))
    return refuse('metadata.payload.files[].size is not a size')
  return {
    name: confinePath(name),
    ...optional({ digest, size }),
  }
}

const readFiles = (payload: Members): readonly PayloadFile[] => {
  const { files } = payload
  if (!Array.isArray(files)) return refuse('metadata.payload.files is required')
  if (files.length > MAX_FILES) return refuse('metadata.payload.files has too many entries')
  return files.map(readFile)
}

const readRoot = (value: unknown): string => {
  if (value === undefined || value === null || value === '') return 'payload'
  return typeof value === 'string' ? confinePath(value) : refuse('metadata.payload_root must be a string')
}

const memberOrNone = (value: Members, key: string): Members =>
  value[key] === undefined || value[key] === null ? {} : { [key]: record(value[key], `metadata.${key}`) }

const identity = (packet: Members): { name: string; version: string } => ({
  name: requiredText(packet, 'name', 'metadata.packet'),
  version: requiredText(packet, 'version', 'metadata.packet'),
})

const fromLegacy = (value: Members): PacketMetadata => {
  const packet = isRecord(value.packet) ? value.packet : value
  return {
    schema: METADATA_SCHEMA,
    schema_version: METADATA_VERSION,
    packet: identity(packet),
    payload: { files: [] },
    payload_root: readRoot(value.payload_root),
    ...memberOrNone(value, 'source_manifest'),
  }
}

const fromCurrent = (value: Members): PacketMetadata => {
  if (value.schema_version !== METADATA_VERSION) return refuse('unsupported metadata schema_version')
  const packet = record(value.packet, 'metadata.packet')
  const payload = record(value.payload, 'metadata.payload')
  return {
    schema: METADATA_SCHEMA,
    schema_version: METADATA_VERSION,
    packet: { ...packet, ...identity(packet) },
    payload: {
      files: readFiles(payload),
      ...(typeof payload.full_ref === 'string' && { full_ref: payload.full_ref }),
    },
    payload_root: readRoot(value.payload_root),
    ...memberOrNone(value, 'compat'),
    ...memberOrNone(value, 'source'),
    ...memberOrNone(value, 'source_manifest'),
    ...memberOrNone(value, 'links'),
  }
}

/** Reads either schema and returns the current one. */
export const readMetadata = (bytes: Uint8Array): PacketMetadata => {
  const value = readJson(bytes, 'packet metadata', MAX_BYTES, packetFaults.metadata)
  if (!isRecord(value)) return refuse('invalid metadata schema')
  if (value.schema === LEGACY_SCHEMA) return fromLegacy(value)
  return value.schema === METADATA_SCHEMA ? fromCurrent(value) : refuse('invalid metadata schema')
}

/** Compact JSON with sorted keys: the same packet always gives the same blob. */
export const writeMetadata = (metadata: PacketMetadata): Uint8Array => Buffer.from(canonicalJson(metadata))
