import { join, resolve } from 'node:path'
import { lazyAsync } from '../../kernel/async/once.ts'
import type { Digest } from '../../kernel/encoding/digest.ts'
import type { Clock } from '../../kernel/ports.ts'
import type { RecordPorts } from '../../kernel/record-call.ts'
import { OpenPacketCache } from '../../packets/ask/open-packet-cache.ts'
import type { OpenPacket } from '../../packets/ask/retrieve.ts'
import { packetFaults } from '../../packets/faults.ts'
import { Packets } from '../../packets/packets.ts'
import type { ProgressListener, RegistryReader } from '../../packets/ports.ts'
import { Downloads } from '../../packets/transfer/downloads.ts'
import { followLinks } from '../../platform/files/git-metadata.ts'
import { isBelow } from '../../platform/files/no-symlinks.ts'
import { openAsyncJail } from '../../platform/jail/async.ts'
import { packetReader } from '../../platform/packets/reader.ts'
import { scratchFolders } from '../../platform/packets/scratch-folders.ts'
import { type OpenVectors, openVectors } from '../../platform/packets/vectors/vector-file.ts'
import { verifiedStamps } from '../../platform/packets/verify-stored.ts'
import { OciClient } from '../../platform/registry/client.ts'
import { packetRoot, requireStoreWithoutSymlinks } from '../config/packet-root.ts'
import type { Config } from '../config/settings.ts'
import { closeEmbedders, embedderFor } from './embedders.ts'
import { PacketWorkspace } from './packet-workspace.ts'
import { openPacketLock } from './packets/packet-lock.ts'
import { openRegistry, recordResolutions } from './registry.ts'

/**
 * Number of values from which an index is searched in a worker thread: 250 000 rows of 384 take about five
 * milliseconds, which would block the event loop. Below that the message to the thread costs more.
 */
const LARGE = 96_000_000

/** Relative to the built chunk. */
const PROGRAM = new URL('../threads/vector.js', import.meta.url)

/** Opens small indexes in this thread, large ones in a worker thread that starts with the first. */
const vectorOpener = (clock: Clock) => {
  const thread = lazyAsync(async () => {
    const { VectorThread } = await import('../../platform/packets/vectors/vector-threads.ts')
    return new VectorThread(PROGRAM, clock)
  })
  const open: OpenVectors = async (files, expected) =>
    expected.rows * expected.dim < LARGE
      ? openVectors(files, expected, clock)
      : (await thread.get()).open(files, expected)
  return { open, close: async () => (await thread.peek())?.close() }
}

/** Limits of the packets that stay open between calls. */
const OPEN_LIMITS = { packets: 8, bytes: 2 * 1024 ** 3 }

const MAX_READABLE = 64 * 1024 * 1024

/** Reads files of packets as text, inside the jail of their folder. A file too large for one answer is absent. */
const textReader = (place: string) => async (folder: string, path: string) => {
  const bytes = await openAsyncJail(place)
    .read(join(folder, path), MAX_READABLE + 1)
    .catch(() => undefined)
  return bytes === undefined || bytes.length > MAX_READABLE ? undefined : bytes.toString('utf8')
}

/** Time kept back to answer "still downloading" before the call's deadline. */
const ANSWER_MS = 5000

interface PacketServiceOptions {
  readonly config: Config
  readonly root: string
  readonly clock: Clock
  readonly environment: NodeJS.ProcessEnv
  /** The deadline of a call. A download that takes longer continues after the answer. */
  readonly callMs?: number
  /** Records which digest a tag stood for. */
  readonly record: RecordPorts
}

/** The packets of one process, for each packet folder that callers name. */
export class PacketService {
  readonly #options: PacketServiceOptions
  /** The operator's packet folder. */
  readonly #home: string
  readonly #client: RegistryReader
  readonly #openPackets = new OpenPacketCache(OPEN_LIMITS)
  readonly #vectors: ReturnType<typeof vectorOpener>
  readonly #folders = new Map<string, Packets>()
  readonly #downloads: Downloads[] = []
  readonly #scratch = scratchFolders()

  constructor(options: PacketServiceOptions) {
    const { config, root, clock, environment } = options
    this.#options = options
    this.#home = resolve(root, config.packetRoot)
    this.#client = recordResolutions(
      new OciClient(openRegistry(config, environment)),
      config,
      root,
      options.record,
    )
    this.#vectors = vectorOpener(clock)
  }

  /** The packets of a folder that a caller named, or of the operator's. */
  async open(asked: string | undefined): Promise<Packets> {
    const folder = await this.#checkFolder(asked)
    const packets = this.#folders.get(folder) ?? this.#openFolder(folder)
    this.#folders.set(folder, packets)
    return packets
  }

  async close(): Promise<void> {
    for (const downloads of this.#downloads) downloads.close()
    await this.#openPackets.close()
    await this.#vectors.close()
    await closeEmbedders()
    await this.#scratch.remove()
  }

  /** A caller may name folders inside the project only, with symlinks resolved. */
  async #checkFolder(asked: string | undefined): Promise<string> {
    const { config, root } = this.#options
    const folder = asked ? resolve(root, asked) : this.#home
    if (folder === this.#home) return packetRoot({ ...config, root })
    const [base, real] = await Promise.all([followLinks(root), followLinks(folder)])
    if (isBelow(root, folder) && isBelow(base, real)) return requireStoreWithoutSymlinks(folder)
    throw packetFaults.unsafe_path('cpm_root must be a folder of the project', {
      fix: 'Leave cpm_root out, or have the operator set the folder for packets.',
    })
  }

  #openFolder(folder: string): Packets {
    const { config, root, clock, callMs } = this.#options
    // In read-only mode, downloads, indexes and caches are kept in a temporary folder.
    const place = config.readOnly ? this.#scratch.make() : folder
    const workspace = new PacketWorkspace(config, clock, folder, place)
    const { store, cache, resolutions } = workspace
    const ports = workspace.pullPorts(this.#client, this.#home)
    const { registry, guard } = ports
    const lock = openPacketLock(root)
    const stamps = verifiedStamps(place)
    const budget = callMs === undefined ? undefined : { clock, ms: callMs - Math.min(ANSWER_MS, callMs / 10) }
    const downloads = new Downloads(ports, stamps.arrived, budget)
    this.#downloads.push(downloads)
    const read = packetReader(place, clock, this.#vectors.open)
    const [readKept, readScratch] = [textReader(folder), textReader(place)]
    const openVerified = async (
      digest: Digest,
      packetFolder: string,
      watch?: ProgressListener,
    ): Promise<OpenPacket> => {
      // Opened before it is verified: a format fault says more than a digest mismatch.
      const packet = await read(digest, packetFolder, watch)
      try {
        await stamps.check(digest, packetFolder)
      } catch (thrown) {
        packet.close()
        throw thrown
      }
      // When the stamp cannot be written, the next process verifies the packet again.
      await stamps.stamp(digest, packetFolder).catch(() => {})
      return packet
    }
    return new Packets(
      {
        registry,
        store,
        cache,
        resolutions,
        lock: lock.read,
        revocation: lock.revocation,
        guard,
        pull: (ref, signal, watch) => downloads.download(ref, signal, watch),
        use: (digest, packetFolder, work, watch) =>
          this.#openPackets.use(packetFolder, () => openVerified(digest, packetFolder, watch), work),
        embedder: embedderFor(config, place),
        file: async (digest, packetFolder, path) => {
          await stamps.check(digest, packetFolder)
          return (isBelow(folder, packetFolder) ? readKept : readScratch)(packetFolder, path)
        },
      },
      config.registry,
    )
  }
}
