import { dirname, join } from 'node:path'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { optional } from '../../kernel/optional.ts'
import type { Clock } from '../../kernel/ports.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import type { OpenPacket } from '../../packets/ask/retrieve.ts'
import { packetFaults } from '../../packets/faults.ts'
import { IndexedDocs } from '../../packets/format/docs.ts'
import { fingerprint, type Manifest, readManifest } from '../../packets/format/manifest.ts'
import { safeName } from '../../packets/format/reference.ts'
import { noProgress, type ProgressListener } from '../../packets/ports.ts'
import { FIELD_RANKING } from '../../packets/search/tokens.ts'
import type { VectorIndex } from '../../packets/search/vector-index.ts'
import { type OpenedFile, openAsyncJail } from '../jail/async.ts'
import { diskFaults } from './drafts.ts'
import { MAX_DOCS, openedSource, Payload } from './payload.ts'
import { openOwnVectors, openRebuilt, rebuildVectors } from './vectors/packet-vectors.ts'
import { type OpenVectors, openVectors, vectorMemory } from './vectors/vector-file.ts'
import { PacketWords } from './word-index-file.ts'

const openDocs = async (payload: Payload, manifest: Manifest): Promise<OpenedFile> => {
  const docs = await payload.open(manifest.files?.docs ?? 'docs.jsonl')
  if (docs === undefined) throw packetFaults.no_docs('unable to generate index from docs.jsonl')
  if (docs.size <= MAX_DOCS) return docs
  await docs.file.close()
  throw packetFaults.too_large(`docs.jsonl has ${docs.size} bytes`)
}

interface WordPlace {
  readonly path: string
  readonly clock: Clock
  readonly watch: ProgressListener
}

/** Opens the word index, which also knows where the chunks are. */
const openWords = async (payload: Payload, manifest: Manifest, { path, clock, watch }: WordPlace) => {
  const docs = await openDocs(payload, manifest)
  try {
    const words = await PacketWords.open({
      path,
      clock,
      kind: manifest.lexical?.ranking === FIELD_RANKING ? 'fields' : 'plain',
      docs,
      openSparse: () => payload.open('sparse/bm25.json'),
      promised: manifest.counts?.docs,
      progress: (done, total) => watch('index', done, total),
    })
    return { words, docs: new IndexedDocs(openedSource(docs), words) }
  } catch (thrown) {
    await docs.file.close()
    throw thrown
  }
}

export const packetReader =
  (root: string, clock: Clock, open: OpenVectors = (files, shape) => openVectors(files, shape, clock)) =>
  async (digest: Digest, folder: string, watch = noProgress): Promise<OpenPacket> => {
    // In read-only mode the indexes are kept elsewhere than the packet.
    const jail = openAsyncJail(isPathInside(root, folder) ? root : dirname(dirname(folder)))
    const payload = new Payload(jail, folder)
    const bytes = await payload.read('manifest.json')
    if (bytes === undefined) throw diskFaults.absent('the packet has no manifest.json')
    const manifest = readManifest(bytes)
    const place = join(root, 'index', safeName(digest), fingerprint(manifest))
    const { words, docs } = await openWords(payload, manifest, {
      path: join(place, 'words.bin'),
      clock,
      watch,
    })
    const { dim } = manifest.embedding
    const location = { root, digest, manifest, rows: docs.rows, open }
    const vectors = await openOwnVectors(payload, place, location).catch(async (thrown: unknown) => {
      await words.close()
      throw thrown
    })
    const others = new Map<string, Promise<VectorIndex | undefined>>()
    return {
      manifest,
      docs,
      lexical: words,
      ...optional({ vectors }),
      warnings: words.warnings,
      bytes:
        words.bytes +
        (vectors === undefined ? 0 : vectorMemory({ rows: manifest.counts?.windows ?? docs.rows, dim })),
      rebuilt: async (model, dim) => {
        const key = JSON.stringify([model, dim])
        const opening = others.get(key) ?? openRebuilt(location, model, dim)
        others.set(key, opening)
        const found = await opening.catch((thrown: unknown) => {
          others.delete(key)
          throw thrown
        })
        // Absence is not cached: another process may be rebuilding.
        if (found === undefined) others.delete(key)
        return found
      },
      rebuild: (embedder, signal, watch) => {
        const progress = (done: number, total: number) => watch('embed', done, total)
        return rebuildVectors({ root, clock, digest, packet: { manifest, docs }, embedder, signal, progress })
      },
      close: () => {
        vectors?.close()
        void words.close().catch(() => {})
        // An index that failed to open was reported by the call that needed it.
        for (const other of others.values()) other.then((one) => one?.close()).catch(() => {})
      },
    }
  }
