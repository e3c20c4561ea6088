import { resolve } from 'node:path'
import { graphConfig } from '../../app/open/beliefs.ts'
import { SEALED_EVENTS } from '../../app/open/hooks/record.ts'
import { locateRepository, openRepositoryForCommand } from '../../app/open/repository.ts'
import { locateDecisions, openStore } from '../../app/open/store.ts'
import { eventLog } from '../../app/open/user-state.ts'
import { loadSettings } from '../../app/process-context.ts'
import type { Beliefs } from '../../beliefs/beliefs.ts'
import { verifyReplay } from '../../beliefs/log/verify-replay.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { Fault } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import { checkAnchors } from '../../lineage/anchors.ts'
import { auditLog } from '../../lineage/audit.ts'
import { nameLog, storeFaults } from '../../lineage/faults.ts'
import { DECISION_LOG } from '../../lineage/origin.ts'
import { readEntry, readPayload, readRows } from '../../lineage/read-rows.ts'
import type { LineageLog, LogReader, LogStore } from '../../lineage/store.ts'
import type { ChainVerdict } from '../../lineage/verify.ts'
import { KEPT_MS } from '../../platform/files/event-log.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { readCount, requireWritable, runSubcommand, type Subcommand } from '../command/subcommand.ts'
import { showDifference } from './diff.ts'
import { listEntries, showEntry } from './log.ts'
import {
  adoptLog,
  checkpoint,
  checkSeen,
  checkSince,
  consistency,
  printProof,
  prove,
  readOlder,
  verifyFile,
  writeBundle,
} from './proofs.ts'
import { publishLog } from './publish.ts'
import { logFolder, mendFix, withBeliefs, withLog, withStore } from './with-beliefs.ts'

interface VerifiedLog {
  readonly good: boolean
  readonly chain: ChainVerdict
}

/** What the log of decisions in the same store anchored of the configured graph. */
const findAnchored = (invocation: Invocation) =>
  withStore(invocation, async (store) => {
    const decisions = await store.find(DECISION_LOG)
    return decisions && checkAnchors(decisions, store, loadSettings(invocation).config.graph)
  })

/** Verifies links and payloads with the independent verifier, then replays every operation from the genesis. */
const verifyGraph = async (invocation: Invocation, { graphStore }: Beliefs) => {
  const { log, replica } = graphStore
  const { chain, erasures } = await auditLog(log)
  if (chain.outcome === 'broken') {
    await replica.stopWriting(chain.why)
    return { good: false, chain, ...optional({ erasures }) }
  }
  const { config } = loadSettings(invocation)
  const execution = await verifyReplay(graphConfig(config), readRows(log))
  // An erased operation cannot be replayed; its erasure is recorded, or the audit had failed.
  if (execution.outcome === 'erased') return { good: true, chain, execution, erasures }
  if (execution.outcome === 'differs') await replica.stopWriting(execution.why)
  return { good: execution.outcome === 'same', chain, execution }
}

/** What witnesses saw of the log, by the notes of the repository around the root, if there is one. */
const findWitnesses = async (invocation: Invocation, log: LogReader) => {
  const { config } = loadSettings(invocation)
  const root = await locateRepository(config, resolve(config.root)).catch(() => undefined)
  if (root === undefined) return []
  const { git, signal } = await openRepositoryForCommand(config)
  return (await import('../../app/open/receipts/open-witness.ts')).readWitnesses(
    { root, config, git, signal },
    log,
  )
}

/** Decisions are not operations: there is nothing to replay. */
const verifyDecisions = async (invocation: Invocation, log: LineageLog, store: LogStore) => {
  const { chain, erasures } = await auditLog(log)
  const quarantine = async (why: string) => log.setQuarantine(why)
  // On a disk that takes nothing the damage is told all the same.
  if (chain.outcome === 'broken' && !loadSettings(invocation).config.readOnly)
    await quarantine(chain.why).catch(() => {})
  const shown = erasures && erasures.recorded.length + erasures.unexplained.length > 0 ? { erasures } : {}
  const witnesses = chain.outcome === 'intact' ? await findWitnesses(invocation, log) : []
  const anchors = chain.outcome === 'intact' ? await checkAnchors(log, store) : []
  const seen = [...witnesses, ...anchors].every(({ outcome }) => outcome === 'grown')
  const events = chain.outcome === 'intact' ? await checkEvents(await logFolder(invocation), log) : []
  return {
    good: chain.outcome === 'intact' && seen && events.length === 0,
    chain,
    ...shown,
    ...(events.length > 0 && { changed_events: events }),
    ...(anchors.length > 0 && { anchored: anchors }),
    ...(witnesses.length > 0 && { witnesses }),
  }
}

const verify: Subcommand = async (invocation, [file]) => {
  if (file !== undefined) return verifyFile(invocation, file)
  const older = await readOlder(invocation)
  const show = async (log: LogReader, { good, ...found }: VerifiedLog) => {
    const since = older && (await checkSince(log, found.chain, older))
    const seen = await checkSeen(invocation, log, found.chain)
    const grown = (since === undefined || since.outcome === 'grown') && seen === undefined
    const { graph } = loadSettings(invocation).config
    const quarantine = (await log.quarantine()) ?? undefined
    const fix =
      found.chain.outcome === 'broken'
        ? mendFix(graph)
        : quarantine && good
          ? `Run \`warrant log repair --graph ${graph}\`.`
          : undefined
    return printProof(invocation, { ...found, ...optional({ since, seen, quarantine, fix }) }, good && grown)
  }
  if (loadSettings(invocation).config.graph === DECISION_LOG)
    return withLog(invocation, async (log, store) => show(log, await verifyDecisions(invocation, log, store)))
  return withBeliefs(invocation, async (beliefs) => {
    const found = await verifyGraph(invocation, beliefs)
    const [anchors] = (found.good && (await findAnchored(invocation))) || []
    const good = found.good && (anchors === undefined || anchors.outcome === 'grown')
    return show(beliefs.graphStore.log, { ...found, good, ...optional({ anchored: anchors }) })
  })
}

const replay: Subcommand = (invocation, [from]) => {
  const start = from === undefined ? undefined : readCount(from, 'the first entry')
  return withBeliefs(invocation, async (beliefs) => {
    return printProof(invocation, await beliefs.replay(start))
  })
}

const exportLog: Subcommand = (invocation, [path]) => {
  if (path === undefined) throw usageFaults.argument('name the file to write: log export FILE')
  if (invocation.flags.bundle) return writeBundle(invocation, path)
  return withBeliefs(invocation, async (beliefs) => {
    return printProof(invocation, await beliefs.exportLog(path))
  })
}

/** Ends a quarantine when the log verifies. In a graph the repair becomes an entry of its log. */
const endQuarantine = (invocation: Invocation) => {
  const { config } = loadSettings(invocation)
  const judge = async (
    log: LineageLog,
    verifyLog: () => Promise<VerifiedLog>,
    record?: (reason: string) => Promise<unknown>,
  ) => {
    const reason = await log.quarantine()
    if (reason === null) return { outcome: 'healthy' }
    const { good, ...found } = await verifyLog()
    const seen = await checkSeen(invocation, log, found.chain)
    if (!good) return { outcome: 'beyond repair', ...found, fix: mendFix(config.graph) }
    if (seen !== undefined) return { outcome: 'beyond repair', ...found, seen }
    await record?.(reason)
    await log.setQuarantine(null)
    return { outcome: 'repaired', reason }
  }
  if (config.graph === DECISION_LOG)
    return withLog(invocation, (log, store) => judge(log, () => verifyDecisions(invocation, log, store)))
  return withBeliefs(invocation, async (beliefs) => {
    const { replica, log } = beliefs.graphStore
    const record = (reason: string) => replica.submit({ op: 'lineage.repair', args: { reason } })
    return judge(log, () => verifyGraph(invocation, beliefs), record)
  })
}

const repair: Subcommand = async (invocation) => {
  const found = await endQuarantine(invocation)
  return printProof(invocation, found, found.outcome !== 'beyond repair')
}

/** Accepts a log that this machine did not see grow: restored from a backup, or begun again. */
const adopt: Subcommand = async (invocation) => {
  const adopted = await adoptLog(invocation)
  if (adopted.outcome !== 'adopted') return printProof(invocation, adopted, adopted.outcome === 'forgotten')
  const ended = await endQuarantine(invocation)
  const isGood = ended.outcome !== 'beyond repair'
  return printProof(invocation, isGood ? adopted : ended, isGood)
}

/** The node that an entry created, whose claim is erased with it. Undefined when the payload is unreadable. */
const createdNode = (payload: string): number | undefined => {
  try {
    const { op, result } = JSON.parse(payload)
    return op === 'node.create' ? result.id : undefined
  } catch {
    return undefined
  }
}

const readReason = ({ flags: { reason } }: Invocation): string => {
  if (typeof reason === 'string' && reason.trim() !== '') return reason
  throw usageFaults.option('--reason TEXT is required; it becomes part of the log')
}

/** Removes the payload of an entry from the log. Every proof stays valid. */
const erase: Subcommand = (invocation, [entry]) => {
  const seq = readCount(entry, 'the entry')
  const reason = readReason(invocation)
  return withBeliefs(invocation, async (beliefs) => {
    const [row] = await beliefs.graphStore.log.read(seq, 1)
    if (row === undefined) throw storeFaults.absent(`there is no entry ${seq}`)
    if (row.payload === null) return printProof(invocation, { outcome: 'already erased', seq })
    if (readEntry(row).operation === 'lineage.erase')
      throw storeFaults.kept(`entry ${seq} records an erasure`)
    const node = createdNode(row.payload)
    const { seq: recordedAt } = await beliefs.graphStore.erase({
      seq,
      reason,
      ...optional({ node }),
    })
    return printProof(invocation, { outcome: 'erased', seq, recorded_at: recordedAt })
  })
}

/** Puts the heads of the graphs into the log of decisions, where there is such a log. */
const anchorGraphs = async (invocation: Invocation): Promise<void> => {
  const { config } = loadSettings(invocation)
  if (config.store === 'memory') return
  const root = await locateDecisions(config, resolve(config.root))
  const store = await openStore(config, root)
  const log = await store.find(DECISION_LOG).finally(() => store.close())
  if (log === undefined) return
  const warn = (message: string) => invocation.terminal.printError(`warrant: ${message}`)
  const { openDecisions } = await import('../../app/open/decisions.ts')
  const recorder = openDecisions(config, root, systemClock, warn)
  await recorder.anchor().finally(() => recorder.close())
}

/** What is signed has the heads of the graphs. */
const anchored =
  (work: Subcommand): Subcommand =>
  async (invocation, words) => {
    await anchorGraphs(invocation)
    return work(invocation, words)
  }

/** The days whose events are not those that the log of decisions sealed. Days that are too old or too many are removed. */
const checkEvents = async (root: string, log: LogReader): Promise<readonly string[]> => {
  const events = eventLog(root, process.env)
  const broken = new Set<string>()
  for await (const row of readRows(log)) {
    if (readEntry(row).operation !== SEALED_EVENTS) continue
    const { verdict } = readPayload(row)
    const { day, from, to, digest } = isRecord(verdict) ? verdict : {}
    if (typeof day !== 'string' || typeof from !== 'number' || typeof to !== 'number') continue
    if (systemClock.now() - Date.parse(day) > KEPT_MS) continue
    const bytes = await events.read(day)
    if (to === 0) broken.delete(day)
    else if (bytes === undefined || digestBytes(bytes.subarray(from, to)) !== digest) broken.add(day)
  }
  return [...broken].sort()
}

/** Verbs that change the log, write a file, or create the key. */
const WRITING = ['export', 'publish', 'checkpoint', 'repair', 'erase', 'adopt']

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  verify,
  replay,
  export: exportLog,
  publish: anchored(publishLog),
  prove,
  consistency,
  checkpoint: anchored(checkpoint),
  repair,
  erase,
  adopt,
  entries: listEntries,
  graph: async (invocation, words) => (await import('./graph.ts')).run({ ...invocation, positionals: words }),
  show: showEntry,
  diff: showDifference,
}

const MAX_ARGUMENTS = {
  verify: 1,
  replay: 1,
  export: 1,
  publish: 1,
  prove: 2,
  consistency: 0,
  checkpoint: 0,
  repair: 0,
  erase: 1,
  adopt: 0,
  entries: 0,
  show: 1,
  diff: 2,
}

export const run = async (invocation: Invocation): Promise<number> => {
  const [verb = ''] = invocation.positionals
  const { config, sources } = loadSettings(invocation)
  if (WRITING.includes(verb) || invocation.flags.tlog) requireWritable(config, `\`warrant log ${verb}\``)
  // The log of this repository is meant, unless a graph is named.
  const isNamed = verb === 'graph' || sources.get('graph') !== 'default'
  const flags = isNamed ? invocation.flags : { ...invocation.flags, graph: DECISION_LOG }
  const graph = isNamed ? config.graph : DECISION_LOG
  return runSubcommand(SUBCOMMANDS, { ...invocation, flags }, MAX_ARGUMENTS).catch((thrown: unknown) => {
    throw thrown instanceof Fault ? nameLog(thrown, graph) : thrown
  })
}
