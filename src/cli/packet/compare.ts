import { resolve } from 'node:path'
import { openRegistry } from '../../app/open/registry.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import { type CatalogRow, catalogRow, publishCatalog, writeCatalog } from '../../packets/ask/catalog.ts'
import { type DiffSide, diffPackets } from '../../packets/build/diff.ts'
import { DocTable } from '../../packets/format/docs.ts'
import { readManifest } from '../../packets/format/manifest.ts'
import { parseReference } from '../../packets/format/reference.ts'
import { readVectors } from '../../packets/format/vectors.ts'
import { builtPackets, packetFolder } from '../../platform/packets/folder.ts'
import { OciPusher } from '../../platform/registry/push.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { requireWritable, type Subcommand, textFlag } from '../command/subcommand.ts'
import { NO_ABORT, needText, packetSettings } from './settings.ts'
import { packetPath } from './show.ts'

const readPart = async (folder: string, path: string): Promise<Uint8Array | undefined> => {
  const file = await packetFolder(folder)(path)
  return file === undefined ? undefined : file.read(0, file.size)
}

const openSide = async (invocation: Invocation, asked: string): Promise<DiffSide> => {
  const folder = await packetPath(invocation, asked)
  const [bytes, docs, halves] = await Promise.all(
    ['manifest.json', 'docs.jsonl', 'vectors.f16.bin'].map((path) => readPart(folder, path)),
  )
  if (bytes === undefined) throw usageFaults.argument(`${asked} has no manifest.json; name a packet`)
  const manifest = readManifest(bytes)
  const { dim } = manifest.embedding
  return {
    manifest,
    docs: docs === undefined ? [] : new DocTable(docs),
    ...(halves !== undefined && dim > 0 && { vectors: readVectors(halves, dim) }),
  }
}

/** Compares two packets: folders, or digests that were fetched. */
export const diff: Subcommand = async (invocation, [first, second]) => {
  const limit = Number(textFlag(invocation, 'max-drift') ?? Number.POSITIVE_INFINITY)
  if (Number.isNaN(limit)) throw usageFaults.option('--max-drift takes a number')
  const found = diffPackets(
    await openSide(invocation, needText(first, 'two packets')),
    await openSide(invocation, needText(second, 'a second packet')),
  )
  const { chunks, files, drift, versions, models } = found
  // Vectors that cannot be compared fail any limit.
  const ok = limit === Number.POSITIVE_INFINITY || (drift !== null && drift <= limit)
  const lines = [
    `version ${versions.join(' → ')}, model ${models.join(' → ')}, drift ${drift ?? 'not comparable'}`,
    `chunks: ${chunks.added} added, ${chunks.removed} removed, ${chunks.kept} kept`,
    ...files.added.map((path) => `+ ${path}`),
    ...files.removed.map((path) => `- ${path}`),
    ...files.changed.map((path) => `~ ${path}`),
  ]
  invocation.terminal.print(
    invocation.json ? JSON.stringify({ ok, ...found }) : lines.map(escapeLineBreaks).join('\n'),
  )
  return ok ? 0 : 1
}

/** Lists the packets in a folder, and publishes the list with --publish-ref. */
export const catalog: Subcommand = async (invocation, [folder = 'dist']) => {
  const { config } = packetSettings(invocation)
  const target = textFlag(invocation, 'publish-ref')
  if (target !== undefined) requireWritable(config, '--publish-ref')
  const registry = needText(config.registry, 'a registry with --registry or REGISTRY')
  const rows: CatalogRow[] = []
  for (const built of await builtPackets(resolve(folder))) {
    const bytes = await readPart(built, 'manifest.json')
    if (bytes !== undefined) rows.push(catalogRow(readManifest(bytes), registry))
  }
  const bytes = writeCatalog(rows)
  const pinned =
    target === undefined
      ? undefined
      : await publishCatalog(
          new OciPusher(openRegistry(config, process.env, [target])),
          parseReference(target),
          bytes,
          NO_ABORT,
        )
  if (invocation.json)
    invocation.terminal.print(JSON.stringify({ ok: true, rows, ...(pinned && { pinned_uri: pinned }) }))
  else invocation.terminal.print(pinned ?? Buffer.from(bytes).toString('utf8').trimEnd())
  return 0
}
