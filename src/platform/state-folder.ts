import { access, constants, stat } from 'node:fs/promises'
import type { Store } from '../kernel/ports.ts'

/** The state folder as the embedded store. It is made when something is first written, never to look at it. */
export const stateFolder = (path: string): Store => ({
  async health() {
    const kind = 'folder'
    try {
      if (!(await stat(path)).isDirectory()) {
        return { kind, state: 'failing', detail: 'the state folder is not a directory' }
      }
      await access(path, constants.R_OK | constants.W_OK)
      return { kind, state: 'ready', detail: 'readable and writable' }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
        return { kind, state: 'absent', detail: 'nothing has been stored yet' }
      }
      return { kind, state: 'failing', detail: 'the state folder cannot be read and written' }
    }
  },
})
