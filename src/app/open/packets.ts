import { join, resolve } from 'node:path'
import type { Digest } from '../../kernel/encoding/digest.ts'
import type { Clock } from '../../kernel/ports.ts'
import { type CatalogPorts, fetchCatalog, readCatalog } from '../../packets/ask/catalog.ts'
import { OpenPacketCache } from '../../packets/ask/open-packet-cache.ts'
import type { OpenPacket } from '../../packets/ask/retrieve.ts'
import { type Embedder, type Prefixes, withPrefixes } from '../../packets/embed.ts'
import { packetFaults } from '../../packets/faults.ts'
import { Packets } from '../../packets/packets.ts'
import { LOCAL_MODEL, localEmbedder } from '../../packets/search/local-embedder.ts'
import { Downloads } from '../../packets/transfer/downloads.ts'
import { PolicyGuard } from '../../packets/trust/policy-guard.ts'
import { followLinks } from '../../platform/files/git-metadata.ts'
import { isBelow, requireNoSymlinks } from '../../platform/files/no-symlinks.ts'
import { openAsyncJail, readRegularFile } from '../../platform/jail/async.ts'
import { metadataCache } from '../../platform/packets/cache.ts'
import { cacheDocuments } from '../../platform/packets/document-cache.ts'
import { httpEmbedder } from '../../platform/packets/embedder.ts'
import { packetPolicy } from '../../platform/packets/policy.ts'
import { cacheQueries } from '../../platform/packets/query-cache.ts'
import { packetReader } from '../../platform/packets/reader.ts'
import { verifySigstoreBundle } from '../../platform/packets/sigstore.ts'
import { packetStore } from '../../platform/packets/store.ts'
import { verifiedStamps } from '../../platform/packets/verified-stamp.ts'
import { OciClient } from '../../platform/registry/client.ts'
import { packetRoot, requireStoreWithoutSymlinks } from '../config/packet-root.ts'
import type { Config } from '../config/settings.ts'
import { isReference, openRegistry } from './registry.ts'
import { vectorOpener } from './vectors.ts'

/** What is kept open between questions. */
const ROOM = { packets: 8, bytes: 2 * 1024 ** 3 }

/**
 * Whoever asks for vectors of a model: the built-in one, or the server that is configured. A packet says what its
 * own model wants before texts; for any other it is the operator who does.
 */
export const embedderFor =
  (config: Config, place = packetRoot(config)) =>
  (model: string, own: Partial<Prefixes> = {}): Embedder | undefined => {
    // It is faster than looking up what it said.
    if (model === LOCAL_MODEL) return localEmbedder
    const { embeddingUrl: url, embeddingModel = model, embeddingKey: key, provider } = config
    if (url === undefined) return undefined
    const known = embeddingModel === model ? own : {}
    const embedder = cacheDocuments(httpEmbedder({ ...provider, url, model: embeddingModel, key }), place)
    return withPrefixes(cacheQueries(embedder, place), {
      query: known.query ?? config.embeddingQueryPrefix ?? '',
      document: known.document ?? config.embeddingDocumentPrefix ?? '',
    })
  }

const MAX_CATALOG = 64 * 1024 * 1024

const catalogFile = async (path: string): Promise<Uint8Array> => {
  const bytes = await readRegularFile(path, MAX_CATALOG).catch((cause: unknown) => {
    throw packetFaults.catalog('the file of the catalog cannot be read', { cause })
  })
  if (bytes === undefined) throw packetFaults.catalog('the catalog is no plain file, or too large')
  return bytes
}

/** The rows of the configured catalog, from its file or from a registry. */
const catalogHere = (config: Config, root: string, ports: CatalogPorts) => {
  const { catalog, registry } = config
  if (catalog === undefined) return {}
  const read = (signal: AbortSignal): Promise<Uint8Array> =>
    isReference(catalog)
      ? fetchCatalog(ports, catalog, signal)
      : catalogFile(requireNoSymlinks(root, catalog))
  return { catalog: async (signal: AbortSignal) => readCatalog(await read(signal), registry) }
}

const MAX_READABLE = 64 * 1024 * 1024

/** Files of packets as text, behind the fence of their store; those too large for one answer count as absent. */
const textFiles = (place: string) => async (folder: string, path: string) => {
  const bytes = await openAsyncJail(place)
    .read(join(folder, path), MAX_READABLE + 1)
    .catch(() => undefined)
  return bytes === undefined || bytes.length > MAX_READABLE ? undefined : bytes.toString('utf8')
}

/** What is left of the time for an answer when a fetch that takes too long is left to itself. */
const REST_MS = 5000

/** Packets as one process has them. Callers who have only so long for an answer get one in time. */
export const openPackets = (
  config: Config,
  root: string,
  clock: Clock,
  environment: NodeJS.ProcessEnv,
  callMs?: number,
) => {
  const client = new OciClient(openRegistry(config, environment))
  const shelf = new OpenPacketCache(ROOM)
  const vectors = vectorOpener(clock, config.approximate)
  const home = resolve(root, config.packetRoot)
  const opened = new Map<string, Packets>()
  const fetches: Downloads[] = []
  const patience = callMs === undefined ? undefined : { clock, ms: callMs - Math.min(REST_MS, callMs / 10) }

  const openAt = (place: string): Packets => {
    const read = packetReader(place, clock, vectors.open)
    const cache = metadataCache(place, clock)
    // The operator's policy, wherever the caller has packets put: another folder is no way round it.
    const guard = new PolicyGuard({
      registry: client,
      cache,
      policy: packetPolicy(home),
      verifyBundle: verifySigstoreBundle,
    })
    const readText = textFiles(place)
    const store = packetStore(place)
    const ports = { registry: client, store, guard, maxBytes: config.maxPacketBytes }
    const seals = verifiedStamps(place)
    const fetching = new Downloads(ports, seals.arrived, patience)
    fetches.push(fetching)
    const openSound = async (digest: Digest, folder: string): Promise<OpenPacket> => {
      // Opened first: what is wrong with its shape says more than that it is not the packet.
      const packet = await read(digest, folder)
      try {
        await seals.check(digest, folder)
      } catch (thrown) {
        packet.close()
        throw thrown
      }
      // Without room for a seal it is held against its digest next time.
      await seals.seal(digest, folder).catch(() => {})
      return packet
    }
    return new Packets(
      {
        ...catalogHere(config, root, { registry: client, cache, guard }),
        registry: client,
        store,
        pull: (ref, signal, watch) => fetching.download(ref, signal, watch),
        cache,
        guard,
        use: (digest, folder, work) => shelf.use(folder, () => openSound(digest, folder), work),
        embedder: embedderFor(config, place),
        file: async (digest, folder, path) => {
          await seals.check(digest, folder)
          return readText(folder, path)
        },
      },
      config.registry,
    )
  }

  /** A caller may choose among folders of the project, not among those of the machine. Links are followed. */
  const judge = async (asked: string | undefined): Promise<string> => {
    const place = asked ? resolve(root, asked) : home
    if (place === home) return packetRoot({ ...config, root })
    const [base, real] = await Promise.all([followLinks(root), followLinks(place)])
    if (isBelow(root, place) && isBelow(base, real)) return requireStoreWithoutSymlinks(place)
    throw packetFaults.unsafe_path('cpm_root must be a folder of the project', {
      fix: 'Leave cpm_root out, or have the operator set the folder for packets.',
    })
  }

  return {
    open: async (asked: string | undefined): Promise<Packets> => {
      const place = await judge(asked)
      const packets = opened.get(place) ?? openAt(place)
      opened.set(place, packets)
      return packets
    },
    close: async () => {
      for (const fetching of fetches) fetching.close()
      await shelf.close()
      await vectors.close()
    },
  }
}
