import type { EnterpriseService } from '../../gate/enterprise/toolset.ts'
import { lazyAsync } from '../../kernel/async/once.ts'
import type { EnterpriseContext } from './enterprise.ts'

/** The enterprise service, loaded by the first call: a liveness check must not wait for git. */
export const lazyEnterprise = (folder: string, context: EnterpriseContext): EnterpriseService => {
  const service = lazyAsync(async () => (await import('./enterprise.ts')).openEnterprise(folder, context))
  return {
    reader: async () => (await service.get()).reader,
    run: async (...call) => (await service.get()).run(...call),
  }
}
