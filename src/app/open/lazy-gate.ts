import type { GateService } from '../../gate/tools.ts'
import type { Config } from '../config/settings.ts'
import type { GateContext } from './gate.ts'

/** The gate's tools, put together when the first is called. */
export const lazyGate = (config: Config, folder: string, context: GateContext): GateService => {
  let opened: Promise<GateService> | undefined
  const open = () => {
    opened ??= import('./gate-service.ts').then((module) => module.createGateService(config, folder, context))
    return opened
  }
  return {
    check: async (...call) => (await open()).check(...call),
    run: async (...call) => (await open()).run(...call),
    explain: async (...call) => (await open()).explain(...call),
  }
}
