import type { EnterpriseService } from '../../gate/enterprise/toolset.ts'
import type { EnterpriseContext, openEnterprise } from './enterprise.ts'

/** The enterprise answers, put together when the first is asked for: liveness must not wait for git. */
export const lazyEnterprise = (folder: string, context: EnterpriseContext): EnterpriseService => {
  let opened: Promise<ReturnType<typeof openEnterprise>> | undefined
  const open = () => {
    opened ??= import('./enterprise.ts').then((module) => module.openEnterprise(folder, context))
    return opened
  }
  return {
    reader: async () => (await open()).reader,
    run: async (...call) => (await open()).run(...call),
  }
}
