import { basename, dirname, join, resolve } from 'node:path'
import { packetRoot } from '../../app/config/packet-root.ts'
import { VERSION } from '../../app/config/version.ts'
import { closeEmbedders, embedderForBuild } from '../../app/open/embedders.ts'
import type { Fault } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import { plural } from '../../kernel/text/plural.ts'
import { UnparsedFiles } from '../../kernel/text/unparsed-files.ts'
import { type BuildOptions, PacketBuilder } from '../../packets/build/build.ts'
import type { PackedSource } from '../../packets/build/build-records.ts'
import { CHUNK_SIZES } from '../../packets/build/chunk.ts'
import type { PacketOutput } from '../../packets/build/packet-output.ts'
import { type Embedder, WORDS_ONLY } from '../../packets/embed.ts'
import { type Lock, readLock } from '../../packets/format/lockfile.ts'
import { checkPacketName, versionTag } from '../../packets/format/reference.ts'
import { replaceStoreFile } from '../../platform/packets/drafts.ts'
import { draftPacket, packetFolder, recoverPacket } from '../../platform/packets/folder.ts'
import { knownVectors } from '../../platform/packets/known-vectors.ts'
import { EMPTY_FILE, readEachSource } from '../../platform/packets/source.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { readCount, requireWritable, type Subcommand, textFlag } from '../command/subcommand.ts'
import { withProgress } from '../progress.ts'
import {
  embedSettings,
  listFlag,
  NO_ABORT,
  needText,
  packetSettings,
  printResult,
  progressJob,
} from './settings.ts'

/** A file that is not in the packet. */
interface SkippedFile {
  readonly path: string
  readonly why: string
}

/** What a file of the folder became. */
type PackedFile = Pick<PackedSource, 'path' | 'chunks' | 'split'>

const MAX_REPORTED = 10

const SPLITS = { structure: 'by sections or declarations', lines: 'by lines' }

/** One line: how the files were split, and how many were left out. Undefined when all of them became the same. */
const packedSummary = (files: readonly PackedFile[], skipped: readonly SkippedFile[]): string | undefined => {
  const parts = (['structure', 'lines'] as const).flatMap((split) => {
    const some = files.filter((one) => one.split === split)
    return some.length === 0 ? [] : [`${plural(some.length, 'file')} split ${SPLITS[split]}`]
  })
  const rest = skipped.length > 0 ? [`${skipped.length} left out`] : []
  return parts.length + rest.length > 1 ? [...parts, ...rest].join(', ') : undefined
}

/** A line for each file: its chunks, or why it is not in the packet. */
const packedLines = (files: readonly PackedFile[], skipped: readonly SkippedFile[]): readonly string[] =>
  [
    ...files.map(({ path, chunks, split }) => ({
      path,
      what: `${plural(chunks, 'chunk')} ${SPLITS[split]}`,
    })),
    ...skipped.map(({ path, why }) => ({ path, what: `left out: ${why}` })),
  ]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, what }) => `${escapeLineBreaks(path)}  ${escapeLineBreaks(what)}`)

/**
 * Reports skipped files on stderr: a packet that lacks files of its folder is no error, but the user should
 * know.
 */
const reportSkipped = ({ json, terminal, flags }: Invocation, skipped: readonly SkippedFile[]): void => {
  if (json || flags.verbose) return
  // Empty files are common in some languages, and would take the place of those that a reader misses.
  const missed = skipped.filter(({ why }) => why !== EMPTY_FILE)
  for (const { path, why } of missed.slice(0, MAX_REPORTED))
    terminal.printError(`left out: ${escapeLineBreaks(path)} ${why}`)
  const more = missed.length - MAX_REPORTED
  if (more > 0) terminal.printError(`left out: ${more} more; --verbose and --json list them`)
}

const LOCK_FILE = 'packet.lock.json'

/** The `created_at` of reproducible builds. */
const createdAt = ({ SOURCE_DATE_EPOCH }: NodeJS.ProcessEnv): string | undefined =>
  SOURCE_DATE_EPOCH !== undefined && /^\d{1,11}$/.test(SOURCE_DATE_EPOCH)
    ? new Date(Number(SOURCE_DATE_EPOCH) * 1000).toISOString().replace('Z', '000Z')
    : undefined

const lockMode = ({ flags }: Invocation): 'keep' | 'update' | 'frozen' => {
  const { 'update-lock': update, 'frozen-lockfile': frozen } = flags
  if (update && frozen) throw usageFaults.option('--update-lock and --frozen-lockfile exclude each other')
  return update ? 'update' : frozen ? 'frozen' : 'keep'
}

/** The lock of the build: in the packet, or the file of `--lockfile`, kept with the sources. */
export const readBuildLock = async (invocation: Invocation, folder: string): Promise<Lock | undefined> => {
  const path = resolve(textFlag(invocation, 'lockfile') ?? join(folder, LOCK_FILE))
  const file = await packetFolder(dirname(path))(basename(path))
  return file === undefined ? undefined : readLock(await file.read(0, file.size))
}

type BuiltPacket = Awaited<ReturnType<PacketBuilder['finish']>>

/** The embedder failed. The packet is kept without vectors, unless an earlier build has them. */
const keepDocuments = async (
  invocation: Invocation,
  folder: string,
  commit: () => Promise<void>,
  failure: Fault,
): Promise<number> => {
  const before = (await packetFolder(folder)('faiss/index.faiss')) !== undefined
  if (!before) await commit()
  const note = before ? 'the earlier build stays as it was' : 'the packet has documents and no vectors'
  const { message: build_error, fix } = failure
  const answer = { ok: false, folder, build_status: 'embedding_failed', build_error, hint: fix }
  if (invocation.json) invocation.terminal.print(JSON.stringify(answer))
  else invocation.terminal.printError(`${folder}: ${build_error}; ${note}. ${fix}`)
  return 1
}

/** Labels of a packet, which do not affect the search. */
const readLabels = (invocation: Invocation) => {
  const [os, arch, capabilities] = ['os', 'arch', 'capabilities'].map((flag) => listFlag(invocation, flag))
  const [description, kind, oldest] = ['description', 'kind', 'min-version'].map((flag) =>
    textFlag(invocation, flag),
  )
  const made = createdAt(process.env)
  const compat = optional({ os, arch, cpm_min_version: oldest || undefined })
  return {
    ...optional({ description, kind, capabilities }),
    ...(Object.keys(compat).length > 0 && { compat }),
    ...optional({ createdAt: made }),
  }
}

const countOr = (invocation: Invocation, name: string, fallback: number): number => {
  const text = textFlag(invocation, name)
  return text === undefined ? fallback : readCount(text, `--${name}`)
}

const readChunkSizes = (invocation: Invocation) => ({
  lines: countOr(invocation, 'lines-per-chunk', CHUNK_SIZES.lines),
  overlap: countOr(invocation, 'overlap-lines', CHUNK_SIZES.overlap),
})

/** Such a packet has other passages than one that is built with the grammar, from the same files. */
const reportUnparsed = ({ json, terminal }: Invocation, unparsed: UnparsedFiles): void => {
  if (json) return
  for (const { language, title, install } of unparsed.languages())
    terminal.printError(
      `split by lines, not by declarations: ${title}, because the grammar of ${language} is not installed; run \`${install}\` and build again`,
    )
}

/** Reads the sources into the packet, then makes its vectors. */
const fillPacket = async (
  invocation: Invocation,
  { from, skipped, unparsed }: BuildReports & { readonly from: string },
  options: BuildOptions,
  output: PacketOutput,
): Promise<BuiltPacket> => {
  const builder = new PacketBuilder(options, output)
  await withProgress(progressJob(invocation, 'read', 'files'), async (show) =>
    readEachSource(from, (file) => builder.add(file), {
      progress: (count) => show(count, 0),
      onSkipped: (path, why) => skipped.push({ path, why }),
      unparsed,
    }),
  )
  return withProgress(progressJob(invocation, 'embed', 'windows'), (show) => builder.finish(NO_ABORT, show))
}

interface BuildReports {
  readonly skipped: SkippedFile[]
  readonly unparsed: UnparsedFiles
}

const reportBuild = (
  invocation: Invocation,
  { skipped, unparsed }: BuildReports,
  { folder, embedder }: { readonly folder: string; readonly embedder: Embedder },
  { sources, chunks, embedded }: BuiltPacket,
): number => {
  const listed = invocation.flags.verbose ? packedLines(sources, skipped) : []
  const summary = packedSummary(sources, skipped)
  reportSkipped(invocation, skipped)
  reportUnparsed(invocation, unparsed)
  return printResult(
    invocation,
    {
      folder,
      files: sources.length,
      chunks,
      embedded,
      model: embedder.model,
      sources: sources.map(({ path, chunks: count, split }) => ({ path, chunks: count, split })),
      left_out: skipped,
      ...(unparsed.languages().length > 0 && { unparsed: unparsed.languages() }),
    },
    [
      ...listed,
      `${folder}: ${plural(chunks, 'chunk')} of ${plural(sources.length, 'file')}, ${embedder.model}`,
      ...(summary === undefined ? [] : [summary]),
    ].join('\n'),
  )
}

export const build: Subcommand = async (invocation, [source]) => {
  requireWritable(packetSettings(invocation).config, '`warrant packet build`')
  const name = needText(textFlag(invocation, 'name'), 'the packet with --name')
  const version = needText(textFlag(invocation, 'version'), 'its version with --version')
  const folder = join(
    resolve(textFlag(invocation, 'out') ?? 'dist'),
    checkPacketName(name),
    versionTag(version),
  )
  const { config } = await embedSettings(invocation)
  const embedder = embedderForBuild(config, packetRoot(config))
  const from = resolve(needText(source, 'the folder to pack'))
  const reports: BuildReports = { skipped: [], unparsed: new UnparsedFiles() }
  await recoverPacket(folder)
  const held = await readBuildLock(invocation, folder)
  const options = {
    name,
    version,
    builderVersion: VERSION,
    embedder,
    sizes: readChunkSizes(invocation),
    ...readLabels(invocation),
    ...optional({ held }),
    lock: lockMode(invocation),
  }
  const known = embedder === WORDS_ONLY ? undefined : await knownVectors(folder, embedder.model)
  const { output, commit, discard } = await draftPacket(folder)
  try {
    const packet = await fillPacket(
      invocation,
      { from, ...reports },
      { ...options, ...optional({ known }) },
      output,
    )
    if (packet.failure !== undefined) return await keepDocuments(invocation, folder, commit, packet.failure)
    await commit()
    const lockfile = textFlag(invocation, 'lockfile')
    if (lockfile !== undefined)
      // Durable: it is the operator's file and gets committed.
      await replaceStoreFile(resolve(lockfile), packet.lock, { durable: true })
    return reportBuild(invocation, reports, { folder, embedder }, packet)
  } finally {
    await discard()
    await known?.close()
    await closeEmbedders()
  }
}
