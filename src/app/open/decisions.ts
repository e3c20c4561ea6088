import { fixedTimestamps, wallTimestamps } from '../../beliefs/log/timestamps.ts'
import type { Clock } from '../../kernel/ports.ts'
import { DecisionRecorder } from '../../lineage/decisions.ts'
import { DECISION_LOG } from '../../lineage/origin.ts'
import { fixedSalts, randomSalts } from '../../platform/system/salts.ts'
import type { Config } from '../config/settings.ts'
import { VERSION } from '../config/version.ts'
import { openStore } from './store.ts'
import { logMemory } from './user-state.ts'

/** The recorder of the gate's decisions: a separate log in the configured store. */
export const openDecisions = (
  config: Config,
  root: string,
  clock: Clock,
  warn: (message: string) => void,
): DecisionRecorder => {
  const fixed = config.clock === 'deterministic'
  const stamp = fixed ? fixedTimestamps : wallTimestamps(clock)
  return new DecisionRecorder({
    open: () => openStore(config, root),
    salt: fixed ? fixedSalts : randomSalts,
    time: (seq) => stamp(seq).text,
    version: VERSION,
    memory: logMemory(config, root, DECISION_LOG),
    warn,
  })
}
