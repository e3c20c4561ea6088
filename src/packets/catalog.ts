import { canonicalJson } from '../kernel/canonical.ts'
import { digestBytes } from '../kernel/hash.ts'
import { MANIFEST_TYPE, writeDescriptor } from './artifact.ts'
import { packetFaults } from './faults.ts'
import { memorySource } from './format/faiss.ts'
import type { Manifest } from './format/manifest.ts'
import { checkName, pinnedUri, type Reference, versionTag } from './format/reference.ts'
import { compareVersions } from './format/version.ts'
import type { RegistryWriter } from './registry.ts'

const CATALOG_TYPE = 'application/vnd.cpm.catalog.v1+jsonl'
const CATALOG_FILE = 'cpm-catalog.jsonl'
const CONFIG = Buffer.from('{}')

/** One packet of a catalog, with an address that works from anywhere. */
export interface CatalogRow {
  readonly name: string
  readonly version: string
  readonly tag: string
  readonly source_uri: string
  readonly kind: string
  readonly entrypoints: readonly string[]
  readonly capabilities: readonly string[]
}

export const catalogRow = ({ cpm }: Manifest, registry: string): CatalogRow => {
  const { name = '', version = '', kind, entrypoints, capabilities } = cpm ?? {}
  const place = registry.replace(/^(?:oci:\/\/)+/, '').replace(/\/+$/, '')
  const tag = versionTag(version)
  return {
    name: checkName(name),
    version,
    tag,
    source_uri: `oci://${place}/${name}:${tag}`,
    kind: kind ?? '',
    entrypoints: (entrypoints ?? []).map((one) => (typeof one === 'string' ? one : one.name)),
    capabilities: capabilities ?? [],
  }
}

/** A line for each packet: names in order, the newest version first. */
export const writeCatalog = (rows: readonly CatalogRow[]): Uint8Array => {
  if (rows.length === 0) throw packetFaults.no_sources('there are no built packets in this folder')
  const ordered = [...rows].sort((a, b) =>
    a.name === b.name ? compareVersions(b.version, a.version) : a.name < b.name ? -1 : 1,
  )
  return Buffer.from(ordered.map((row) => `${JSON.stringify(row)}\n`).join(''))
}

/** Puts a catalog on a registry, as an artifact of one file. */
export const publishCatalog = async (
  registry: RegistryWriter,
  at: Reference,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<string> => {
  const config = { mediaType: 'application/vnd.oci.empty.v1+json', digest: digestBytes(CONFIG), size: 2 }
  const layer = writeDescriptor(CATALOG_TYPE, digestBytes(bytes), bytes.length, CATALOG_FILE)
  for (const part of [CONFIG, bytes])
    await registry.pushBlob(at, { digest: digestBytes(part), size: part.length }, memorySource(part), signal)
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
