import type { Digest } from '../kernel/encoding/digest.ts'
import { optional } from '../kernel/optional.ts'
import type { LookupRequest } from './ask/candidate.ts'
import { type VerifiedCitation, verifyCitation } from './ask/citation.ts'
import { clampBudget, digestEvidence, type EvidenceDigest } from './ask/evidence.ts'
import { type LookupResult, lookupPackets } from './ask/lookup.ts'
import { type PacketPlan, type PlanRequest, planIntent } from './ask/plan.ts'
import {
  clampResults,
  type QueryPorts,
  type QueryRequest,
  type QueryResult,
  queryPacket,
} from './ask/query.ts'
import { type ReadPorts, readDocumentPart } from './ask/read-document.ts'
import type { Failure } from './faults.ts'
import type { Revocation } from './lock/packets-lock.ts'
import type { ProgressListener } from './ports.ts'

interface EvidenceRequest extends Pick<QueryRequest, 'ref' | 'k' | 'registry' | 'scores'> {
  readonly question: string
  readonly max_chars?: number | undefined
}

interface StoredPacket {
  readonly name: string
  readonly version: string
  readonly ref: string
  readonly digest: Digest
  readonly bytes: number
  readonly revoked?: Revocation
}

/** The operations on packets, for one packet folder and one default registry. */
export class Packets {
  readonly #ports: QueryPorts & ReadPorts
  readonly #registry: string | undefined

  constructor(ports: QueryPorts & ReadPorts, registry: string | undefined) {
    this.#ports = ports
    this.#registry = registry
  }

  lookup(request: LookupRequest, signal: AbortSignal): Promise<LookupResult | Failure> {
    return lookupPackets(this.#ports, { ...request, registry: request.registry || this.#registry }, signal)
  }

  query(
    request: QueryRequest,
    signal: AbortSignal,
    watch?: ProgressListener,
  ): Promise<QueryResult | Failure> {
    return queryPacket(
      this.#ports,
      { ...request, registry: request.registry || this.#registry },
      signal,
      watch,
    )
  }

  /** The packets in the store, each with a reference that works offline. */
  async stored(): Promise<readonly StoredPacket[]> {
    const { store, cache, revocation } = this.#ports
    return Promise.all(
      (await store.list()).map(async ({ digest, bytes }) => {
        const { name = '', version = '' } = (await cache.metadata(digest))?.metadata.packet ?? {}
        const revoked = await revocation?.(digest)
        return { name, version, ref: `${name}@${digest}`, digest, bytes, ...optional({ revoked }) }
      }),
    )
  }

  /** Reads a file or a document of a stored packet. */
  read(digest: Digest, path: string, signal: AbortSignal): Promise<string> {
    return readDocumentPart(this.#ports, { digest, path, signal })
  }

  /** Verifies a citation, `packet://sha256:…/path#L1-L9`, against the stored packet. */
  cite(uri: string): Promise<VerifiedCitation> {
    return verifyCitation(this.#ports, uri)
  }

  plan(request: PlanRequest, signal: AbortSignal, watch?: ProgressListener): Promise<PacketPlan | Failure> {
    const { registry } = request
    return planIntent(
      {
        lookup: (asked) => this.lookup(asked, signal),
        query: (ref, q, k) => this.query({ ref, q, k, registry }, signal, watch),
      },
      request,
    )
  }

  async evidence(
    request: EvidenceRequest,
    signal: AbortSignal,
    watch?: ProgressListener,
  ): Promise<EvidenceDigest | QueryResult | Failure> {
    const { ref, question: q, max_chars, ...rest } = request
    const answer = await this.query({ ...rest, ref, q, k: clampResults(rest.k, 6) }, signal, watch)
    return digestEvidence(answer, { ref, question: q, budget: clampBudget(max_chars) })
  }
}
