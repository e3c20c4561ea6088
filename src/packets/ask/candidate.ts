import type { Digest } from '../../kernel/encoding/digest.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { optional } from '../../kernel/optional.ts'
import { escapeHidden } from '../../kernel/text/hidden-characters.ts'
import { pinnedUri, type Reference } from '../format/reference.ts'
import type { Revocation } from '../lock/packets-lock.ts'
import type { KnownMetadata } from '../ports.ts'
import type { Trust } from '../trust/trust.ts'

export interface LookupRequest {
  readonly name?: string | undefined
  readonly version?: string | undefined
  readonly alias?: string | undefined
  readonly entrypoint?: string | undefined
  readonly kind?: string | undefined
  readonly capability?: string | readonly string[] | undefined
  readonly os_name?: string | undefined
  readonly arch?: string | undefined
  readonly registry?: string | undefined
  readonly ref?: string | undefined
  readonly k?: number | undefined
  /** Also fetch signatures, SBOM and provenance. */
  readonly trust?: boolean | undefined
}

export interface Candidate {
  readonly pinned_uri: string
  readonly name: string
  readonly version: string
  readonly entrypoints: readonly string[]
  readonly tags: readonly string[]
  readonly kind: string
  readonly capabilities: readonly string[]
  readonly compat: { readonly os: readonly string[]; readonly arch: readonly string[] }
  readonly metadata_digest: string
  readonly trust: Trust
  readonly revoked?: Revocation
}

// Metadata is what the publisher wrote.
const strings = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value
        .map((one: unknown) => (isRecord(one) ? one.name : one))
        .filter((one): one is string => typeof one === 'string' && one.trim() !== '')
        .map(escapeHidden)
    : []

interface DescribedPacket {
  readonly ref: Reference
  readonly digest: Digest
  readonly known: KnownMetadata
  readonly trust: Trust
  readonly revoked?: Revocation | undefined
}

/** A packet in the form lookup returns it, pinned by digest. */
export const toCandidate = ({ ref, digest, known, trust, revoked }: DescribedPacket): Candidate => {
  const { packet, compat } = known.metadata
  return {
    pinned_uri: pinnedUri(ref, digest),
    name: escapeHidden(packet.name),
    version: escapeHidden(packet.version),
    entrypoints: strings(packet.entrypoints),
    tags: strings(packet.tags),
    kind: typeof packet.kind === 'string' ? escapeHidden(packet.kind) : '',
    capabilities: strings(packet.capabilities),
    compat: { os: strings(compat?.os), arch: strings(compat?.arch) },
    metadata_digest: known.metadataDigest,
    trust,
    ...optional({ revoked }),
  }
}

interface CandidateFilter {
  readonly shown: string
  readonly passes: (candidate: Candidate) => boolean
}

const orEmpty = (list: readonly string[], word: string): boolean => list.length === 0 || list.includes(word)

/** The request's filters, in the order in which a failure lists them. */
export const candidateFilters = (request: LookupRequest): readonly CandidateFilter[] => {
  const { entrypoint, kind, capability = [], os_name: os, arch } = request
  const capabilities = typeof capability === 'string' ? capability.split(',') : capability
  const one = (
    key: string,
    word: string | undefined,
    passes: (c: Candidate, word: string) => boolean,
  ): CandidateFilter[] => {
    const wanted = word?.trim() ?? ''
    return wanted === ''
      ? []
      : [{ shown: `${key}=${wanted}`, passes: (candidate) => passes(candidate, wanted) }]
  }
  return [
    ...one('entrypoint', entrypoint, (candidate, word) => candidate.entrypoints.includes(word)),
    ...one('kind', kind, (candidate, word) => candidate.kind === word),
    ...capabilities.flatMap((text) => one('capability', text, (c, word) => c.capabilities.includes(word))),
    ...one('os', os, (candidate, word) => orEmpty(candidate.compat.os, word)),
    ...one('arch', arch, (candidate, word) => orEmpty(candidate.compat.arch, word)),
  ]
}
