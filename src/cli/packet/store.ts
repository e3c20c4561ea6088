import { resolve } from 'node:path'
import { PacketWorkspace } from '../../app/open/packet-workspace.ts'
import { openPacketLock } from '../../app/open/packets/packet-lock.ts'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { optional } from '../../kernel/optional.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import { checkPacket } from '../../packets/build/check.ts'
import { packetFaults } from '../../packets/faults.ts'
import { hashInputs } from '../../packets/format/lockfile.ts'
import type { ObjectVerdict } from '../../packets/ports.ts'
import { packetFolder } from '../../platform/packets/folder.ts'
import { readSources } from '../../platform/packets/source.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { requireWritable, type Subcommand } from '../command/subcommand.ts'
import { readBuildLock } from './build.ts'
import { packetSettings } from './settings.ts'
import { digestIn } from './show.ts'

const openWorkspace = (invocation: Invocation): PacketWorkspace =>
  new PacketWorkspace(packetSettings(invocation).config, systemClock)

const print = ({ json, terminal }: Invocation, ok: boolean, value: object, lines: readonly string[]) => {
  if (json) terminal.print(JSON.stringify({ ok, ...value }))
  else if (lines.length > 0) terminal.print(lines.map(escapeLineBreaks).join('\n'))
  else terminal.printError('the packet store is empty')
  return ok ? 0 : 1
}

/** Compares a built packet with its lock, and with its sources when they are named. */
const verifyFolder = async (invocation: Invocation, asked: string, source: string | undefined) => {
  const folder = resolve(asked)
  const lock = await readBuildLock(invocation, folder)
  if (lock === undefined)
    throw packetFaults.lock_drift(`${asked} has no lock to verify it against`, {
      fix: 'Name the folder of a built packet, or its lock with --lockfile.',
    })
  const inputs = source === undefined ? undefined : hashInputs(await readSources(resolve(source)))
  const problems = await checkPacket(packetFolder(folder), lock, inputs)
  const ok = problems.length === 0
  return print(invocation, ok, { folder, problems }, ok ? [`${asked}: matches its lock`] : problems)
}

const verdictLines = ({ digest, problems }: ObjectVerdict): readonly string[] =>
  problems.length === 0 ? [`${digest}  intact`] : problems.map((problem) => `${digest}  ${problem}`)

/** Verifies stored packets, or a built one. Nothing is downloaded. */
export const verify: Subcommand = async (invocation, [what, source]) => {
  const digest = what === undefined ? undefined : digestIn(what)
  if (what !== undefined && digest === undefined) return verifyFolder(invocation, what, source)
  const { store } = openWorkspace(invocation)
  const verdicts = await store.verify(
    digest === undefined ? (await store.list()).map((one) => one.digest) : [digest],
  )
  const ok = verdicts.every(({ problems }) => problems.length === 0)
  return print(invocation, ok, { verdicts }, verdicts.flatMap(verdictLines))
}

const list: Subcommand = async (invocation) => {
  const { store, cache } = openWorkspace(invocation)
  const { revocation } = openPacketLock(resolve(packetSettings(invocation).config.root))
  const packets = await Promise.all(
    (await store.list()).map(async (stored) => {
      const { name = '', version = '' } = (await cache.metadata(stored.digest))?.metadata.packet ?? {}
      const revoked = await revocation(stored.digest)
      return { ...stored, name, version, ...optional({ revoked }) }
    }),
  )
  const lines = packets.map(({ digest, name, version, files, bytes, storedAt, revoked }) =>
    [
      digest,
      `${name}@${version}`,
      `${files} files`,
      `${bytes} bytes`,
      new Date(storedAt).toISOString(),
      ...(revoked ? [`revoked: ${revoked.reason}`] : []),
    ].join('  '),
  )
  return print(invocation, true, { packets }, lines)
}

const requireDigest = (asked: string): Digest => {
  const digest = digestIn(asked)
  if (digest === undefined) throw usageFaults.argument(`${asked} is not a packet digest`)
  return digest
}

const prune: Subcommand = async (invocation, asked) => {
  requireWritable(packetSettings(invocation).config, '`warrant packet cache prune`')
  const { store } = openWorkspace(invocation)
  const named = asked.map(requireDigest)
  const pruned = await store.prune(
    named.length > 0 ? named : (await store.list()).map(({ digest }) => digest),
  )
  const absent = named.filter((digest) => !pruned.includes(digest))
  const lines = [
    ...pruned.map((digest) => `${digest}  pruned`),
    ...absent.map((digest) => `${digest}  was not stored`),
  ]
  return print(invocation, true, { pruned }, lines)
}

const ACTIONS: Readonly<Record<string, Subcommand>> = { ls: list, verify, prune }

export const cache: Subcommand = (invocation, [action = 'ls', ...rest]) => {
  const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (run === undefined) throw usageFaults.argument(`give a subcommand: ${Object.keys(ACTIONS).join(', ')}`)
  return run(invocation, rest)
}
