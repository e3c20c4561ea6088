import type { Digest } from '../../kernel/encoding/digest.ts'
import { Fault } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import type { FindEmbedder } from '../embed.ts'
import { type Failure, fail, failWith, NAME_REGISTRY, schemeHint } from '../faults.ts'
import { parseReference, pinnedUri, type Reference, sourceUri } from '../format/reference.ts'
import { type MetadataCache, noProgress, type PacketStore, type ProgressListener } from '../ports.ts'
import { keepResolution, recallResolution, type StaleAnswer } from '../resolutions.ts'
import type { PulledPacket } from '../transfer/pull.ts'
import { enforcePolicy, tokenDenials } from '../trust/policy.ts'
import { type PassageTrust, passageTrust, type Trust } from '../trust/trust.ts'
import { type AnswerOrigin, findLockedPacket, originWarnings } from './answer-origin.ts'
import type { LookupPorts } from './lookup.ts'
import { isScored, type OpenPacket, retrieve, type SearchMode } from './retrieve.ts'
import { type QueryHit, scoredHit, toQueryHit, withoutScores } from './snippet.ts'

/** Runs `work` with an open packet, and keeps it open until `work` ends. */
export type UsePacket = <T>(
  digest: Digest,
  folder: string,
  work: (packet: OpenPacket) => Promise<T>,
  /** Hears of the indexes that are made when the packet is first opened. */
  watch?: ProgressListener,
) => Promise<T>

export interface QueryPorts extends LookupPorts {
  readonly store: PacketStore
  /** Downloads a packet into the store, if the policy allows it. */
  readonly pull: (ref: Reference, signal: AbortSignal, watch: ProgressListener) => Promise<PulledPacket>
  readonly cache: MetadataCache
  readonly use: UsePacket
  readonly embedder: FindEmbedder
}

export interface QueryRequest {
  readonly ref: string
  readonly q: string
  readonly k?: number | undefined
  readonly registry?: string | undefined
  readonly mode?: SearchMode | undefined
  /** False: results have the five fields of the older server alone. */
  readonly scores?: boolean | undefined
}

export interface QueryResult extends AnswerOrigin {
  readonly ok: boolean
  readonly source_uri: string
  readonly pinned_uri: string
  readonly digest: string
  readonly cache: { readonly hit: boolean }
  readonly query: string
  readonly k: number
  readonly results: readonly QueryHit[]
  /** The origin of the results. */
  readonly trust: PassageTrust
  readonly mode?: SearchMode
  readonly embedding?: { readonly model: string; readonly dim: number; readonly source: 'packet' | 'rebuilt' }
  readonly warnings?: readonly string[]
  readonly error?: string
  readonly detail?: string
  readonly hint?: string
}

const MAX_RESULTS = 20

export const clampResults = (k: number | undefined, fallback: number): number =>
  Math.max(1, Math.min(Math.trunc(k ?? fallback) || 1, MAX_RESULTS))

/** One query while it runs. */
interface RunningQuery {
  readonly ports: QueryPorts
  readonly request: QueryRequest
  readonly k: number
  readonly signal: AbortSignal
  readonly watch: ProgressListener
}

interface MaterializedPacket {
  readonly digest: Digest
  readonly folder: string
  readonly hit: boolean
  readonly trust: Trust
  readonly warnings: readonly string[]
  /** Set when the registry could not be reached. */
  readonly mark?: StaleAnswer
}

/** The stored packet that the tag named when its registry was last reached, under the present policy. */
const recallPacket = async (
  { ports, signal }: RunningQuery,
  ref: Reference,
  thrown: unknown,
): Promise<MaterializedPacket> => {
  const { digest, mark, warning } = await recallResolution(ports.resolutions, ref, thrown)
  const folder = await ports.store.find(digest)
  if (folder === undefined) throw thrown
  const { trust, warnings } = await ports.guard.checkTrust({ ref, digest, signal })
  return { digest, folder, hit: true, trust, warnings: [warning, ...warnings], mark }
}

/** Finds the packet in the store, or downloads it. A digest that is in the store needs no network. */
const materialize = async (
  running: RunningQuery,
  uri: string,
  ref: Reference,
): Promise<MaterializedPacket> => {
  const { ports, signal, watch } = running
  const { guard, cache, store } = ports
  const admitted = await guard.checkSource(ref, true)
  const known = ref.digest ?? (await cache.alias(uri))?.digests[0]
  const there = known === undefined ? undefined : await store.find(known)
  if (known !== undefined && there !== undefined) {
    // The stored packet passed an earlier policy; check it against the current one.
    const { trust, warnings } = await guard.checkTrust({ ref, digest: known, signal })
    return { digest: known, folder: there, hit: true, trust, warnings: [...admitted, ...warnings] }
  }
  const pulled = await ports.pull(ref, signal, watch).catch((thrown: unknown) => ({ thrown }))
  if ('thrown' in pulled) {
    const recalled = await recallPacket(running, ref, pulled.thrown)
    return { ...recalled, warnings: [...admitted, ...recalled.warnings] }
  }
  const { digest, folder, located, trust, warnings } = pulled
  await keepResolution(ports.resolutions, ref, digest)
  if (located.metadata !== undefined)
    await cache.keepMetadata(digest, {
      metadata: located.metadata,
      metadataDigest: located.metadataDigest,
    })
  return { digest, folder, hit: false, trust, warnings }
}

/** The wire names of faults while a packet is opened or searched. */
const ERRORS: Readonly<Record<string, string>> = {
  'packet.manifest': 'invalid_manifest',
  'packet.docs': 'packet_invalid',
  'packet.index': 'packet_invalid',
  'packet.vectors': 'packet_invalid',
  'packet.mismatch': 'packet_invalid',
  'packet.no_docs': 'index_failed',
  'packet.no_vectors': 'index_failed',
  'packet.model_mismatch': 'embedding_model_mismatch',
  'packet.embedder': 'embed_server_unreachable',
  'packet.embedder_key': 'embed_server_unreachable',
  'packet_disk.full': 'index_failed',
  'packet.policy': 'policy_denied',
  'packet.policy_file': 'policy_denied',
  'lock.busy': 'index_failed',
  'packet_disk.absent': 'packet_not_found',
}

/** Offline the packet may be in the store already. */
const offlineHint = (thrown: unknown): Partial<Failure> =>
  thrown instanceof Fault && thrown.code === 'registry.unreachable'
    ? {
        hint: `${thrown.fix} A packet that was fetched before can be queried offline by its digest, NAME@sha256:….`,
      }
    : {}

/** Errors after which only a check can tell whether the publisher or the local disk damaged the packet. */
const DAMAGED = ['packet_invalid', 'invalid_manifest', 'packet_not_found']
const REPAIR =
  'Run `warrant packet pull` on it: if the stored copy is damaged, it is downloaded again. Without a network, prune it from the cache. If the error remains, it was published like this.'

const search = async ({ ports, request, k, signal, watch }: RunningQuery, materialized: MaterializedPacket) =>
  ports.use(
    materialized.digest,
    materialized.folder,
    async (packet) => {
      const { model, dim, query_prefix, document_prefix } = packet.manifest.embedding
      const prefixes = {
        ...optional({ query: query_prefix, document: document_prefix }),
      }
      const embedder = ports.embedder(model, prefixes)
      const { q: question, mode = 'hybrid', scores = true } = request
      const found = await retrieve({ packet, question, k, mode, embedder, signal, watch })
      return {
        results: await Promise.all(
          found.hits.map(async (hit) => {
            const doc = await packet.docs.row(hit.row)
            if (!isScored(packet)) return toQueryHit(doc, hit.score)
            const scored = scoredHit(doc, hit, question, embedder)
            return scores ? scored : withoutScores(scored)
          }),
        ),
        mode: found.mode,
        embedding: found.embedding ?? { model, dim, source: 'packet' as const },
        warnings: [...materialized.warnings, ...packet.warnings, ...found.warnings],
      }
    },
    watch,
  )

/** Searches a packet, which is downloaded on first use. */
export const queryPacket = async (
  ports: QueryPorts,
  request: QueryRequest,
  signal: AbortSignal,
  watch: ProgressListener = noProgress,
): Promise<QueryResult | Failure> => {
  const k = clampResults(request.k, 5)
  const running = { ports, request, k, signal, watch }
  if (request.q.trim() === '')
    return fail('invalid_query_input', 'q must not be blank', { hint: 'Write a question in q.' })
  const uri = sourceUri({ ref: request.ref, registry: request.registry })
  if (uri === undefined)
    return fail('invalid_query_input', 'REGISTRY not set and query ref is not an oci:// URI', {
      hint: schemeHint(request.ref) ?? NAME_REGISTRY,
    })
  let materialized: MaterializedPacket
  let pinned: string
  let origin: AnswerOrigin
  try {
    const asked = parseReference(uri)
    const entry = await findLockedPacket(ports, asked, signal)
    const ref = entry?.ref ?? asked
    materialized = await materialize(running, uri, ref)
    pinned = pinnedUri(ref, materialized.digest)
    const revoked = await ports.revocation?.(materialized.digest)
    origin = { ...materialized.mark, ...entry?.origin, ...optional({ revoked }) }
  } catch (thrown) {
    const hint = schemeHint(request.ref)
    return failWith('materialize_failed', thrown, hint === undefined ? offlineHint(thrown) : { hint })
  }
  const head = {
    source_uri: uri,
    pinned_uri: pinned,
    digest: materialized.digest,
    cache: { hit: materialized.hit },
    query: request.q,
    k,
    trust: passageTrust(materialized.trust),
    ...origin,
  }
  try {
    const found = await search(running, materialized)
    const policy = await ports.guard.policy()
    const over = enforcePolicy(policy, tokenDenials(policy, found.results))
    const warnings = [...originWarnings(origin), ...found.warnings, ...over]
    return { ok: true, ...head, ...found, warnings }
  } catch (thrown) {
    const code = thrown instanceof Fault ? (ERRORS[thrown.code] ?? 'retrieval_failed') : ''
    return { ...head, results: [], ...failWith(code, thrown, DAMAGED.includes(code) ? { hint: REPAIR } : {}) }
  }
}
