import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { exportWriter } from '../../app/open/beliefs.ts'
import { findReceiptSigner, openCheckpointSigner } from '../../app/open/receipts/signing-key.ts'
import { logMemory } from '../../app/open/user-state.ts'
import { loadSettings } from '../../app/process-context.ts'
import { errorCode } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import { escapeHidden } from '../../kernel/text/hidden-characters.ts'
import { auditLog, compareWithOlder, requireIntact } from '../../lineage/audit.ts'
import { verifyBundle } from '../../lineage/bundle.ts'
import { genesisChecksum } from '../../lineage/chain.ts'
import { writeEntryProof } from '../../lineage/entry-proof.ts'
import { nameLog, storeFaults } from '../../lineage/faults.ts'
import { compareWithSeen, describeMismatch } from '../../lineage/log-memory.ts'
import { logOrigin } from '../../lineage/origin.ts'
import { proveConsistency, proveInclusion } from '../../lineage/proof.ts'
import { readEntry, readRows } from '../../lineage/read-rows.ts'
import type { LogReader } from '../../lineage/store.ts'
import { openSignedCheckpoint } from '../../lineage/tlog/note.ts'
import { type ChainVerdict, checkConsistency, checkInclusion, verifyChain } from '../../lineage/verify.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { printOutput, readCount, type Subcommand, textFlag } from '../command/subcommand.ts'
import { absentLog, logFolder, mendFix, withLog, withStore } from './with-beliefs.ts'

/** Signs with the key that signs receipts, which is created at the first use. A key in the repository is never used. */
const openSigner = async (invocation: Invocation, log: LogReader) => {
  const { config } = loadSettings(invocation)
  return openCheckpointSigner(config, resolve(config.root), await logOrigin(config.graph, log))
}

/** The key that signs here; undefined when there is none yet. */
const readOwnVerifier = async (invocation: Invocation): Promise<string | undefined> => {
  const { config } = loadSettings(invocation)
  const signer = await findReceiptSigner(config, resolve(config.root)).catch(() => undefined)
  return signer?.key.text
}

/** Proofs of a lineage. They need the log alone, whatever it records. */

/** Prints a value. Returns the exit code: 1 when the value is a negative verdict. */
export const printProof = (invocation: Invocation, value: object, good = true): number => {
  printOutput(invocation, value, () => escapeHidden(JSON.stringify(value, null, 2)))
  return good ? 0 : 1
}

export const readFileArgument = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw usageFaults.argument(`cannot read ${path} (${errorCode(cause)})`, { cause })
  }
}

const readExport = async (path: string): Promise<unknown> => {
  const text = await readFileArgument(path)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw usageFaults.argument(
      `${path} is not the JSON of an export; to verify a database, name it with --store`,
      {
        cause,
      },
    )
  }
}

interface OlderCheckpoint {
  readonly note: string
  /** The key that must have signed it; undefined when this machine has none. */
  readonly verifier: string | undefined
}

/** The checkpoint that `--checkpoint` names, with its key: `--key`, or the key of this machine. */
export const readOlder = async (invocation: Invocation): Promise<OlderCheckpoint | undefined> => {
  const file = textFlag(invocation, 'checkpoint')
  const key = textFlag(invocation, 'key')
  if (file === undefined && key !== undefined)
    throw usageFaults.option('--key needs --checkpoint FILE, or the bundle to verify')
  if (file === undefined) return undefined
  const note = await readFileArgument(file)
  return { note, verifier: key ?? (await readOwnVerifier(invocation)) }
}

/** The result for a checkpoint that the key did not sign. */
const UNSIGNED = { outcome: 'unsigned', why: 'the checkpoint has no valid signature of this key' } as const

/** Compares a log with an older checkpoint. Undefined when the log itself does not verify. */
export const checkSince = async (log: LogReader, chain: ChainVerdict, checkpointFile: OlderCheckpoint) => {
  if (chain.outcome === 'broken') return undefined
  const older = openSignedCheckpoint(checkpointFile.note, [checkpointFile.verifier ?? ''])
  if (older === undefined) return UNSIGNED
  return { outcome: await compareWithOlder(log, chain.size, older), from: older.size } as const
}

/** Compares a verified log with what this machine saw of it last, and remembers it. Undefined when it saw nothing. */
export const checkSeen = async (invocation: Invocation, log: LogReader, chain: ChainVerdict) => {
  if (chain.outcome === 'broken') return undefined
  const { config } = loadSettings(invocation)
  const memory = logMemory(config, await logFolder(invocation), config.graph)
  const seen = await memory.read()
  const outcome = seen && (await compareWithSeen(log, seen))
  if (seen === undefined || outcome === 'grown') memory.note({ size: chain.size, head: chain.head })
  if (seen === undefined || outcome === undefined || outcome === 'grown') return undefined
  const why = describeMismatch(outcome, seen)
  const { fix } = nameLog(storeFaults.changed(why), config.graph)
  return { outcome, from: (seen.lost ?? seen).size, why, fix }
}

/** Verifies an exported file. A list of entries has no genesis, so it is taken from the log. */
export const verifyFile = async (invocation: Invocation, path: string): Promise<number> => {
  const value = await readExport(path)
  if (Array.isArray(value)) {
    const [flag] = ['checkpoint', 'key'].filter((name) => textFlag(invocation, name) !== undefined)
    if (flag !== undefined) throw usageFaults.option(`--${flag} needs a bundle; ${path} is a list of entries`)
    return withLog(invocation, async ({ genesis }) => {
      const chain = await verifyChain(genesis, value)
      return printProof(invocation, { chain }, chain.outcome === 'intact')
    })
  }
  const checkpoint = textFlag(invocation, 'checkpoint')
  const older = checkpoint === undefined ? undefined : await readFileArgument(checkpoint)
  const { good, ...found } = await verifyBundle(value, { verifier: textFlag(invocation, 'key'), older })
  return printProof(invocation, found, good)
}

/** Size and root of a log that verifies and that this machine has not seen in another state. */
const requireSignable = async (invocation: Invocation, log: LogReader) => {
  const intact = await requireIntact(log)
  const seen = await checkSeen(invocation, log, intact)
  if (seen === undefined) return intact
  throw storeFaults.changed(`nothing was signed, because ${seen.why}`)
}

const collectEntries = async (log: LogReader, size: number) => {
  const entries = []
  for await (const row of readRows(log)) if (row.seq < size) entries.push(readEntry(row))
  return entries
}

/** Writes entries, genesis, checkpoint and key into one file, for the stand-alone verifier. */
export const writeBundle = (invocation: Invocation, path: string): Promise<number> =>
  withLog(invocation, async (log) => {
    const { size, root } = await requireSignable(invocation, log)
    const signer = await openSigner(invocation, log)
    const entries = await collectEntries(log, size)
    const checkpoint = await signer.checkpoint(size, root)
    const text = `${JSON.stringify({ genesis: log.genesis, checkpoint, verifier: signer.verifier, entries }, null, 2)}\n`
    const { config } = loadSettings(invocation)
    await exportWriter(config, resolve(config.root))(path, text)
    const checksum = createHash('sha256').update(text).digest('hex')
    const head = entries.at(-1)?.checksum ?? genesisChecksum(log.genesis)
    return printProof(invocation, { status: 'ok', path, checksum, count: size, head, root })
  })

/** Prints the proof of an entry with a new checkpoint, for readers without the log. */
const proveAlone = (invocation: Invocation, seq: number): Promise<number> =>
  withLog(invocation, async (log) => {
    const { size, root } = await requireSignable(invocation, log)
    const signer = await openSigner(invocation, log)
    const proof = await writeEntryProof(log, seq, { note: await signer.checkpoint(size, root), size })
    if (invocation.json) return printProof(invocation, { index: seq, size, proof, verifier: signer.verifier })
    invocation.terminal.print(proof.trimEnd())
    return 0
  })

export const prove: Subcommand = (invocation, [entry, size]) => {
  const seq = readCount(entry, 'the entry')
  if (invocation.flags.tlog) {
    if (size !== undefined)
      throw usageFaults.option('--tlog proves the entry in the present log: leave out SIZE')
    return proveAlone(invocation, seq)
  }
  const tree = size === undefined ? undefined : readCount(size, 'the size')
  return withLog(invocation, async (log) => {
    const proof = await proveInclusion(log, seq, tree)
    const holds = checkInclusion(proof)
    return printProof(invocation, { ...proof, holds }, holds)
  })
}

/** Checks that the log has only grown since a checkpoint. Detects damage, truncation and a forked history. */
export const consistency: Subcommand = async (invocation) => {
  const checkpointFile = await readOlder(invocation)
  if (checkpointFile === undefined) throw usageFaults.option('--checkpoint FILE is required')
  return withLog(invocation, async (log) => {
    const older = openSignedCheckpoint(checkpointFile.note, [checkpointFile.verifier ?? ''])
    if (older === undefined) return printProof(invocation, UNSIGNED, false)
    const { chain } = await auditLog(log)
    if (chain.outcome === 'broken')
      return printProof(invocation, { outcome: 'damaged', at: chain.at, why: chain.why }, false)
    const { size, root } = chain
    const outcome = await compareWithOlder(log, size, older)
    if (outcome === 'truncated') return printProof(invocation, { outcome, had: older.size, has: size }, false)
    const { path } = await proveConsistency(log, older.size, size)
    const holds =
      outcome === 'grown' &&
      checkConsistency({ older: older.size, newer: size, olderRoot: older.root, newerRoot: root, path })
    const seen = holds ? await checkSeen(invocation, log, chain) : undefined
    const found = { outcome: holds ? 'consistent' : 'forked', older: older.size, newer: size, root, path }
    return printProof(invocation, { ...found, ...optional({ seen }) }, holds && seen === undefined)
  })
}

/** What is remembered of a log without entries. */
const NO_HEAD = '0'.repeat(64)

/** Remembers a log that verifies as the one to continue. One that is gone begins anew. */
export const adoptLog = (invocation: Invocation) =>
  withStore(invocation, async (store) => {
    const { config } = loadSettings(invocation)
    const { graph } = config
    const log = await store.find(graph)
    const memory = logMemory(config, await logFolder(invocation), graph)
    if (log === undefined) {
      if (!(await memory.read())?.size) throw await absentLog(invocation)
      await memory.adopt({ size: 0, head: NO_HEAD })
      return { outcome: 'forgotten' }
    }
    const { chain } = await auditLog(log)
    if (chain.outcome === 'broken')
      return { outcome: 'damaged', at: chain.at, why: chain.why, fix: mendFix(graph) }
    const { size, head } = chain
    await memory.adopt({ size, head })
    return { outcome: 'adopted', size, head }
  })

export const checkpoint: Subcommand = (invocation) =>
  withLog(invocation, async (log) => {
    const { size, root } = await requireSignable(invocation, log)
    const signer = await openSigner(invocation, log)
    const note = await signer.checkpoint(size, root)
    if (invocation.json) printProof(invocation, { size, root, note, verifier: signer.verifier })
    else {
      invocation.terminal.printError(`# verifier: ${signer.verifier}`)
      invocation.terminal.print(note.trimEnd())
    }
    return 0
  })
