import type { Digest } from '../../kernel/encoding/digest.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import type { Reference } from '../format/reference.ts'
import type { RegistryReader } from '../registry.ts'
import type { VerifyBundle } from './attestation.ts'
import { asksTrust, enforce, judgePinning, judgeSource, judgeTrust, type PacketPolicy } from './policy.ts'
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

/** What was found out about a packet, kept so that it can be used offline. */
export interface TrustCache {
  trust(digest: Digest, scope: string): Promise<Trust | undefined>
  keepTrust(digest: Digest, scope: string, trust: Trust): Promise<void>
}

export interface GuardPorts {
  readonly registry: RegistryReader
  readonly cache: TrustCache
  readonly verifyBundle: VerifyBundle
  /** The policy as it is now. One that cannot be read is a fault, not the absence of one. */
  readonly policy: () => Promise<PacketPolicy>
}

export interface Judged {
  readonly trust: Trust
  readonly warnings: readonly string[]
}

/** What the verdict about a packet depends on, beside the packet: another policy asks again. */
const scopeOf = (
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

/** Stands before every packet and applies the policy to it, whatever way it is asked for. */
export class PolicyGuard {
  readonly #ports: GuardPorts
  /** Where the packets that were judged came from. */
  readonly #origins = new Map<Digest, Reference>()

  constructor(ports: GuardPorts) {
    this.#ports = ports
  }

  policy(): Promise<PacketPolicy> {
    return this.#ports.policy()
  }

  /** Judges an address before anybody is asked. `follow` is for callers that take a tag at its word. */
  async checkSource(ref: Reference, follow: boolean): Promise<readonly string[]> {
    const policy = await this.#ports.policy()
    const denials = [...judgeSource(policy, ref), ...(follow ? judgePinning(policy, ref) : [])]
    return [...(policy.unread === undefined ? [] : [policy.unread]), ...enforce(policy, denials)]
  }

  /**
   * Judges a packet that is asked for by its digest alone. Where it came from is known once it was asked or fetched
   * by its address; until then a policy that cares lets nothing of it out.
   */
  async recheckStored(digest: Digest, signal: AbortSignal): Promise<void> {
    const policy = await this.#ports.policy()
    const origin = this.#origins.get(digest)
    const cares = policy.allowed_sources !== undefined || asksTrust(policy)
    if (origin === undefined) {
      enforce(policy, cares ? ['source_unknown: ask the packet by its address first'] : [])
      return
    }
    await this.checkSource({ host: origin.host, repository: origin.repository, digest }, true)
    await this.checkTrust(origin, digest, false, signal)
  }

  /** Judges a packet. What satisfied the policy once needs no network again. */
  async checkTrust(ref: Reference, digest: Digest, wanted: boolean, signal: AbortSignal): Promise<Judged> {
    const { registry, cache } = this.#ports
    this.#origins.set(digest, ref)
    const policy = await this.#ports.policy()
    const needed = asksTrust(policy)
    if (!needed && !wanted) return { trust: UNCHECKED, warnings: [] }
    const scope = scopeOf(policy, ref)
    const kept = wanted ? undefined : await cache.trust(digest, scope)
    if (kept !== undefined && judgeTrust(policy, kept).length === 0) return { trust: kept, warnings: [] }
    const { host, repository } = ref
    const manifest = async () => (await registry.resolve({ host, repository, digest }, signal)).bytes
    const { verifyBundle: verify } = this.#ports
    const inquiry = { registry, at: ref, subject: { digest, manifest }, verify, signal }
    // Most have no policy, and need nothing of this.
    const { gatherTrust } = await import('./gather-trust.ts')
    const trust = await gatherTrust(inquiry, policy)
    await cache.keepTrust(digest, scope, trust)
    return { trust, warnings: enforce(policy, judgeTrust(policy, trust)) }
  }
}
