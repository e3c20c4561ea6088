import { digestJson } from '../../kernel/encoding/hash.ts'
import type { Manifest } from '../format/manifest.ts'

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
    ...(embedding.document_prefix !== undefined && { document_prefix: embedding.document_prefix }),
    ...(embedding.query_prefix !== undefined && { query_prefix: embedding.query_prefix }),
  }).slice('sha256:'.length, 'sha256:'.length + 16)
