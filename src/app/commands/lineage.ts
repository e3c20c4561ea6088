import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Beliefs } from '../../beliefs/beliefs.ts'
import { reexecute } from '../../beliefs/reexecute.ts'
import { DECISION_LOG } from '../../lineage/decisions.ts'
import { findErasures } from '../../lineage/erasures.ts'
import { storeFaults } from '../../lineage/faults.ts'
import { inspectLog } from '../../lineage/inspect.ts'
import { createSigner, writeCheckpoint } from '../../lineage/note.ts'
import { proveConsistency, rootAt } from '../../lineage/proof.ts'
import { readRows } from '../../lineage/rows.ts'
import { checkConsistency, checkInclusion, openCheckpoint } from '../../lineage/verify.ts'
import { keyFile } from '../../platform/key-file.ts'
import { ownPlace } from '../../platform/own-place.ts'
import { makeState } from '../../platform/state-folder.ts'
import { type Invocation, usageFaults } from '../../surfaces/cli/command.ts'
import { readCount, runVerb, type Verb } from '../../surfaces/cli/subcommand.ts'
import { graphConfig } from '../open-beliefs.ts'
import { withBeliefs, withStore } from '../with-beliefs.ts'
import { loadSettings } from '../world.ts'

const print = (invocation: Invocation, value: object): void =>
  invocation.terminal.print(invocation.json ? JSON.stringify(value) : JSON.stringify(value, null, 2))

/** A verdict is an answer; a bad one is exit code 1. */
const verdict = (invocation: Invocation, value: object, good: boolean): number => {
  print(invocation, value)
  return good ? 0 : 1
}

const signerHere = async (invocation: Invocation) => {
  const { config } = loadSettings(invocation)
  const root = resolve(config.root)
  await makeState(ownPlace(root, config.stateDir))
  const pem = await keyFile(ownPlace(root, config.stateDir, 'lineage.key'))
  return createSigner(`warrant/${config.graph}`, pem)
}

const fileFlag = (invocation: Invocation, name: string): string => {
  const path = invocation.flags[name]
  if (typeof path !== 'string') throw usageFaults.option(`--${name} FILE is needed`)
  return path
}

/** Links and payloads by the independent verifier, then everything done again from the genesis. */
const examine = async (invocation: Invocation, beliefs: Beliefs) => {
  const { log } = beliefs.keeper
  const chain = await beliefs.verify()
  if (chain.outcome === 'broken') return { good: false, chain, execution: undefined }
  const { config } = loadSettings(invocation)
  const execution = await reexecute(graphConfig(config), readRows(log))
  if (execution.outcome !== 'erased') return { good: execution.outcome === 'same', chain, execution }
  const erasures = await findErasures(readRows(log))
  return { good: erasures.unexplained.length === 0, chain, execution, erasures }
}

/** Decisions are facts: there is nothing to do again, and the links are all there is to verify. */
const verifyDecisions = (invocation: Invocation): Promise<number> =>
  withStore(invocation, async (store) => {
    const log = await store.find(DECISION_LOG)
    if (log === undefined) throw usageFaults.argument('no decision has been recorded here')
    const chain = await inspectLog(log)
    return verdict(invocation, { chain }, chain.outcome === 'intact')
  })

const verify: Verb = (invocation) =>
  loadSettings(invocation).config.graph === DECISION_LOG
    ? verifyDecisions(invocation)
    : withBeliefs(invocation, async (beliefs) => {
        const { good, ...found } = await examine(invocation, beliefs)
        return verdict(invocation, found, good)
      })

const replay: Verb = (invocation, [from]) =>
  withBeliefs(invocation, async (beliefs) => {
    const start = from === undefined ? undefined : readCount(from, 'the first entry')
    print(invocation, await beliefs.replay(start))
    return 0
  })

const exportLog: Verb = (invocation, [path]) =>
  withBeliefs(invocation, async (beliefs) => {
    if (path === undefined) throw usageFaults.argument('name the file to write')
    print(
      invocation,
      invocation.flags.bundle ? await writeBundle(invocation, beliefs, path) : await beliefs.exportLog(path),
    )
    return 0
  })

/** Entries, genesis, checkpoint and key in one file: all that the stand-alone verifier needs. */
const writeBundle = async (invocation: Invocation, beliefs: Beliefs, path: string) => {
  const { log } = beliefs.keeper
  const { size, root } = await rootAt(log)
  const signer = await signerHere(invocation)
  const entries: unknown[] = []
  for await (const { entry } of readRows(log)) if (entries.length < size) entries.push(JSON.parse(entry))
  const bundle = {
    genesis: log.genesis,
    checkpoint: writeCheckpoint(signer, size, root),
    verifier: signer.verifier,
    entries,
  }
  const text = `${JSON.stringify(bundle, null, 2)}\n`
  await writeFile(path, text, { flag: 'wx' })
  return { status: 'ok', path, count: size, root, sha256: createHash('sha256').update(text).digest('hex') }
}

const prove: Verb = (invocation, [seq, size]) =>
  withBeliefs(invocation, async (beliefs) => {
    const tree = size === undefined ? undefined : readCount(size, 'the size')
    const proof = await beliefs.prove(readCount(seq, 'the entry'), tree)
    return verdict(invocation, { ...proof, holds: checkInclusion(proof) }, true)
  })

/** Whether the log has only grown since a checkpoint: a cut tail or another history shows here. */
const consistency: Verb = (invocation) =>
  withBeliefs(invocation, async (beliefs) => {
    const note = await readFile(fileFlag(invocation, 'checkpoint'), 'utf8')
    const { verifier: own } = await signerHere(invocation)
    const verifier = typeof invocation.flags.key === 'string' ? invocation.flags.key : own
    const old = openCheckpoint(note, verifier)
    if (old === undefined)
      return verdict(invocation, { outcome: 'unsigned', why: 'the key does not vouch for it' }, false)
    const { size, root } = await rootAt(beliefs.keeper.log)
    if (old.size > size) {
      return verdict(invocation, { outcome: 'truncated', had: old.size, has: size }, false)
    }
    const proof = await proveConsistency(beliefs.keeper.log, old.size, size)
    const holds = checkConsistency({ ...proof, olderRoot: old.root })
    return verdict(
      invocation,
      { outcome: holds ? 'consistent' : 'forked', older: old.size, newer: size, root, path: proof.path },
      holds,
    )
  })

const checkpoint: Verb = (invocation) =>
  withBeliefs(invocation, async (beliefs) => {
    const { size, root } = await rootAt(beliefs.keeper.log)
    const signer = await signerHere(invocation)
    const note = writeCheckpoint(signer, size, root)
    if (invocation.json) print(invocation, { size, root, note, verifier: signer.verifier })
    else {
      invocation.terminal.note(`# verifier: ${signer.verifier}`)
      invocation.terminal.print(note.trimEnd())
    }
    return 0
  })

/** Lets writing go on after an operator has looked. The decision itself becomes an entry. */
const repair: Verb = (invocation) =>
  withBeliefs(invocation, async (beliefs) => {
    const { replica, log } = beliefs.keeper
    const reason = await log.quarantine()
    if (reason === null) {
      print(invocation, { outcome: 'healthy' })
      return 0
    }
    const { good, ...found } = await examine(invocation, beliefs)
    if (!good) return verdict(invocation, { outcome: 'beyond repair', ...found }, false)
    await replica.submit({ op: 'lineage.repair', args: { reason } })
    await log.setQuarantine(null)
    print(invocation, { outcome: 'repaired', reason })
    return 0
  })

/** The node an entry made, whose claim must go with it. */
const madeNode = (payload: string): number | undefined => {
  const { op, result } = JSON.parse(payload)
  return op === 'node.create' ? result.id : undefined
}

/** Takes what an entry was made from out of the log. Every proof holds as before. */
const erase: Verb = (invocation, [place]) =>
  withBeliefs(invocation, async (beliefs) => {
    const seq = readCount(place, 'the entry')
    const { reason } = invocation.flags
    if (typeof reason !== 'string' || reason.trim() === '')
      throw usageFaults.option('--reason TEXT is needed: it becomes part of the log')
    const [row] = await beliefs.keeper.log.read(seq, 1)
    if (row === undefined) throw storeFaults.absent(`there is no entry ${seq}`)
    if (row.payload === null) return verdict(invocation, { outcome: 'already erased', seq }, true)
    const node = madeNode(row.payload)
    const { seq: recordedAt } = await beliefs.keeper.erase({
      seq,
      reason,
      ...(node !== undefined && { node }),
    })
    return verdict(invocation, { outcome: 'erased', seq, recorded_at: recordedAt }, true)
  })

export const VERBS: Readonly<Record<string, Verb>> = {
  verify,
  replay,
  export: exportLog,
  prove,
  consistency,
  checkpoint,
  repair,
  erase,
}

export const run = (invocation: Invocation): Promise<number> => runVerb(VERBS, invocation)
