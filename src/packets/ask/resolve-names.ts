import type { Digest } from '../../kernel/encoding/digest.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { Fault } from '../../kernel/fault.ts'
import { packetFaults } from '../faults.ts'
import { parseReference, type Reference, versionTag } from '../format/reference.ts'
import { compareVersions } from '../format/version.ts'
import type { PacketsLock, Revocation } from '../lock/packets-lock.ts'
import type { MetadataCache, RegistryReader, ResolvedAlias } from '../ports.ts'
import { keepResolution, type ResolutionMemory, recallResolution, type StaleAnswer } from '../resolutions.ts'
import { locatePacket } from '../transfer/pull.ts'
import type { LookupRequest } from './candidate.ts'

/** What resolving a name needs. */
export interface ResolvePorts {
  readonly registry: RegistryReader
  readonly cache: MetadataCache
  /** Absent: a name is answered only while its registry is reached. */
  readonly resolutions?: ResolutionMemory
  /** The lock of the project that is served. */
  readonly lock?: () => Promise<PacketsLock | undefined>
  /** Whether a packet was revoked. */
  readonly revocation?: (digest: Digest) => Promise<Revocation | undefined>
}

/** How many of the newest tags a shortlist considers. */
const MAX_LOOKED_AT = 8

/** The metadata of a packet, from the cache when it is known. */
export const describePacketAt = async (
  { registry, cache, resolutions }: ResolvePorts,
  ref: Reference,
  signal: AbortSignal,
) => {
  const known = ref.digest === undefined ? undefined : await cache.metadata(ref.digest)
  if (ref.digest !== undefined && known !== undefined) return { digest: ref.digest, known }
  const recall = (one: Digest) => cache.metadata(one)
  const { digest, metadata, metadataDigest } = await locatePacket({ registry, ref, signal }, recall)
  if (metadata === undefined)
    throw packetFaults.metadata('the packet carries no metadata; pull it to look inside')
  const found = { metadata, metadataDigest }
  await cache.keepMetadata(digest, found)
  await keepResolution(resolutions, ref, digest)
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
const shortlist = async (
  ports: ResolvePorts,
  ref: Reference,
  signal: AbortSignal,
): Promise<ResolvedAlias> => {
  const found = new Map<Digest, string>()
  const add = ({ digest, known }: Awaited<ReturnType<typeof describePacketAt>>) =>
    void found.set(digest, versionTag(known.metadata.packet.version))
  const first = await describePacketAt(ports, ref, signal).then(add, (cause: unknown) => cause)
  if (first !== undefined && !isMissing(first)) throw first
  const tags = versionTags(await ports.registry.tags(ref, signal))
  if (tags.length === 0 && first !== undefined) throw first
  const { host, repository } = ref
  const wanted = tags.slice(0, MAX_LOOKED_AT).filter((tag) => ![...found.values()].includes(tag))
  const others = await Promise.all(
    wanted.map((tag) =>
      describePacketAt(ports, { host, repository, tag }, signal).catch((thrown: unknown) => {
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

/** A request to resolve. */
interface NameRequest {
  readonly ports: ResolvePorts
  readonly request: LookupRequest
  readonly signal: AbortSignal
}

interface ResolvedNames extends ResolvedAlias {
  /** Set when the registry could not be reached. */
  readonly mark?: StaleAnswer
}

/** The packets of a request. A tag whose registry cannot be reached is what it was the last time. */
export const resolveNames = async (
  { ports, request, signal }: NameRequest,
  uri: string,
): Promise<ResolvedNames> => {
  const ref = parseReference(uri)
  if (ref.digest !== undefined) return { digests: [ref.digest], warnings: [] }
  const remembered = await ports.cache.alias(uri)
  if (remembered !== undefined) return remembered
  const open = !request.version && !request.ref && acceptsAnyVersion(request)
  let meaning: ResolvedAlias
  try {
    meaning = open
      ? await shortlist(ports, ref, signal)
      : { digests: [(await describePacketAt(ports, ref, signal)).digest], warnings: [] }
  } catch (thrown) {
    const { digest, mark, warning } = await recallResolution(ports.resolutions, ref, thrown)
    return { digests: [digest], warnings: [warning], mark }
  }
  await ports.cache.keepAlias(uri, meaning)
  return meaning
}
