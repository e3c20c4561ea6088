import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { verifyBundle } from '../../../lineage/bundle.ts'
import { genesisChecksum } from '../../../lineage/chain.ts'
import { createSigner, writeCheckpoint } from '../../../lineage/checkpoint.ts'
import { proveConsistency, proveInclusion, rootAt } from '../../../lineage/proof.ts'
import { readEntry, readRows } from '../../../lineage/read-rows.ts'
import type { LogReader } from '../../../lineage/store.ts'
import { checkConsistency, checkInclusion, openCheckpoint, verifyChain } from '../../../lineage/verify.ts'
import { keyFile } from '../../../platform/files/key-file.ts'
import { requireNoSymlinks } from '../../../platform/files/no-symlinks.ts'
import { makeState } from '../../../platform/files/state-folder.ts'
import { type Invocation, usageFaults } from '../../../surfaces/cli/command.ts'
import { readCount, textFlag, type Verb } from '../../../surfaces/cli/subcommand.ts'
import { exportWriter } from '../../open/beliefs.ts'
import { loadSettings } from '../../process-context.ts'
import { withLog } from './with-beliefs.ts'

/** What a lineage can prove to somebody else. It takes the log alone, whatever was recorded in it. */

export const printProof = (invocation: Invocation, value: object): void =>
  invocation.terminal.print(invocation.json ? JSON.stringify(value) : JSON.stringify(value, null, 2))

/** A verdict is an answer; a bad one is exit code 1. */
export const printVerdict = (invocation: Invocation, value: object, good: boolean): number => {
  printProof(invocation, value)
  return good ? 0 : 1
}

const signerHere = async (invocation: Invocation) => {
  const { config } = loadSettings(invocation)
  const root = resolve(config.root)
  await makeState(requireNoSymlinks(root, config.stateDir))
  const pem = await keyFile(requireNoSymlinks(root, config.stateDir, 'lineage.key'))
  return createSigner(`warrant/${config.graph}`, pem)
}

const readNamed = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw usageFaults.argument(`${path} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause })
  }
}

const readExport = async (path: string): Promise<unknown> => {
  const text = await readNamed(path)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw usageFaults.argument(`${path} is not JSON, as exports are; a database is named with --store`, {
      cause,
    })
  }
}

/** A file that was exported, here or elsewhere. A bare list lacks its genesis, which only its log has. */
export const verifyFile = async (invocation: Invocation, path: string): Promise<number> => {
  const value = await readExport(path)
  if (Array.isArray(value)) {
    return withLog(invocation, async ({ genesis }) => {
      const chain = await verifyChain(genesis, value)
      return printVerdict(invocation, { chain }, chain.outcome === 'intact')
    })
  }
  const checkpoint = textFlag(invocation, 'checkpoint')
  const older = checkpoint === undefined ? undefined : await readNamed(checkpoint)
  const { good, ...found } = await verifyBundle(value, { verifier: textFlag(invocation, 'key'), older })
  return printVerdict(invocation, found, good)
}

const collectEntries = async (log: LogReader, size: number) => {
  const entries = []
  for await (const row of readRows(log)) if (row.seq < size) entries.push(readEntry(row))
  return entries
}

/** Entries, genesis, checkpoint and key in one file: all that the stand-alone verifier needs. */
export const writeBundle = (invocation: Invocation, path: string): Promise<number> =>
  withLog(invocation, async (log) => {
    const { size, root } = await rootAt(log)
    const signer = await signerHere(invocation)
    const entries = await collectEntries(log, size)
    const checkpoint = writeCheckpoint(signer, size, root)
    const text = `${JSON.stringify({ genesis: log.genesis, checkpoint, verifier: signer.verifier, entries }, null, 2)}\n`
    const { config } = loadSettings(invocation)
    await exportWriter(config, resolve(config.root))(path, text)
    const checksum = createHash('sha256').update(text).digest('hex')
    const head = entries.at(-1)?.checksum ?? genesisChecksum(log.genesis)
    printProof(invocation, { status: 'ok', path, checksum, count: size, head, root })
    return 0
  })

export const prove: Verb = (invocation, [place, size]) => {
  const seq = readCount(place, 'the entry')
  const tree = size === undefined ? undefined : readCount(size, 'the size')
  return withLog(invocation, async (log) => {
    const proof = await proveInclusion(log, seq, tree)
    const holds = checkInclusion(proof)
    return printVerdict(invocation, { ...proof, holds }, holds)
  })
}

/** Whether the log has only grown since a checkpoint: a cut tail or another history shows here. */
export const consistency: Verb = async (invocation) => {
  const file = textFlag(invocation, 'checkpoint')
  if (file === undefined) throw usageFaults.option('--checkpoint FILE is needed')
  const note = await readNamed(file)
  return withLog(invocation, async (log) => {
    const verifier = textFlag(invocation, 'key') ?? (await signerHere(invocation)).verifier
    const old = openCheckpoint(note, verifier)
    if (old === undefined)
      return printVerdict(invocation, { outcome: 'unsigned', why: 'the key does not vouch for it' }, false)
    const { size, root } = await rootAt(log)
    if (old.size > size) {
      return printVerdict(invocation, { outcome: 'truncated', had: old.size, has: size }, false)
    }
    const proof = await proveConsistency(log, old.size, size)
    const holds = checkConsistency({ ...proof, olderRoot: old.root })
    return printVerdict(
      invocation,
      { outcome: holds ? 'consistent' : 'forked', older: old.size, newer: size, root, path: proof.path },
      holds,
    )
  })
}

export const checkpoint: Verb = (invocation) =>
  withLog(invocation, async (log) => {
    const { size, root } = await rootAt(log)
    const signer = await signerHere(invocation)
    const note = writeCheckpoint(signer, size, root)
    if (invocation.json) printProof(invocation, { size, root, note, verifier: signer.verifier })
    else {
      invocation.terminal.printError(`# verifier: ${signer.verifier}`)
      invocation.terminal.print(note.trimEnd())
    }
    return 0
  })
