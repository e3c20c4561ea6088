import { dirname, join } from 'node:path'
import { runYielding } from '../../kernel/async/cooperative.ts'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { Fault } from '../../kernel/fault.ts'
import type { Clock } from '../../kernel/ports.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import type { OpenPacket } from '../../packets/ask/retrieve.ts'
import { fingerprint } from '../../packets/build/fingerprint.ts'
import { packetFaults } from '../../packets/faults.ts'
import { DocTable } from '../../packets/format/docs.ts'
import { type Manifest, readManifest } from '../../packets/format/manifest.ts'
import { safeName } from '../../packets/format/reference.ts'
import { LexicalIndex } from '../../packets/search/lexical.ts'
import { packTask, unpackLexicalIndex } from '../../packets/search/lexical-cache.ts'
import type { VectorIndex } from '../../packets/search/vector-index.ts'
import { openAsyncJail, readRegularFile } from '../jail/async.ts'
import { diskFaults, replaceStoreFile } from './drafts.ts'
import { openOwnVectors, openRebuilt, rebuildVectors } from './packet-vectors.ts'
import { MAX_PAYLOAD_FILE, Payload } from './payload.ts'
import { type OpenVectors, openVectors } from './vector-file.ts'

/** Indexes are opened without a checksum: a crash must not leave one with missing bytes. */
const UNCHECKED = { durable: true }
/** Bytes of the statistics of a quantized row. */
const ROW_FACTS = 12

const openDocs = async (payload: Payload, manifest: Manifest): Promise<DocTable> => {
  const path = manifest.files?.docs ?? 'docs.jsonl'
  const size = (await payload.size(path)) ?? 0
  if (size > MAX_PAYLOAD_FILE) throw packetFaults.too_large(`docs.jsonl has ${size} bytes`)
  const bytes = await payload.read(path)
  if (bytes === undefined) throw packetFaults.no_docs('unable to generate index from docs.jsonl')
  const docs = await DocTable.open(bytes)
  const promised = manifest.counts?.docs
  if (promised !== undefined && promised !== docs.rows)
    throw packetFaults.docs(`docs.jsonl has ${docs.rows} chunks, the manifest says ${promised}`)
  return docs
}

const readLexical = async (payload: Payload, docs: DocTable) => {
  const texts = function* () {
    for (const { text } of docs) yield text
  }
  const makeWords = () => runYielding(LexicalIndex.buildTask(texts()))
  const bytes = await payload.read('sparse/bm25.json')
  if (bytes === undefined)
    return { lexical: await makeWords(), warnings: ['sparse_index_missing_fallback_runtime'] }
  try {
    return { lexical: await runYielding(LexicalIndex.readTask(bytes, docs.rows)), warnings: [] }
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    return { lexical: await makeWords(), warnings: ['sparse_index_invalid_fallback_runtime'] }
  }
}

/** Opens the lexical index, from its binary cache when there is one. */
const openLexical = async (payload: Payload, place: string, docs: DocTable) => {
  const path = join(place, 'words.bin')
  const bytes = await readRegularFile(path, MAX_PAYLOAD_FILE).catch(() => undefined)
  const kept = unpackLexicalIndex(bytes ?? new Uint8Array(), docs.rows)
  if (kept !== undefined) return { lexical: kept, warnings: [] }
  const found = await readLexical(payload, docs)
  // Only an index of the packet is cached: with a fallback the warning must be repeated.
  if (found.warnings.length === 0)
    await replaceStoreFile(path, await runYielding(packTask(found.lexical)), UNCHECKED).catch(() => {})
  return found
}

export const packetReader =
  (root: string, clock: Clock, open: OpenVectors = (files, shape) => openVectors(files, shape, clock)) =>
  async (digest: Digest, folder: string): Promise<OpenPacket> => {
    // In read-only mode the indexes are kept elsewhere than the packet.
    const jail = openAsyncJail(isPathInside(root, folder) ? root : dirname(dirname(folder)))
    const payload = new Payload(jail, folder)
    const bytes = await payload.read('manifest.json')
    if (bytes === undefined) throw diskFaults.absent('the packet has no manifest.json')
    const manifest = readManifest(bytes)
    const docs = await openDocs(payload, manifest)
    const place = join(root, 'index', safeName(digest), fingerprint(manifest))
    const { lexical, warnings } = await openLexical(payload, place, docs)
    const { dim } = manifest.embedding
    const location = { root, digest, manifest, rows: docs.rows, open }
    const vectors = await openOwnVectors(payload, place, location)
    const others = new Map<string, Promise<VectorIndex | undefined>>()
    return {
      manifest,
      docs,
      lexical,
      ...(vectors !== undefined && { vectors }),
      warnings,
      bytes:
        docs.bytes +
        lexical.bytes +
        (vectors === undefined ? 0 : (manifest.counts?.windows ?? docs.rows) * (dim + ROW_FACTS)),
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
        // An index that failed to open was reported by the call that needed it.
        for (const other of others.values()) other.then((one) => one?.close()).catch(() => {})
      },
    }
  }
