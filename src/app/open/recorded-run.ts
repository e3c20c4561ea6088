import type { RecordedRun } from '../../gate/check-binding.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { DECISION_LOG } from '../../lineage/origin.ts'
import { readEntry } from '../../lineage/read-rows.ts'
import type { LogReader, Row } from '../../lineage/store.ts'
import type { Config } from '../config/settings.ts'
import { openStore } from './store.ts'

const PAGE_ROWS = 64

/** The operation of entries that a run of the gate makes. */
const GATE_RUN = 'gate_run'

const verdictOf = ({ payload }: Row): Record<string, unknown> => {
  const value: unknown = payload === null ? undefined : JSON.parse(payload)
  const verdict = isRecord(value) ? value.verdict : undefined
  return isRecord(verdict) ? verdict : {}
}

const evidenceHash = (row: Row): string | undefined => {
  const { evidence } = verdictOf(row)
  return typeof evidence === 'string' ? evidence : undefined
}

/** A run that tries a policy out writes no evidence, so it does not replace that of an earlier run. */
const isJudging = (row: Row): boolean =>
  readEntry(row).operation === GATE_RUN && verdictOf(row).policy_from === undefined

interface TimedRun extends RecordedRun {
  readonly timestamp: string
}

/** The newest entry of a run, searched from the end: checks are recorded in the same log. */
const findNewest = async (log: LogReader): Promise<TimedRun | undefined> => {
  const { size } = await log.head()
  for (let end = size; end > 0; end -= PAGE_ROWS) {
    const from = Math.max(0, end - PAGE_ROWS)
    const rows = (await log.read(from, end - from)).toReversed()
    const [newest, ...earlier] = rows.filter(isJudging)
    if (newest !== undefined)
      return {
        timestamp: readEntry(newest).timestamp,
        seq: newest.seq,
        evidence: evidenceHash(newest),
        earlier: earlier.flatMap((row) => evidenceHash(row) ?? []),
      }
  }
  return undefined
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
 * The newest run of the gate that the decision logs of these folders record: commands write the log of the repository,
 * a server that of its root. Creates nothing. Throws a fault when a log exists and cannot be read.
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
