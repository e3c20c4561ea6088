import type { Fault } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import { inferTags } from '../format/card.ts'
import { hashConfig, hashInputs, type Lock } from '../format/lockfile.ts'
import type { Manifest } from '../format/manifest.ts'
import { FIELD_RANKING } from '../search/tokens.ts'
import type { BuildOptions } from './build.ts'
import type { ChunkSizes } from './chunk.ts'
import { WINDOW_FILES } from './vector-writer.ts'

/** The default of `created_at`. */
export const EPOCH = '1970-01-01T00:00:00.000000Z'
const MAX_SEQUENCE = 1024

/** A source that is in the packet. */
export interface PackedSource {
  readonly path: string
  readonly extension: string
  readonly sha256: string
  readonly chunks: number
  /** Whether its chunks begin at sections or declarations, or are windows of lines. */
  readonly split: 'structure' | 'lines'
}

/** The vectors of a packet. */
interface PacketVectors {
  readonly rows: number
  /** Length of a vector; zero when there are none. */
  readonly dim: number
  /** Vectors of all windows; absent when every row has one window. */
  readonly windows?: number
  /** How many rows were embedded now. */
  readonly fresh: number
  readonly failure?: Fault
}

const countExtensions = (files: readonly PackedSource[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { extension } of [...files].sort((a, b) => (a.extension < b.extension ? -1 : 1)))
    counts[extension] = (counts[extension] ?? 0) + 1
  return counts
}

/** Prefixes are recorded with the vectors: queries must use the same ones. */
const prefixFields = ({ embedder: { prefixes } }: BuildOptions) =>
  prefixes === undefined ? {} : { query_prefix: prefixes.query, document_prefix: prefixes.document }

/** The contents of `manifest.json`. */
export const buildManifest = (
  files: readonly PackedSource[],
  options: BuildOptions,
  { rows, dim, windows, failure }: PacketVectors,
  checksums: Manifest['checksums'],
): Manifest => ({
  schema_version: '1.0',
  packet_id: options.name,
  embedding: {
    model: options.embedder.model,
    dim,
    dtype: 'float16',
    normalized: true,
    provider: options.embedder.provider,
    max_seq_length: MAX_SEQUENCE,
    ...prefixFields(options),
  },
  similarity: {
    space: 'cosine',
    index_type: 'faiss.IndexFlatIP',
    notes: 'inner product of rows of length one',
  },
  lexical: { ranking: FIELD_RANKING },
  files: {
    docs: 'docs.jsonl',
    vectors: dim > 0 ? { path: 'vectors.f16.bin', format: 'f16_rowmajor' } : null,
    index: dim > 0 ? { path: 'faiss/index.faiss', format: 'faiss' } : null,
    ...optional({
      windows:
        windows === undefined
          ? undefined
          : { path: WINDOW_FILES.index, format: 'faiss', rows: WINDOW_FILES.rows },
    }),
    calibration: null,
  },
  counts: {
    docs: rows,
    vectors: dim > 0 ? rows : 0,
    ...optional({ windows }),
  },
  source: { input_dir: '.', file_ext_counts: countExtensions(files) },
  cpm: {
    name: options.name,
    version: options.version,
    description: options.description ?? '',
    tags: [...inferTags(files.map(({ extension }) => extension))],
    entrypoints: ['query'],
    builder: 'warrant',
    ...optional({ kind: options.kind }),
    ...optional({ capabilities: options.capabilities && [...options.capabilities] }),
    ...optional({ compat: options.compat }),
  },
  // Without a word of which vectors an earlier build had: the same sources give the same bytes.
  incremental: { enabled: false, reused: 0, embedded: dim > 0 ? rows : 0, removed: 0 },
  ...optional({ checksums }),
  ...(failure !== undefined && { build_status: 'embedding_failed', build_error: failure.message }),
})

/** Keys of the lock for the output files. */
export const ARTIFACTS = {
  chunks_manifest_hash: 'docs.jsonl',
  embeddings_hash: 'vectors.f16.bin',
  index_hash: 'faiss/index.faiss',
  windows_hash: 'faiss/windows.faiss',
  window_rows_hash: 'windows.bin',
  packet_manifest_hash: 'manifest.json',
}

/** The contents of `packet.lock.json`: only what affects the output. */
export const buildLock = (
  files: readonly PackedSource[],
  options: BuildOptions,
  sizes: ChunkSizes,
  /** SHA-256 of the files that were written, by path. */
  digests: ReadonlyMap<string, string>,
): Lock => {
  const model = {
    provider: options.embedder.provider,
    model: options.embedder.model,
    revision: null,
    dtype: 'float16',
    device_policy: 'runtime-default',
    normalize: true,
    max_seq_length: MAX_SEQUENCE,
    ...prefixFields(options),
  }
  const config = hashConfig({ chunking: sizes, model })
  const step = (name: string, params: Record<string, unknown>) => ({
    name,
    plugin: 'warrant',
    plugin_version: 'builtin',
    config_hash: config,
    params,
  })
  const { name, version } = options
  const hashes = Object.entries(ARTIFACTS).flatMap(([key, path]) => {
    const digest = digests.get(path)
    return digest === undefined ? [] : [[key, digest]]
  })
  return {
    lockfileVersion: 1,
    packet: {
      name,
      version,
      packet_id: name,
      resolved_packet_id: hashConfig({
        packet_name: name,
        packet_version: version,
        build_profile: 'default',
        config,
      }),
      build_profile: 'default',
    },
    inputs: [{ kind: 'dir', ref: '.', hash: hashInputs(files) }],
    pipeline: [
      step('build', { ...sizes }),
      step('embed', { model: model.model, normalize: true, max_seq_length: MAX_SEQUENCE }),
      step('index', { index: 'faiss.IndexFlatIP' }),
    ],
    models: [model],
    artifacts: Object.fromEntries(hashes),
    resolution: {
      generated_at: options.createdAt ?? EPOCH,
      cpm_version: options.builderVersion,
      warnings: [],
    },
  }
}
