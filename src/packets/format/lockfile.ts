import { createHash } from 'node:crypto'
import * as z from 'zod'
import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import { packetFaults } from '../faults.ts'
import { readJson } from './json-bytes.ts'

const MAX_BYTES = 4 * 1024 * 1024

const Input = z.looseObject({ kind: z.enum(['dir', 'file']), ref: z.string(), hash: z.string() })
const Step = z.looseObject({
  name: z.string(),
  plugin: z.string(),
  plugin_version: z.string(),
  config_hash: z.string(),
})
const Model = z.looseObject({
  provider: z.string(),
  model: z.string(),
  revision: z.string().nullable(),
  dtype: z.string(),
  device_policy: z.string(),
  normalize: z.boolean(),
  max_seq_length: z.int(),
})

/** `packet.lock.json`: the inputs, settings and outputs of a build. */
const Lock = z.looseObject({
  lockfileVersion: z.literal(1),
  packet: z.looseObject({
    name: z.string(),
    version: z.string(),
    packet_id: z.string(),
    resolved_packet_id: z.string(),
    build_profile: z.string(),
  }),
  inputs: z.array(Input),
  pipeline: z.array(Step),
  models: z.array(Model),
  artifacts: z.record(z.string(), z.string()),
  resolution: z.looseObject({
    generated_at: z.string(),
    cpm_version: z.string(),
    warnings: z.array(z.string()),
  }),
})
export type Lock = z.infer<typeof Lock>

const hexDigest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Hash of a folder: paths in order, each with the hash of its bytes. */
export const hashInputs = (files: readonly { readonly path: string; readonly sha256: string }[]): string =>
  hexDigest(
    files
      .map(({ path, sha256 }) => `${path}:${sha256}`)
      .sort()
      .join('\n'),
  )

/** Hash of the settings that affect the output, and of no others. */
export const hashConfig = (config: Readonly<Record<string, unknown>>): string =>
  hexDigest(canonicalJson(config))

export const readLock = (bytes: Uint8Array): Lock => {
  const parsed = Lock.safeParse(readJson(bytes, 'packet.lock.json', MAX_BYTES, packetFaults.lock))
  if (!parsed.success) {
    const at = parsed.error.issues[0]?.path.join('.') ?? ''
    throw packetFaults.lock(`packet.lock.json is not a lock: ${at}`)
  }
  return parsed.data
}

export const writeLock = (lock: Lock): Uint8Array => Buffer.from(`${JSON.stringify(lock, null, 2)}\n`)

const COMPARED = ['packet', 'inputs', 'pipeline', 'models'] as const

/** The parts of a build that differ from its lock. */
export const lockDrift = (held: Lock, now: Lock): readonly (typeof COMPARED)[number][] =>
  COMPARED.filter((part) => canonicalJson(held[part]) !== canonicalJson(now[part]))
