import * as z from 'zod'
import { digestJson } from '../../kernel/encoding/hash.ts'
import { optional } from '../../kernel/optional.ts'
import { packetFaults } from '../faults.ts'
import { readJson } from './json-bytes.ts'

const MAX_BYTES = 16 * 1024 * 1024

const FileEntry = z.looseObject({ path: z.string(), format: z.string() })
const Checksum = z.looseObject({ algo: z.literal('sha256'), value: z.string().regex(/^[0-9a-f]{64}$/) })
const Strings = z.array(z.string())

/** `manifest.json`: contents of a packet and the model of its vectors. Unknown keys are preserved. */
const Manifest = z.looseObject({
  schema_version: z.string().optional(),
  packet_id: z.string().optional(),
  embedding: z.looseObject({
    model: z.string(),
    dim: z.int().nonnegative().max(65_536),
    dtype: z.string(),
    normalized: z.boolean().optional(),
    provider: z.string().optional(),
    max_seq_length: z.int().nonnegative().optional(),
    query_prefix: z.string().max(1000).optional(),
    document_prefix: z.string().max(1000).optional(),
  }),
  similarity: z.looseObject({}).optional(),
  /** How words are ranked; absent in packets that are ranked by their text alone. */
  lexical: z.looseObject({ ranking: z.string().max(100) }).optional(),
  files: z
    .looseObject({
      docs: z.string().nullish(),
      vectors: FileEntry.nullish(),
      index: FileEntry.nullish(),
      /** Vectors of windows; `rows` is the file with the first window of each row. */
      windows: FileEntry.extend({ rows: z.string() }).nullish(),
    })
    .optional(),
  counts: z
    .looseObject({
      docs: z.int().nonnegative().optional(),
      vectors: z.int().nonnegative().optional(),
      windows: z.int().nonnegative().optional(),
    })
    .optional(),
  source: z.looseObject({}).optional(),
  cpm: z
    .looseObject({
      name: z.string().optional(),
      version: z.string().optional(),
      description: z.string().nullish(),
      tags: Strings.nullish(),
      entrypoints: z.array(z.union([z.string(), z.looseObject({ name: z.string() })])).nullish(),
      kind: z.string().nullish(),
      capabilities: Strings.nullish(),
      compat: z
        .looseObject({
          os: Strings.nullish(),
          arch: Strings.nullish(),
          cpm_min_version: z.string().nullish(),
        })
        .nullish(),
    })
    .optional(),
  incremental: z.looseObject({}).optional(),
  checksums: z.record(z.string(), Checksum).optional(),
})
export type Manifest = z.infer<typeof Manifest>

const firstProblem = (error: z.ZodError): string => {
  const [issue] = error.issues
  return issue === undefined ? 'is not valid' : `${issue.path.join('.') || 'it'}: ${issue.message}`
}

export const readManifest = (bytes: Uint8Array): Manifest => {
  const value = readJson(bytes, 'manifest.json', MAX_BYTES, packetFaults.manifest)
  const parsed = Manifest.safeParse(value)
  if (!parsed.success)
    throw packetFaults.manifest(`manifest.json is not a packet's manifest: ${firstProblem(parsed.error)}`)
  return parsed.data
}

export const writeManifest = (manifest: Manifest): Uint8Array =>
  Buffer.from(JSON.stringify(manifest, null, 2))

/** Changed when the format of the index files changes. */
const FORMAT = 1

/**
 * Sixteen hexadecimal digits that identify comparable vectors: they change with every setting that changes a
 * vector.
 */
export const fingerprint = ({ embedding }: Pick<Manifest, 'embedding'>): string =>
  digestJson({
    format: FORMAT,
    model: embedding.model,
    dim: embedding.dim,
    normalized: embedding.normalized ?? true,
    max_seq_length: embedding.max_seq_length ?? 0,
    ...optional({ document_prefix: embedding.document_prefix, query_prefix: embedding.query_prefix }),
  }).slice('sha256:'.length, 'sha256:'.length + 16)
