import type { Clock } from '../../kernel/ports.ts'
import type { MetadataCache, PacketStore, RegistryReader } from '../../packets/ports.ts'
import type { ResolutionMemory } from '../../packets/resolutions.ts'
import type { PullPorts } from '../../packets/transfer/pull.ts'
import { PolicyGuard, type TrustCache } from '../../packets/trust/policy-guard.ts'
import { userStateFolder } from '../../platform/files/user-state.ts'
import { metadataCache, resolutionMemory } from '../../platform/packets/cache.ts'
import { packetPolicy } from '../../platform/packets/policy.ts'
import { verifySigstoreBundle } from '../../platform/packets/sigstore.ts'
import { packetStore } from '../../platform/packets/store.ts'
import { packetRoot } from '../config/packet-root.ts'
import type { Config } from '../config/settings.ts'

/** Reads the first that has the value. */
const first =
  <A extends readonly unknown[], T>(...reads: readonly ((...args: A) => Promise<T | undefined>)[]) =>
  async (...args: A): Promise<T | undefined> => {
    for (const read of reads) {
      const found = await read(...args)
      if (found !== undefined) return found
    }
    return undefined
  }

/** Reads from both folders, and writes into the second alone. */
const overlayStore = (kept: PacketStore, scratch: PacketStore): PacketStore => ({
  ...kept,
  find: first(kept.find, scratch.find),
  add: async (object, open) => (await kept.find(object.digest)) ?? scratch.add(object, open),
})

type Cache = MetadataCache & TrustCache

const overlayCache = (kept: Cache, scratch: Cache): Cache => ({
  ...scratch,
  metadata: first(scratch.metadata, kept.metadata),
  alias: first(scratch.alias, kept.alias),
  trust: first(scratch.trust, kept.trust),
})

/**
 * One packet folder on disk: its store, its metadata cache and the trust policy that applies to it. What is written
 * goes into `scratch`, which is the folder itself unless nothing may be written there.
 */
export class PacketWorkspace {
  readonly folder: string
  readonly store: PacketStore
  readonly cache: MetadataCache & TrustCache
  readonly resolutions: ResolutionMemory
  readonly #config: Config

  constructor(config: Config, clock: Clock, folder = packetRoot(config), scratch = folder) {
    this.#config = config
    this.folder = folder
    const [store, cache] = [packetStore(folder), metadataCache(folder, clock)]
    const state = () => userStateFolder(process.env)
    this.resolutions = resolutionMemory({ state, folder, clock, readOnly: config.readOnly })
    const isKept = scratch === folder
    this.store = isKept ? store : overlayStore(store, packetStore(scratch))
    this.cache = isKept ? cache : overlayCache(cache, metadataCache(scratch, clock))
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
