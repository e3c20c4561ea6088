import type { Digest } from '../kernel/digest.ts'
import { Fault } from '../kernel/fault.ts'
import { isRecord } from '../kernel/json.ts'
import { type Failure, fail, failWith } from './answer.ts'
import type { KnownMetadata, MetadataCache } from './cache.ts'
import { packetFaults } from './faults.ts'
import { parseReference, pinnedUri, type Reference, sourceUri, versionTag } from './format/reference.ts'
import { compareVersions } from './format/version.ts'
import type { Guard } from './guard.ts'
import { locatePacket } from './pull.ts'
import type { RegistryReader } from './registry.ts'
import type { Trust } from './trust.ts'

export interface LookupPorts {
  readonly registry: RegistryReader
  readonly cache: MetadataCache
  readonly guard: Guard
}

export interface LookupWords {
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
  /** Also ask what stands behind the packet: signatures, bill of materials, provenance. */
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
}

export interface Lookup {
  readonly ok: true
  readonly source_uri: string
  readonly count: number
  readonly candidates: readonly Candidate[]
  readonly selected: Candidate
  readonly warnings?: readonly string[]
}

const MAX_CANDIDATES = 3
/** How many of the newest tags are looked at for a shortlist. */
const MAX_LOOKED_AT = 8

const strings = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value
        .map((one: unknown) => (isRecord(one) ? one.name : one))
        .filter((one): one is string => typeof one === 'string' && one.trim() !== '')
    : []

const candidateOf = (
  ref: Reference,
  digest: Digest,
  { metadata, metadataDigest }: KnownMetadata,
  trust: Trust,
): Candidate => ({
  pinned_uri: pinnedUri(ref, digest),
  name: metadata.packet.name,
  version: metadata.packet.version,
  entrypoints: strings(metadata.packet.entrypoints),
  tags: strings(metadata.packet.tags),
  kind: typeof metadata.packet.kind === 'string' ? metadata.packet.kind : '',
  capabilities: strings(metadata.packet.capabilities),
  compat: { os: strings(metadata.compat?.os), arch: strings(metadata.compat?.arch) },
  metadata_digest: metadataDigest,
  trust,
})

interface Filter {
  readonly shown: string
  readonly passes: (candidate: Candidate) => boolean
}

const orEmpty = (list: readonly string[], word: string): boolean => list.length === 0 || list.includes(word)

/** The caller's conditions, in the order in which a refusal names them. */
const filtersOf = (words: LookupWords): readonly Filter[] => {
  const { entrypoint, kind, capability = [], os_name: os, arch } = words
  const capabilities = typeof capability === 'string' ? capability.split(',') : capability
  const one = (
    key: string,
    word: string | undefined,
    passes: (c: Candidate, word: string) => boolean,
  ): Filter[] => {
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

/** Answers what a packet's metadata says, from the cache when it is there. */
const describe = async ({ registry, cache }: LookupPorts, ref: Reference, signal: AbortSignal) => {
  const known = ref.digest === undefined ? undefined : await cache.metadata(ref.digest)
  if (ref.digest !== undefined && known !== undefined) return { digest: ref.digest, known }
  const { digest, metadata, metadataDigest } = await locatePacket(registry, ref, signal)
  if (metadata === undefined)
    throw packetFaults.metadata('the packet carries no metadata; pull it to look inside')
  const found = { metadata, metadataDigest }
  await cache.keepMetadata(digest, found)
  return { digest, known: found }
}

const isMissing = (thrown: unknown): boolean => isRecord(thrown) && thrown.kind === 'missing'

/** Tags that are versions, newest first. What has no digit in it is an alias of one of them. */
const versionTags = (tags: readonly string[]): readonly string[] =>
  tags.filter((tag) => /\d/.test(tag)).sort((a, b) => compareVersions(b, a))

/**
 * What `latest` means, and the newest versions beside it. A version whose tag is that of a packet already found
 * is not asked for again.
 */
const shortlist = async (
  ports: LookupPorts,
  ref: Reference,
  signal: AbortSignal,
): Promise<readonly Digest[]> => {
  const found = new Map<Digest, string>()
  const add = async (one: Reference) => {
    const { digest, known } = await describe(ports, one, signal)
    found.set(digest, versionTag(known.metadata.packet.version))
  }
  const first = await add(ref).catch((cause: unknown) => cause)
  if (first !== undefined && !isMissing(first)) throw first
  const tags = versionTags(await ports.registry.tags(ref, signal))
  if (tags.length === 0 && first !== undefined) throw first
  const { host, repository } = ref
  for (const tag of tags.slice(0, MAX_LOOKED_AT)) {
    if (![...found.values()].includes(tag)) await add({ host, repository, tag })
  }
  return [...found.keys()]
}

const resolveAll = async (
  ports: LookupPorts,
  uri: string,
  words: LookupWords,
  signal: AbortSignal,
): Promise<readonly Digest[]> => {
  const ref = parseReference(uri)
  if (ref.digest !== undefined) return [ref.digest]
  const remembered = await ports.cache.alias(uri)
  if (remembered !== undefined) return remembered
  const open = !words.version && !words.ref && (words.alias || 'latest') === 'latest'
  const digests = open ? await shortlist(ports, ref, signal) : [(await describe(ports, ref, signal)).digest]
  await ports.cache.keepAlias(uri, digests)
  return digests
}

const clampCount = (k: number | undefined): number =>
  Math.max(1, Math.min(Math.trunc(k ?? 3) || 1, MAX_CANDIDATES))

/** Everything an address means that the policy allows. What it refuses is left out, unless nothing else is there. */
const gather = async (
  ports: LookupPorts,
  ref: Reference,
  uri: string,
  words: LookupWords,
  signal: AbortSignal,
) => {
  const candidates: Candidate[] = []
  const warnings: string[] = []
  let refused: Fault | undefined
  for (const digest of await resolveAll(ports, uri, words, signal)) {
    const { known } = await describe(ports, { host: ref.host, repository: ref.repository, digest }, signal)
    try {
      const judged = await ports.guard.judge(ref, digest, words.trust === true, signal)
      candidates.push(candidateOf(ref, digest, known, judged.trust))
      warnings.push(...judged.warnings)
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.code !== 'packet.policy') throw thrown
      refused ??= thrown
    }
  }
  if (candidates.length === 0 && refused !== undefined) throw refused
  return { candidates, warnings }
}

/** Finds packets and pins them. Filters are applied to what is known, never remembered with it. */
export const lookup = async (
  ports: LookupPorts,
  words: LookupWords,
  signal: AbortSignal,
): Promise<Lookup | Failure> => {
  try {
    const uri = sourceUri(words)
    if (uri === undefined) return fail('invalid_lookup_input', 'REGISTRY not set and no oci:// ref provided')
    const ref = parseReference(uri)
    const admitted = await ports.guard.admit(ref, false)
    const { candidates, warnings } = await gather(ports, ref, uri, words, signal)
    return choose(uri, candidates, words, [...admitted, ...warnings])
  } catch (thrown) {
    return failWith('lookup_failed', thrown)
  }
}

const choose = (
  uri: string,
  all: readonly Candidate[],
  words: LookupWords,
  warnings: readonly string[],
): Lookup | Failure => {
  const filters = filtersOf(words)
  const candidates = all
    .filter((candidate) => filters.every(({ passes }) => passes(candidate)))
    .slice(0, clampCount(words.k))
  const [selected] = candidates
  if (selected === undefined) {
    const shown = filters.map((filter) => filter.shown).join(', ')
    return fail(
      'no_match',
      shown === '' ? 'No matches for requested packet' : `No matches for filters: ${shown}`,
    )
  }
  const said = warnings.length === 0 ? {} : { warnings: [...new Set(warnings)] }
  return { ok: true, source_uri: uri, count: candidates.length, candidates, selected, ...said }
}
