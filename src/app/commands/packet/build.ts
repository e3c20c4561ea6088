import { basename, dirname, join, resolve } from 'node:path'
import type { Fault } from '../../../kernel/fault.ts'
import { UnparsedFiles } from '../../../kernel/text/unparsed-files.ts'
import { type BuildOptions, buildPacket, type SourceFile } from '../../../packets/build/build.ts'
import { CHUNK_SIZES } from '../../../packets/build/chunk.ts'
import { WORDS_ONLY } from '../../../packets/embed.ts'
import { type Lock, readLock } from '../../../packets/format/lockfile.ts'
import { checkPacketName, versionTag } from '../../../packets/format/reference.ts'
import { replaceStoreFile } from '../../../platform/packets/drafts.ts'
import { knownVectors, packetFolder, recoverPacket, writePacket } from '../../../platform/packets/folder.ts'
import { readSources } from '../../../platform/packets/source.ts'
import { type Invocation, usageFaults } from '../../../surfaces/cli/command.ts'
import { readCount, type Subcommand, textFlag } from '../../../surfaces/cli/subcommand.ts'
import { VERSION } from '../../config/version.ts'
import { closeEmbedders } from '../../open/embedders.ts'
import { withProgress } from '../progress.ts'
import { requireWritable } from '../require-writable.ts'
import { packedFiles, packedLines, packedSummary, reportSkipped } from './build-report.ts'
import { openBuildEmbedder } from './model-ports.ts'
import {
  embedSettings,
  listFlag,
  NO_ABORT,
  needText,
  packetSettings,
  printResult,
  progressJob,
} from './settings.ts'

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

/** The embedder failed. The packet is written without vectors, unless an earlier build has them. */
const keepDocuments = async (
  invocation: Invocation,
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
  failure: Fault,
): Promise<number> => {
  const before = (await packetFolder(folder)('faiss/index.faiss')) !== undefined
  if (!before) await writePacket(folder, files)
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
  const compat = { ...(os && { os }), ...(arch && { arch }), ...(oldest && { cpm_min_version: oldest }) }
  return {
    ...(description !== undefined && { description }),
    ...(kind !== undefined && { kind }),
    ...(capabilities !== undefined && { capabilities }),
    ...(Object.keys(compat).length > 0 && { compat }),
    ...(made !== undefined && { createdAt: made }),
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

const makePacket = (
  invocation: Invocation,
  files: readonly SourceFile[],
  options: Omit<BuildOptions, 'progress'>,
) =>
  withProgress(progressJob(invocation, 'embed', 'windows'), (progress) =>
    buildPacket(files, { ...options, progress }, NO_ABORT),
  ).finally(closeEmbedders)

/** Such a packet has other passages than one that is built with the grammar, from the same files. */
const reportUnparsed = ({ json, terminal }: Invocation, unparsed: UnparsedFiles): void => {
  if (json) return
  for (const { language, title, install } of unparsed.languages())
    terminal.printError(
      `split by lines, not by declarations: ${title}, because the grammar of ${language} is not installed; run \`${install}\` and build again`,
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
  const embedder = await openBuildEmbedder(invocation, (await embedSettings(invocation)).config)
  const { model } = embedder
  const from = resolve(needText(source, 'the folder to pack'))
  const skipped: { readonly path: string; readonly why: string }[] = []
  const unparsed = new UnparsedFiles()
  const files = await withProgress(progressJob(invocation, 'read', 'files'), (show) =>
    readSources(from, {
      progress: (count) => show(count, 0),
      onSkipped: (path, why) => skipped.push({ path, why }),
      unparsed,
    }),
  )
  await recoverPacket(folder)
  const held = await readBuildLock(invocation, folder)
  const packet = await makePacket(invocation, files, {
    name,
    version,
    builderVersion: VERSION,
    embedder,
    sizes: readChunkSizes(invocation),
    ...readLabels(invocation),
    ...(embedder !== WORDS_ONLY && { known: await knownVectors(folder, model) }),
    ...(held !== undefined && { held }),
    lock: lockMode(invocation),
  })
  if (packet.failure !== undefined) return keepDocuments(invocation, folder, packet.files, packet.failure)
  await writePacket(folder, packet.files)
  const lockfile = textFlag(invocation, 'lockfile')
  const lock = packet.files.get(LOCK_FILE)
  if (lockfile !== undefined && lock !== undefined)
    // Durable: it is the operator's file and gets committed.
    await replaceStoreFile(resolve(lockfile), lock, { durable: true })
  const { chunks, embedded } = packet
  const packed = packedFiles(files, packet.chunksOf)
  const listed = invocation.flags.verbose ? packedLines(packed, skipped) : []
  const summary = packedSummary(packed, skipped)
  reportSkipped(invocation, skipped)
  reportUnparsed(invocation, unparsed)
  return printResult(
    invocation,
    {
      folder,
      files: files.length,
      chunks,
      embedded,
      model,
      sources: packed,
      left_out: skipped,
      ...(unparsed.languages().length > 0 && { unparsed: unparsed.languages() }),
      ...(embedder.warnings?.length && { warnings: embedder.warnings }),
    },
    [
      ...listed,
      `${folder}: ${chunks} chunks of ${files.length} files, ${model}`,
      ...(summary === undefined ? [] : [summary]),
    ].join('\n'),
  )
}
