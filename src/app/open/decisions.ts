import { fixedTimestamps, wallTimestamps } from '../../beliefs/log/timestamps.ts'
import type { Clock } from '../../kernel/ports.ts'
import { DecisionRecorder } from '../../lineage/decisions.ts'
import { fixedSalts, randomSalts } from '../../platform/system/salts.ts'
import type { Config } from '../config/settings.ts'
import { openStore } from './store.ts'

/** The recorder of the gate's decisions: a separate log in the configured store. */
export const openDecisions = (config: Config, root: string, clock: Clock): DecisionRecorder => {
  const fixed = config.clock === 'deterministic'
  const stamp = fixed ? fixedTimestamps : wallTimestamps(clock)
  return new DecisionRecorder({
    open: () => openStore(config, root),
    salt: fixed ? fixedSalts : randomSalts,
    time: (seq) => stamp(seq).text,
  })
}
