import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../app/config/settings.ts'
import { locateDecisions, openStore } from '../../app/open/store.ts'
import { logMemory, signingKeyPath } from '../../app/open/user-state.ts'
import { Fault } from '../../kernel/fault.ts'
import { ADOPT_DECISIONS } from '../../lineage/decisions.ts'
import { compareWithSeen, describeMismatch } from '../../lineage/log-memory.ts'
import { DECISION_LOG } from '../../lineage/origin.ts'
import { readEntry } from '../../lineage/read-rows.ts'

interface CheckResult {
  readonly ok: boolean
  readonly severity?: 'warning'
  readonly detail: string
  readonly fix?: string
}

const inspectLog = async (config: Config, root: string): Promise<CheckResult> => {
  const store = await openStore(config, root)
  try {
    const log = await store.find(DECISION_LOG)
    const seen = await logMemory(config, root, DECISION_LOG).read()
    if (log === undefined) {
      if (seen === undefined) return { ok: true, detail: 'no decision has been recorded yet' }
      const detail = `gone: this machine saw ${seen.size} entries`
      return { ok: true, severity: 'warning', detail, fix: ADOPT_DECISIONS }
    }
    const { size } = await log.head()
    const [newest] = size === 0 ? [] : await log.read(size - 1, 1)
    if (newest !== undefined) readEntry(newest)
    const outcome = seen === undefined ? 'grown' : await compareWithSeen(log, seen)
    if (seen === undefined || outcome === 'grown')
      return { ok: true, detail: `${size} entries; \`warrant lineage verify\` checks all of them` }
    const detail = describeMismatch(outcome, seen)
    return outcome === 'replaced'
      ? { ok: true, severity: 'warning', detail, fix: ADOPT_DECISIONS }
      : { ok: false, detail, fix: ADOPT_DECISIONS }
  } finally {
    await store.close()
  }
}

/** Whether decisions can be recorded, and whether the log is the one that this machine saw last. */
export const checkDecisionLog = async (config: Config): Promise<CheckResult> => {
  if (config.store === 'memory')
    return { ok: true, severity: 'warning', detail: 'decisions are not recorded, because of --store memory' }
  try {
    return await inspectLog(config, await locateDecisions(config, resolve(config.root)))
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return { ok: false, detail: thrown.message, fix: thrown.fix }
  }
}

/** Undefined when there is no file, or when it cannot be looked at. */
const modeOf = (path: string): number | undefined => {
  try {
    return statSync(path).mode
  } catch {
    return undefined
  }
}

const OTHERS = 0o077

/** Whether the signing key is private. */
export const checkSigningKey = (): CheckResult => {
  const mode = modeOf(signingKeyPath())
  if (mode === undefined) return { ok: true, detail: 'will be created by the first receipt' }
  if (process.platform === 'win32' || (mode & OTHERS) === 0)
    return { ok: true, detail: 'in the state folder of this user' }
  const detail = `other users can read it (mode ${(mode & 0o777).toString(8)})`
  return { ok: false, detail, fix: `Run \`chmod 600 ${signingKeyPath()}\`.` }
}
