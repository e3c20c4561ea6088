import * as z from 'zod'
import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import type { MetadataCache } from '../cache.ts'
import { packetFaults } from '../faults.ts'
import { type Descriptor, MANIFEST_TYPE, readArtifact, writeDescriptor } from '../format/artifact.ts'
import { memorySource } from '../format/faiss.ts'
import { readJson } from '../format/json-bytes.ts'
import type { Manifest } from '../format/manifest.ts'
import {
  checkPacketName,
  parseReference,
  pinnedUri,
  type Reference,
  sourceUri,
  versionTag,
} from '../format/reference.ts'
import { compareVersions } from '../format/version.ts'
import type { RegistryReader, RegistryWriter } from '../registry.ts'
import type { PolicyGuard } from '../trust/policy-guard.ts'
import { collectBytes, verifyBytes } from '../verify-stream.ts'

const CATALOG_TYPE = 'application/vnd.cpm.catalog.v1+jsonl'
const CATALOG_FILE = 'cpm-catalog.jsonl'
const CONFIG = Buffer.from('{}')
const MAX_CATALOG = 16 * 1024 * 1024
const MAX_LINE = 64 * 1024

const MAX_ROWS = 100_000
const word = z.string().max(512)
const words = z.array(word).max(100).readonly()

/** One packet of a catalog; `source_uri` has the registry in it. */
const CatalogRow = z.object({
  name: word.min(1),
  version: word.min(1),
  tag: word,
  source_uri: word,
  kind: word.nullish().transform((kind) => kind ?? ''),
  entrypoints: words.nullish().transform((list) => list ?? []),
  capabilities: words.nullish().transform((list) => list ?? []),
})
export type CatalogRow = Readonly<z.infer<typeof CatalogRow>>

export const catalogRow = ({ cpm }: Manifest, registry: string): CatalogRow => {
  const { name = '', version = '', kind, entrypoints, capabilities } = cpm ?? {}
  const place = registry.replace(/^(?:oci:\/\/)+/, '').replace(/\/+$/, '')
  const tag = versionTag(version)
  return {
    name: checkPacketName(name),
    version,
    tag,
    source_uri: `oci://${place}/${name}:${tag}`,
    kind: kind ?? '',
    entrypoints: (entrypoints ?? []).map((one) => (typeof one === 'string' ? one : one.name)),
    capabilities: capabilities ?? [],
  }
}

/** Sorted by name, the newest version first. */
const inOrder = (rows: readonly CatalogRow[]): readonly CatalogRow[] =>
  [...rows].sort((a, b) =>
    a.name === b.name ? compareVersions(b.version, a.version) : a.name < b.name ? -1 : 1,
  )

/** The catalog as JSON lines. */
export const writeCatalog = (rows: readonly CatalogRow[]): Uint8Array => {
  if (rows.length === 0)
    throw packetFaults.no_sources('the folder has no built packets', {
      fix: 'Name the folder that `warrant packet build` writes to.',
    })
  const ordered = inOrder(rows)
  return Buffer.from(ordered.map((row) => `${JSON.stringify(row)}\n`).join(''))
}

/** The address of a row. Catalogs of older tools lack the registry; then the configured one is used. */
const rowAddress = (row: CatalogRow, registry: string | undefined): string => {
  try {
    parseReference(row.source_uri)
    return row.source_uri
  } catch {
    const address = sourceUri({ name: row.name, version: row.tag || row.version, registry })
    if (address === undefined) throw packetFaults.catalog(`no registry is configured for ${row.name}`)
    return address
  }
}

/**
 * Reads the lines of a catalog. One bad line fails the whole catalog: a result with a packet missing would look
 * complete.
 */
export const readCatalog = (bytes: Uint8Array, registry: string | undefined): readonly CatalogRow[] => {
  const lines = Buffer.from(bytes).toString('utf8').split('\n')
  if (lines.length > MAX_ROWS) throw packetFaults.catalog(`the catalog has more than ${MAX_ROWS} lines`)
  return lines.flatMap((line, i) => {
    if (line.trim() === '') return []
    const value = readJson(Buffer.from(line), `line ${i + 1} of the catalog`, MAX_LINE, packetFaults.catalog)
    const row = CatalogRow.safeParse(value)
    if (!row.success) throw packetFaults.catalog(`line ${i + 1} of the catalog is not a valid packet row`)
    return [{ ...row.data, source_uri: rowAddress(row.data, registry) }]
  })
}

interface CatalogFilter {
  readonly name?: string | undefined
  readonly kind?: string | undefined
  readonly entrypoint?: string | undefined
  readonly capability?: string | readonly string[] | undefined
}

/**
 * The rows of a name, the newest first; without a name, the newest row of every packet that matches. Rows only
 * save requests: the packet's own metadata decides.
 */
export const findCatalogRows = (
  rows: readonly CatalogRow[],
  { capability = [], ...filter }: CatalogFilter,
): readonly CatalogRow[] => {
  const [name, kind, entrypoint] = [filter.name, filter.kind, filter.entrypoint].map((one) => one?.trim())
  const wanted = (typeof capability === 'string' ? capability.split(',') : capability)
    .map((one) => one.trim())
    .filter((one) => one !== '')
  if (!name && !kind && !entrypoint && wanted.length === 0) return []
  const fits = (row: CatalogRow) =>
    (!name || row.name === name) &&
    (!kind || row.kind === kind) &&
    (!entrypoint || row.entrypoints.includes(entrypoint)) &&
    wanted.every((one) => row.capabilities.includes(one))
  const found = inOrder(rows.filter(fits))
  return name ? found : found.filter((row, i) => row.name !== found[i - 1]?.name)
}

export interface CatalogPorts {
  readonly registry: RegistryReader
  readonly cache: MetadataCache
  readonly guard: PolicyGuard
}

const isCatalog = ({ mediaType, annotations }: Descriptor): boolean =>
  mediaType === CATALOG_TYPE || annotations['org.opencontainers.image.title'] === CATALOG_FILE

/**
 * Fetches the lines of a catalog from a registry, or takes them from the cache until its tag may have moved.
 */
export const fetchCatalog = async (
  { registry, cache, guard }: CatalogPorts,
  uri: string,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const ref = parseReference(uri)
  await guard.checkSource(ref, false)
  const known = ref.digest ?? (await cache.alias(uri))?.digests[0]
  const kept = known === undefined ? undefined : await cache.catalog(known)
  if (kept !== undefined) return kept
  const { digest, bytes } = await registry.resolve(ref, signal)
  const document = readArtifact(bytes)
  const layer = document.kind === 'artifact' ? document.artifact.layers.find(isCatalog) : undefined
  if (layer === undefined) throw packetFaults.catalog('the reference is not a catalog')
  if (layer.size > MAX_CATALOG) throw packetFaults.too_large(`the catalog has ${layer.size} bytes`)
  const lines = await collectBytes(verifyBytes(registry.stream(ref, layer, signal), layer))
  await cache.keepCatalog(digest, lines)
  await cache.keepAlias(uri, { digests: [digest], warnings: [] })
  return lines
}

/** Publishes a catalog as an artifact with one file. */
export const publishCatalog = async (
  registry: RegistryWriter,
  at: Reference,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<string> => {
  const config = { mediaType: 'application/vnd.oci.empty.v1+json', digest: digestBytes(CONFIG), size: 2 }
  const layer = writeDescriptor(CATALOG_TYPE, digestBytes(bytes), bytes.length, CATALOG_FILE)
  for (const part of [CONFIG, bytes])
    await registry.pushBlob({
      at,
      blob: { digest: digestBytes(part), size: part.length },
      source: memorySource(part),
      signal,
    })
  const manifest = Buffer.from(
    canonicalJson({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      artifactType: CATALOG_TYPE,
      config: { ...config, data: CONFIG.toString('base64') },
      layers: [layer],
    }),
  )
  await registry.pushManifest(at, at.tag ?? 'latest', manifest, signal)
  return pinnedUri(at, digestBytes(manifest))
}
