import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { digestBytes } from '../../src/kernel/encoding/hash.ts'
import { OpenPacketCache } from '../../src/packets/ask/open-packet-cache.ts'
import { type BuildOptions, PacketBuilder, type SourceFile } from '../../src/packets/build/build.ts'
import { markdownSpans } from '../../src/packets/build/markdown-sections.ts'
import type { PacketOutput } from '../../src/packets/build/packet-output.ts'
import type { Embedder } from '../../src/packets/embed.ts'
import { memorySource } from '../../src/packets/format/faiss.ts'
import { Packets } from '../../src/packets/packets.ts'
import type { RegistryReader } from '../../src/packets/ports.ts'
import { Downloads } from '../../src/packets/transfer/downloads.ts'
import { type PublishOptions, publishPacket } from '../../src/packets/transfer/publish.ts'
import { OPEN_POLICY } from '../../src/packets/trust/policy.ts'
import { PolicyGuard } from '../../src/packets/trust/policy-guard.ts'
import { metadataCache } from '../../src/platform/packets/cache.ts'
import { packetPolicy } from '../../src/platform/packets/policy.ts'
import { packetReader } from '../../src/platform/packets/reader.ts'
import { verifySigstoreBundle } from '../../src/platform/packets/sigstore.ts'
import { packetStore } from '../../src/platform/packets/store.ts'
import { OciClient } from '../../src/platform/registry/client.ts'
import { DEFAULT_OCI, OciHttp } from '../../src/platform/registry/http.ts'
import { systemClock } from '../../src/platform/system/clock.ts'
import { localEmbedder } from './local-embedder.ts'
import type { MadePacket } from './packet-maker.ts'

export const noAbort = new AbortController().signal

const sourceOf = ([path, text]: readonly [string, string]): SourceFile => ({
  path,
  extension: path.slice(path.lastIndexOf('.')),
  text,
  sha256: digestBytes(text).slice(7),
  spans: path.endsWith('.md') ? markdownSpans(text) : [],
})

/** Files that are written to memory. */
export const memoryOutput = (): PacketOutput & { readonly files: Map<string, Uint8Array> } => {
  const files = new Map<string, Uint8Array>()
  return {
    files,
    create: (path) => {
      const pieces: Uint8Array[] = []
      files.set(path, new Uint8Array())
      return {
        write: (bytes) => pieces.push(Uint8Array.from(bytes)),
        end: () => files.set(path, new Uint8Array(Buffer.concat(pieces))),
      }
    },
    open: (path) => memorySource(files.get(path) as Uint8Array),
    remove: (path) => files.delete(path),
  }
}

/** Builds a packet of texts. */
export const buildTexts = async (
  texts: Readonly<Record<string, string>>,
  options: Partial<BuildOptions> = {},
): Promise<ReadonlyMap<string, Uint8Array>> => {
  const output = memoryOutput()
  const builder = new PacketBuilder(
    { name: 'demo', version: '1.0.0', builderVersion: '0', embedder: localEmbedder, ...options },
    output,
  )
  const sources = Object.entries(texts).map(sourceOf)
  for (const source of sources.sort((a, b) => (a.path < b.path ? -1 : 1))) builder.add(source)
  await builder.finish(noAbort)
  return output.files
}

/** Publishes files into memory, and returns what a registry would have received. */
export const publishToMemory = async (
  files: ReadonlyMap<string, Uint8Array>,
  options: Partial<PublishOptions> = {},
): Promise<MadePacket & { readonly tags: readonly string[] }> => {
  const blobs = new Map<string, Uint8Array>()
  const tags: string[] = []
  let manifest = new Uint8Array() as Uint8Array
  const { digest } = await publishPacket(
    {
      pushBlob: async ({ blob, source }) => {
        blobs.set(blob.digest, await source.read(0, source.size))
        return 'sent'
      },
      pushManifest: async (_, tag, bytes) => {
        tags.push(tag)
        manifest = bytes
        return digestBytes(bytes)
      },
    },
    async (path) => {
      const bytes = files.get(path)
      return bytes === undefined ? undefined : memorySource(bytes)
    },
    { registry: 'r.io/x', ...options },
    noAbort,
  )
  return { digest, manifest, blobs, tags }
}

/** A guard without a policy. */
export const openGuard = (registry: RegistryReader): PolicyGuard =>
  new PolicyGuard({
    registry,
    cache: { trust: async () => undefined, keepTrust: async () => {} },
    policy: async () => OPEN_POLICY,
    verifyBundle: verifySigstoreBundle,
  })

/** Packets as a server opens them: a packet folder, a registry, an embedder. */
export const openTestPackets = (
  root: string,
  host: string,
  embedder: (model: string) => Embedder | undefined = (model) =>
    model === localEmbedder.model ? localEmbedder : undefined,
) => {
  const http = new OciHttp({ ...DEFAULT_OCI, trusted: [host], backoffMs: 1, attempts: 2, requestMs: 3000 })
  const openPackets = new OpenPacketCache({ packets: 4, bytes: 1e9 })
  const open = packetReader(root, systemClock)
  const store = packetStore(root)
  const registry = new OciClient(http)
  const cache = metadataCache(root, systemClock)
  const guard = new PolicyGuard({
    registry,
    cache,
    policy: packetPolicy(root),
    verifyBundle: verifySigstoreBundle,
  })
  const downloads = new Downloads({ registry, store, guard, maxBytes: 1e9 }, () => {})
  const packets = new Packets(
    {
      registry,
      store,
      guard,
      pull: (ref, signal, watch) => downloads.download(ref, signal, watch),
      cache,
      use: (digest, folder, work) => openPackets.use(digest, () => open(digest, folder), work),
      embedder,
      file: (_, folder, path) => readFile(join(folder, path), 'utf8').catch(() => undefined),
    },
    `${host}`,
  )
  return { packets, store, http, close: () => openPackets.close() }
}
