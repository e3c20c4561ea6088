import { join, resolve } from 'node:path'
import type { Digest } from '../../kernel/digest.ts'
import type { Fault } from '../../kernel/fault.ts'
import { buildPacket } from '../../packets/build.ts'
import { readLock } from '../../packets/format/lock.ts'
import { parseReference, sourceUri, versionTag } from '../../packets/format/reference.ts'
import { Guard } from '../../packets/guard.ts'
import { publishPacket } from '../../packets/publish.ts'
import { pullPacket } from '../../packets/pull.ts'
import { LOCAL_MODEL } from '../../packets/search/local-embedder.ts'
import { systemClock } from '../../platform/clock.ts'
import { metadataCache } from '../../platform/packet-cache.ts'
import { knownVectors, packetFolder, writePacket } from '../../platform/packet-folder.ts'
import { packetPolicy } from '../../platform/packet-policy.ts'
import { packetReader, rebuildVectors } from '../../platform/packet-reader.ts'
import { readSources } from '../../platform/packet-source.ts'
import { packetStore } from '../../platform/packet-store.ts'
import { type Invocation, usageFaults } from '../../surfaces/cli/command.ts'
import type { Verb } from '../../surfaces/cli/subcommand.ts'
import type { Config } from '../config.ts'
import { embedderFor, registryHere } from '../open-packets.ts'
import { needText, packetSettings, progressNotes, textFlag } from '../packet-settings.ts'
import { VERSION } from '../version.ts'

const never = new AbortController().signal
const MAX_PACKET = 16 * 1024 ** 3

const listFlag = (invocation: Invocation, name: string): string[] | undefined =>
  textFlag(invocation, name)
    ?.split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** Reproducible builds say when they count as made. */
const createdAt = ({ SOURCE_DATE_EPOCH }: NodeJS.ProcessEnv): string | undefined =>
  SOURCE_DATE_EPOCH !== undefined && /^\d{1,11}$/.test(SOURCE_DATE_EPOCH)
    ? new Date(Number(SOURCE_DATE_EPOCH) * 1000).toISOString().replace('Z', '000Z')
    : undefined

const print = (invocation: Invocation, value: object, text: string): number => {
  invocation.terminal.print(invocation.json ? JSON.stringify({ ok: true, ...value }) : text)
  return 0
}

const lockMode = ({ flags }: Invocation): 'keep' | 'update' | 'frozen' => {
  const { 'update-lock': update, 'frozen-lockfile': frozen } = flags
  if (update && frozen) throw usageFaults.option('--update-lock and --frozen-lockfile exclude each other')
  return update ? 'update' : frozen ? 'frozen' : 'keep'
}

const heldLock = async (folder: string) => {
  const file = await packetFolder(folder)('packet.lock.json')
  return file === undefined ? undefined : readLock(await file.read(0, file.size))
}

/** The embedder failed: the documents are kept, unless that would cost an earlier build its vectors. */
const keepDocuments = async (
  invocation: Invocation,
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
  failure: Fault,
): Promise<number> => {
  const before = (await packetFolder(folder)('faiss/index.faiss')) !== undefined
  if (!before) await writePacket(folder, files)
  const said = before ? 'the earlier build stays as it was' : 'the packet has documents and no vectors'
  const { message: build_error, fix } = failure
  const answer = { ok: false, folder, build_status: 'embedding_failed', build_error, hint: fix }
  if (invocation.json) invocation.terminal.print(JSON.stringify(answer))
  else invocation.terminal.note(`${folder}: ${build_error}; ${said}. ${fix}`)
  return 1
}

/** Packs a folder: `build SRC --name N --version V --out DIR` writes `DIR/N/V/`. */
export const build: Verb = async (invocation, [source]) => {
  const { config } = packetSettings(invocation)
  const name = needText(textFlag(invocation, 'name'), 'the packet with --name')
  const version = needText(textFlag(invocation, 'version'), 'its version with --version')
  const folder = join(resolve(textFlag(invocation, 'out') ?? 'dist'), name, versionTag(version))
  const model = config.embeddingUrl === undefined ? LOCAL_MODEL : (config.embeddingModel ?? LOCAL_MODEL)
  const embedder = embedderFor(config)(model)
  if (embedder === undefined)
    throw usageFaults.option('there is no embedder; set --embedding-url or leave it out')
  const files = await readSources(resolve(needText(source, 'the folder to pack')))
  const made = createdAt(process.env)
  const held = await heldLock(folder)
  const capabilities = listFlag(invocation, 'capabilities')
  const [description, kind] = [textFlag(invocation, 'description'), textFlag(invocation, 'kind')]
  const packet = await buildPacket(
    files,
    {
      name,
      version,
      builderVersion: VERSION,
      embedder,
      ...(description !== undefined && { description }),
      ...(kind !== undefined && { kind }),
      ...(capabilities !== undefined && { capabilities }),
      ...(made !== undefined && { createdAt: made }),
      // The built-in embedder is faster than looking up what it said.
      ...(model !== LOCAL_MODEL && { known: await knownVectors(folder, model) }),
      ...(held !== undefined && { held }),
      lock: lockMode(invocation),
      progress: progressNotes(invocation, 'embed'),
    },
    never,
  )
  if (packet.failure !== undefined) return keepDocuments(invocation, folder, packet.files, packet.failure)
  await writePacket(folder, packet.files)
  const { chunks, embedded } = packet
  return print(
    invocation,
    { folder, files: files.length, chunks, embedded, model },
    `${folder}: ${chunks} chunks of ${files.length} files, ${model}`,
  )
}

/** Sends a built packet to a registry. */
export const publish: Verb = async (invocation, [folder]) => {
  const { config } = packetSettings(invocation)
  const registry = needText(config.registry, 'a registry with --registry or REGISTRY')
  const { pusher } = registryHere(config, process.env)
  const tags = listFlag(invocation, 'tag')
  const published = await publishPacket(
    pusher,
    packetFolder(resolve(needText(folder, 'the folder of a built packet'))),
    {
      registry,
      minimal: invocation.flags.minimal === true,
      docs: invocation.flags['no-docs'] !== true,
      embeddings: invocation.flags['no-embeddings'] !== true,
      ...(tags !== undefined && { tags }),
      progress: progressNotes(invocation, 'publish'),
    },
    never,
  )
  const { ref, digest, sent, there, pinned_uri } = published
  return print(
    invocation,
    published,
    `${ref}\n${digest} (${sent} sent, ${there} there already)\n${pinned_uri}`,
  )
}

/** Makes vectors of the configured model beside a packet that was fetched. */
const rebuild = async (config: Config, home: string, digest: Digest, folder: string): Promise<void> => {
  const { embeddingUrl, embeddingModel } = config
  const embedder = embeddingModel === undefined ? undefined : embedderFor(config)(embeddingModel)
  if (embeddingUrl === undefined || embedder === undefined)
    throw usageFaults.option('--rebuild needs --embedding-url and --embedding-model')
  const packet = await packetReader(home, systemClock)(digest, folder)
  try {
    // Such packets are always asked with what is built in, so that they need nothing.
    if (packet.manifest.embedding.model === LOCAL_MODEL)
      throw usageFaults.option('a packet of the built-in embedder is not rebuilt; build it with the model')
    await rebuildVectors(
      { root: home, clock: systemClock, embedder, progress: () => {} },
      digest,
      packet,
      never,
    )
  } finally {
    packet.close()
  }
}

/** Fetches a packet, so that it can be asked without a network. */
export const pull: Verb = async (invocation, [ref]) => {
  const { config } = packetSettings(invocation)
  const uri = sourceUri({ ref: needText(ref, 'a packet'), registry: config.registry })
  if (uri === undefined) throw usageFaults.argument('name a registry with --registry, or an oci:// reference')
  const { client } = registryHere(config, process.env)
  const home = resolve(config.root, config.packetRoot)
  const cache = metadataCache(home, systemClock)
  const guard = new Guard({ registry: client, cache, policy: packetPolicy(home) })
  const ports = { registry: client, store: packetStore(home), guard, maxBytes: MAX_PACKET }
  const { digest, folder, warnings } = await pullPacket(ports, parseReference(uri), never)
  if (invocation.flags.rebuild === true) await rebuild(config, home, digest, folder)
  const lines = [...warnings.map((one) => `# ${one}`), digest, folder]
  return print(invocation, { digest, folder, warnings }, lines.join('\n'))
}
