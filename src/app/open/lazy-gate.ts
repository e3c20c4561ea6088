import type { GateDoor } from '../../gate/tools.ts'
import type { Config } from '../config/settings.ts'
import type { GateWorld } from './gate.ts'

/** The gate's tools, put together when the first is called. */
export const gateFace = (config: Config, folder: string, world: GateWorld): GateDoor => {
  let opened: Promise<GateDoor> | undefined
  const open = () => {
    opened ??= import('./gate-service.ts').then((module) => module.gateDoor(config, folder, world))
    return opened
  }
  return {
    check: async (...call) => (await open()).check(...call),
    run: async (...call) => (await open()).run(...call),
    explain: async (...call) => (await open()).explain(...call),
  }
}
