import type { Clock } from '../../kernel/ports.ts'
import type { MetadataCache } from '../../packets/cache.ts'
import type { RegistryReader } from '../../packets/registry.ts'
import type { PacketStore } from '../../packets/store.ts'
import type { PullPorts } from '../../packets/transfer/pull.ts'
import { PolicyGuard, type TrustCache } from '../../packets/trust/policy-guard.ts'
import { metadataCache } from '../../platform/packets/cache.ts'
import { packetPolicy } from '../../platform/packets/policy.ts'
import { verifySigstoreBundle } from '../../platform/packets/sigstore.ts'
import { packetStore } from '../../platform/packets/store.ts'
import { packetRoot } from '../config/packet-root.ts'
import type { Config } from '../config/settings.ts'

/** One packet folder on disk: its store, its metadata cache and the trust policy that applies to it. */
export class PacketWorkspace {
  readonly folder: string
  readonly store: PacketStore
  readonly cache: MetadataCache & TrustCache
  readonly #config: Config

  constructor(config: Config, clock: Clock, folder = packetRoot(config)) {
    this.#config = config
    this.folder = folder
    this.store = packetStore(folder)
    this.cache = metadataCache(folder, clock)
  }

  /**
   * What a pull into this folder needs. `policyFolder` is where the operator's policy is: it also applies to a
   * folder that a caller chose, or choosing another folder would bypass it.
   */
  pullPorts(registry: RegistryReader, policyFolder = this.folder): PullPorts {
    const guard = new PolicyGuard({
      registry,
      cache: this.cache,
      policy: packetPolicy(policyFolder),
      verifyBundle: verifySigstoreBundle,
    })
    return { registry, store: this.store, guard, maxBytes: this.#config.maxPacketBytes }
  }
}
