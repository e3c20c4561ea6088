import { jailFaults } from '../../kernel/jail.ts'
import { holdRoot, type RootHandle } from '../../platform/jail/handles.ts'

/** Opens the root. The descriptor keeps serving this folder when its path is renamed or replaced. */
export const openRoot = (given: string): RootHandle => {
  try {
    return holdRoot(given)
  } catch (cause) {
    throw jailFaults.root('the root is not a folder that can be opened', { cause })
  }
}
