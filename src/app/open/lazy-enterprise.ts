import type { EnterpriseDoor } from '../../gate/enterprise/toolset.ts'
import type { EnterpriseWorld, openEnterprise } from './enterprise.ts'

/** The enterprise answers, put together when the first is asked for: liveness must not wait for git. */
export const enterpriseFace = (folder: string, world: EnterpriseWorld): EnterpriseDoor => {
  let opened: Promise<ReturnType<typeof openEnterprise>> | undefined
  const open = () => {
    opened ??= import('./enterprise.ts').then((module) => module.openEnterprise(folder, world))
    return opened
  }
  return {
    reader: async () => (await open()).reader,
    run: async (...call) => (await open()).run(...call),
  }
}
