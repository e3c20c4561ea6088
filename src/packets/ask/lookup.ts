import type { Digest } from '../../kernel/encoding/digest.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { Fault } from '../../kernel/fault.ts'
import type { MetadataCache, ResolvedAlias } from '../cache.ts'
import { type Failure, fail, failWith, NAME_REGISTRY, schemeHint } from '../failure.ts'
import { packetFaults } from '../faults.ts'
import { parseReference, type Reference, sourceUri, versionTag } from '../format/reference.ts'
import { compareVersions } from '../format/version.ts'
import type { RegistryReader } from '../registry.ts'
import { locatePacket } from '../transfer/pull.ts'
import type { PolicyGuard } from '../trust/policy-guard.ts'
import { type Candidate, candidateFilters, type LookupRequest, toCandidate } from './candidate.ts'
import { type CatalogRow, findCatalogRows } from './catalog.ts'

export interface LookupPorts {
  readonly registry: RegistryReader
  readonly cache: MetadataCache
  readonly guard: PolicyGuard
  /** The rows of the catalog, when one is configured. */
  readonly catalog?: (signal: AbortSignal) => Promise<readonly CatalogRow[]>
}

export interface LookupResult {
  readonly ok: true
  readonly source_uri: string
  readonly count: number
  readonly candidates: readonly Candidate[]
  readonly selected: Candidate
  readonly warnings?: readonly string[]
}

const MAX_CANDIDATES = 3
/** How many of the newest tags a shortlist considers. */
const MAX_LOOKED_AT = 8

/** The metadata of a packet, from the cache when it is known. */
const describe = async ({ registry, cache }: LookupPorts, ref: Reference, signal: AbortSignal) => {
  const known = ref.digest === undefined ? undefined : await cache.metadata(ref.digest)
  if (ref.digest !== undefined && known !== undefined) return { digest: ref.digest, known }
  const recall = (one: Digest) => cache.metadata(one)
  const { digest, metadata, metadataDigest } = await locatePacket({ registry, ref, signal }, recall)
  if (metadata === undefined)
    throw packetFaults.metadata('the packet carries no metadata; pull it to look inside')
  const found = { metadata, metadataDigest }
  await cache.keepMetadata(digest, found)
  return { digest, known: found }
}

const isMissing = (thrown: unknown): boolean => isRecord(thrown) && thrown.kind === 'missing'

/** Tags that are versions, newest first. A tag without a digit is an alias. */
const versionTags = (tags: readonly string[]): readonly string[] =>
  tags.filter((tag) => /\d/.test(tag)).sort((a, b) => compareVersions(b, a))

/** Whether the packet itself is missing or invalid. In a shortlist such a packet is skipped. */
const isInvalidPacket = (thrown: unknown): thrown is Fault =>
  thrown instanceof Fault && (thrown.kind === 'missing' || thrown.code.startsWith('packet.'))

/**
 * The packet of `latest`, and the newest versions beside it. Tags of packets already found are not resolved
 * again; tags that are not packets are skipped with a warning.
 */
const shortlist = async (ports: LookupPorts, ref: Reference, signal: AbortSignal): Promise<ResolvedAlias> => {
  const found = new Map<Digest, string>()
  const add = ({ digest, known }: Awaited<ReturnType<typeof describe>>) =>
    void found.set(digest, versionTag(known.metadata.packet.version))
  const first = await describe(ports, ref, signal).then(add, (cause: unknown) => cause)
  if (first !== undefined && !isMissing(first)) throw first
  const tags = versionTags(await ports.registry.tags(ref, signal))
  if (tags.length === 0 && first !== undefined) throw first
  const { host, repository } = ref
  const wanted = tags.slice(0, MAX_LOOKED_AT).filter((tag) => ![...found.values()].includes(tag))
  const others = await Promise.all(
    wanted.map((tag) =>
      describe(ports, { host, repository, tag }, signal).catch((thrown: unknown) => {
        if (!isInvalidPacket(thrown)) throw thrown
        return `${repository}:${tag} is left out: ${thrown.message}`
      }),
    ),
  )
  const warnings = others.filter((one) => typeof one === 'string')
  for (const one of others) if (typeof one !== 'string') add(one)
  // When nothing is left the reason is the answer.
  if (found.size === 0 && first !== undefined) throw first
  return { digests: [...found.keys()], warnings }
}

/** Whether the request accepts any version. */
const acceptsAnyVersion = ({ alias }: LookupRequest): boolean => (alias || 'latest') === 'latest'

/** One lookup while it runs. */
interface RunningLookup {
  readonly ports: LookupPorts
  readonly request: LookupRequest
  readonly signal: AbortSignal
}

const resolveAll = async ({ ports, request, signal }: RunningLookup, uri: string): Promise<ResolvedAlias> => {
  const ref = parseReference(uri)
  if (ref.digest !== undefined) return { digests: [ref.digest], warnings: [] }
  const remembered = await ports.cache.alias(uri)
  if (remembered !== undefined) return remembered
  const open = !request.version && !request.ref && acceptsAnyVersion(request)
  const meaning = open
    ? await shortlist(ports, ref, signal)
    : { digests: [(await describe(ports, ref, signal)).digest], warnings: [] }
  await ports.cache.keepAlias(uri, meaning)
  return meaning
}

const clampCount = (k: number | undefined): number =>
  Math.max(1, Math.min(Math.trunc(k ?? 3) || 1, MAX_CANDIDATES))

interface FoundPacket {
  readonly ref: Reference
  readonly digest: Digest
}

/** The candidates that the policy allows. A refused packet is left out, unless all are refused. */
const checkPolicy = async ({ ports, request, signal }: RunningLookup, found: readonly FoundPacket[]) => {
  const candidates: Candidate[] = []
  const warnings: string[] = []
  let refused: Fault | undefined
  for (const { ref, digest } of found) {
    const { host, repository } = ref
    try {
      warnings.push(...(await ports.guard.checkSource(ref, false)))
      const { known } = await describe(ports, { host, repository, digest }, signal)
      const checked = await ports.guard.checkTrust({ ref, digest, wanted: request.trust === true, signal })
      candidates.push(toCandidate({ ref, digest, known, trust: checked.trust }))
      warnings.push(...checked.warnings)
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.code !== 'packet.policy') throw thrown
      refused ??= thrown
    }
  }
  if (candidates.length === 0 && refused !== undefined) throw refused
  return { candidates, warnings }
}

/** Resolves the rows of a catalog. Packets that are missing or refused are skipped with a warning. */
const followRows = async ({ ports, signal }: RunningLookup, rows: readonly CatalogRow[]) => {
  const found: FoundPacket[] = []
  const warnings: string[] = []
  let failure: Fault | undefined
  for (const row of rows.slice(0, MAX_LOOKED_AT)) {
    const ref = parseReference(row.source_uri)
    try {
      // Checked before any request: the addresses in a catalog are not trusted.
      await ports.guard.checkSource(ref, false)
      const { digests } = await resolveAll(
        { ports, request: { ref: row.source_uri }, signal },
        row.source_uri,
      )
      found.push(...digests.map((digest) => ({ ref, digest })))
    } catch (thrown) {
      if (!(thrown instanceof Fault) || !['missing', 'refused'].includes(thrown.kind)) throw thrown
      failure ??= thrown
      warnings.push(`catalog: ${row.name}@${row.version} is left out: ${thrown.message}`)
    }
  }
  // When nothing is left the reason is the answer.
  if (found.length === 0 && failure !== undefined) throw failure
  return { found, warnings }
}

/** Looks into the catalog, when there is one and the request accepts any version. */
const searchCatalog = async (lookup: RunningLookup): Promise<LookupResult | Failure | undefined> => {
  const { ports, request, signal } = lookup
  if (ports.catalog === undefined || request.ref || request.version || !acceptsAnyVersion(request))
    return undefined
  const rows = findCatalogRows(await ports.catalog(signal), request)
  const [first] = rows
  if (first === undefined) {
    // Without a name the registry cannot be searched.
    return request.name || candidateFilters(request).length === 0
      ? undefined
      : choose(request, { uri: '', candidates: [], warnings: [] })
  }
  const { found, warnings } = await followRows(lookup, rows)
  const checked = await checkPolicy(lookup, found)
  const { candidates } = checked
  return choose(request, { uri: first.source_uri, candidates, warnings: [...warnings, ...checked.warnings] })
}

const unnamed = (request: LookupRequest): Failure =>
  request.registry && candidateFilters(request).length > 0
    ? fail('invalid_lookup_input', 'no packet is named', {
        hint: 'Give name or ref. Packets are found by kind, capability or entrypoint only where a catalog is set.',
      })
    : fail('invalid_lookup_input', 'REGISTRY not set and no oci:// ref provided', {
        hint: schemeHint(request.ref) ?? NAME_REGISTRY,
      })

/**
 * Finds packets and pins them by digest. Filters are applied after the cache, so cached answers serve every
 * filter.
 */
export const lookupPackets = async (
  ports: LookupPorts,
  request: LookupRequest,
  signal: AbortSignal,
): Promise<LookupResult | Failure> => {
  try {
    const lookup = { ports, request, signal }
    const listed = await searchCatalog(lookup)
    if (listed !== undefined) return listed
    const uri = sourceUri(request)
    if (uri === undefined) return unnamed(request)
    const ref = parseReference(uri)
    await ports.guard.checkSource(ref, false)
    const { digests, warnings } = await resolveAll(lookup, uri)
    const found = digests.map((digest) => ({ ref, digest }))
    const checked = await checkPolicy(lookup, found)
    const { candidates } = checked
    return choose(request, { uri, candidates, warnings: [...warnings, ...checked.warnings] })
  } catch (thrown) {
    return failWith('lookup_failed', thrown)
  }
}

interface LookupFindings {
  readonly uri: string
  readonly candidates: readonly Candidate[]
  readonly warnings: readonly string[]
}

const choose = (
  request: LookupRequest,
  { uri, candidates: all, warnings }: LookupFindings,
): LookupResult | Failure => {
  const filters = candidateFilters(request)
  const candidates = all
    .filter((candidate) => filters.every(({ passes }) => passes(candidate)))
    .slice(0, clampCount(request.k))
  const [selected] = candidates
  if (selected === undefined) {
    const shown = filters.map((filter) => filter.shown).join(', ')
    return fail(
      'no_match',
      shown === '' ? 'No matches for requested packet' : `No matches for filters: ${shown}`,
      { hint: 'Use fewer filters; without filters lookup returns all versions.' },
    )
  }
  const extra = warnings.length === 0 ? {} : { warnings: [...new Set(warnings)] }
  return { ok: true, source_uri: uri, count: candidates.length, candidates, selected, ...extra }
}
