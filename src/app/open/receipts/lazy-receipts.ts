import { lazyAsync } from '../../../kernel/async/once.ts'
import type { Clock } from '../../../kernel/ports.ts'
import type { Config } from '../../config/settings.ts'
import { locateDecisions } from '../store.ts'

/** Makes the receipts of a server, opened by its first verdict. What is not recorded leaves none. */
export const lazyReceipts = (config: Config, folder: string, clock: Clock) =>
  lazyAsync(async () => {
    if (config.readOnly || config.store === 'memory') return undefined
    const { openReceipts } = await import('./make-receipt.ts')
    return openReceipts(config, await locateDecisions(config, folder), clock, () => {})
  })
