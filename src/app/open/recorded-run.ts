import type { RecordedRun } from '../../gate/check-binding.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { isJudgingRun, newestRun } from '../../lineage/newest-run.ts'
import { DECISION_LOG } from '../../lineage/origin.ts'
import { readEntry, readPayload } from '../../lineage/read-rows.ts'
import type { LogReader, Row } from '../../lineage/store.ts'
import type { Config } from '../config/settings.ts'
import { openStore } from './store.ts'

/** Entries before the newest run in which earlier runs are looked for. */
const EARLIER_ROWS = 64

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const receiptOf = (row: Row) => {
  const { receipt } = readPayload(row)
  const { tree, envelope } = isRecord(receipt) ? receipt : {}
  return { tree: textOf(tree), envelope: textOf(envelope) }
}

const evidenceHash = (row: Row): string | undefined => {
  const { verdict } = readPayload(row)
  const evidence = isRecord(verdict) ? verdict.evidence : undefined
  return typeof evidence === 'string' ? evidence : undefined
}

interface TimedRun extends RecordedRun {
  readonly timestamp: string
}

/** The newest entry of a run, whatever number of checks and effects was recorded after it. */
const findNewest = async (log: LogReader): Promise<TimedRun | undefined> => {
  const at = await newestRun(log, (await log.head()).size)
  if (at === null) return undefined
  const from = Math.max(0, at - EARLIER_ROWS)
  const rows = (await log.read(from, at + 1 - from)).toReversed()
  const [newest, ...earlier] = rows.filter(isJudgingRun)
  if (newest === undefined) return undefined
  return {
    timestamp: readEntry(newest).timestamp,
    seq: newest.seq,
    evidence: evidenceHash(newest),
    ...receiptOf(newest),
    earlier: earlier.flatMap((row) => evidenceHash(row) ?? []),
  }
}

const readLog = async (config: Config, root: string): Promise<TimedRun | undefined> => {
  const store = await openStore(config, root)
  try {
    const log = await store.find(DECISION_LOG)
    return log && (await findNewest(log))
  } finally {
    await store.close()
  }
}

/**
 * The newest run of the gate that the decision logs of these folders record: programs write the log of the repository,
 * a server with a root that the operator named that of its root. Creates nothing. Throws a fault when a log exists and cannot be read.
 */
export const readRecordedRun = async (
  config: Config,
  folders: readonly string[],
): Promise<RecordedRun | undefined> => {
  if (config.store === 'memory') return undefined
  const roots = [...new Set(folders)]
  const runs = await Promise.all(roots.map((root) => readLog(config, root)))
  return runs
    .filter((run) => run !== undefined)
    .sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1))
    .map(({ timestamp, ...run }) => ({
      ...run,
      ...(config.clock === 'wall' && { at: Date.parse(timestamp) || undefined }),
    }))
    .at(0)
}
