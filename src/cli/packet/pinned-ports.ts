import type { Config } from '../../app/config/settings.ts'
import { openPinnedModel } from '../../app/open/packets/pinned-model.ts'
import { pullPacket } from '../../packets/transfer/pull.ts'
import { openPullPorts } from './pull-ports.ts'

/** The model that the settings pin, and the packet folder it is stored in. */
export const openPinnedPorts = (config: Config) => {
  const { folder, ports, close } = openPullPorts(config)
  const pinned = openPinnedModel(config, {
    ...ports,
    folder,
    pull: (ref, signal, watch, check) =>
      pullPacket(ports, { ref, check, signal, progress: (done, total) => watch('fetch', done, total) }),
  })
  return { folder, pinned, close }
}
