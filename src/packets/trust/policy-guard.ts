import type { Digest } from '../../kernel/encoding/digest.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import type { Reference } from '../format/reference.ts'
import type { RegistryReader } from '../ports.ts'
import type { VerifyBundle } from './attestation.ts'
import {
  enforcePolicy,
  needsTrust,
  type PacketPolicy,
  pinningDenials,
  sourceDenials,
  trustDenials,
} from './policy.ts'
import type { Trust } from './trust.ts'

const UNCHECKED: Trust = {
  verified: true,
  checked: false,
  signature: 'unchecked',
  signers: [],
  sbom: 'unchecked',
  provenance: 'unchecked',
  builders: [],
  slsa_level: null,
  score: 0,
  referrers: [],
}

/** Cached trust of a packet, so that it can be used offline. */
export interface TrustCache {
  trust(digest: Digest, scope: string): Promise<Trust | undefined>
  keepTrust(digest: Digest, scope: string, trust: Trust): Promise<void>
}

interface GuardPorts {
  readonly registry: RegistryReader
  readonly cache: TrustCache
  readonly verifyBundle: VerifyBundle
  /** Reads the current policy. One that cannot be read is a fault: it must not count as absent. */
  readonly policy: () => Promise<PacketPolicy>
}

interface TrustRequest {
  readonly ref: Reference
  readonly digest: Digest
  /** Ask the registry although the policy does not need it. */
  readonly wanted?: boolean
  readonly signal: AbortSignal
}

interface CheckedTrust {
  readonly trust: Trust
  readonly warnings: readonly string[]
}

/** Cache key: what the trust depends on beside the packet, so that a changed policy checks again. */
const trustScope = (
  { keys, identities, root, builders }: PacketPolicy,
  { host, repository }: Reference,
): string =>
  digestJson({
    host,
    repository,
    keys: keys.map(({ name, key }) => [name, key.export({ type: 'spki', format: 'pem' })]),
    identities,
    builders,
    root: root ?? null,
  })

/** Applies the policy to every packet, however it is addressed. */
export class PolicyGuard {
  readonly #ports: GuardPorts
  /** The address of each packet that was checked. */
  readonly #origins = new Map<Digest, Reference>()

  constructor(ports: GuardPorts) {
    this.#ports = ports
  }

  policy(): Promise<PacketPolicy> {
    return this.#ports.policy()
  }

  /** Checks an address before any request. `follow` is for callers that would follow its tag. */
  async checkSource(ref: Reference, follow: boolean): Promise<readonly string[]> {
    const policy = await this.#ports.policy()
    const denials = [...sourceDenials(policy, ref), ...(follow ? pinningDenials(policy, ref) : [])]
    return [...(policy.unread === undefined ? [] : [policy.unread]), ...enforcePolicy(policy, denials)]
  }

  /**
   * Checks a stored packet that is read by digest. Its source is known only after it was queried or pulled by
   * address; until then a policy on sources or trust refuses it.
   */
  async recheckStored(digest: Digest, signal: AbortSignal): Promise<void> {
    const policy = await this.#ports.policy()
    const origin = this.#origins.get(digest)
    const needsSource = policy.allowed_sources !== undefined || needsTrust(policy)
    if (origin === undefined) {
      enforcePolicy(policy, needsSource ? ['source_unknown: query the packet by its address first'] : [])
      return
    }
    await this.checkSource({ host: origin.host, repository: origin.repository, digest }, true)
    await this.checkTrust({ ref: origin, digest, signal })
  }

  /** Checks the trust of a packet. A cached result that satisfies the policy needs no network. */
  async checkTrust({ ref, digest, wanted = false, signal }: TrustRequest): Promise<CheckedTrust> {
    const { registry, cache } = this.#ports
    this.#origins.set(digest, ref)
    const policy = await this.#ports.policy()
    const needed = needsTrust(policy)
    if (!needed && !wanted) return { trust: UNCHECKED, warnings: [] }
    const scope = trustScope(policy, ref)
    const kept = wanted ? undefined : await cache.trust(digest, scope)
    if (kept !== undefined && trustDenials(policy, kept).length === 0) return { trust: kept, warnings: [] }
    const { host, repository } = ref
    const manifest = async () => (await registry.resolve({ host, repository, digest }, signal)).bytes
    const { verifyBundle: verify } = this.#ports
    const lookup = { registry, at: ref, subject: { digest, manifest }, verify, signal }
    // Loaded lazily: most installations have no policy.
    const { gatherTrust } = await import('./signatures.ts')
    const trust = await gatherTrust(lookup, policy)
    await cache.keepTrust(digest, scope, trust)
    return { trust, warnings: enforcePolicy(policy, trustDenials(policy, trust)) }
  }
}
