import { openJail } from '../platform/jail.ts'
import type { RootHandle } from '../platform/jail-ground.ts'
import { parseLines } from '../platform/syntax.ts'
import type { Desk } from '../project/desk.ts'
import { globsByDepth } from '../project/glob.ts'
import { textRules } from '../project/rules.ts'

/** What a thread needs to know of the project; the descriptor in it belongs to the whole process. */
export interface ProjectSetup {
  readonly root: RootHandle
  readonly deny: readonly string[]
  readonly denyHardlinks: boolean
  readonly oneFileSystem: boolean
  readonly endings: readonly string[]
}

export const layDesk = (setup: ProjectSetup): Pick<Desk, 'jail' | 'rules' | 'parse'> => {
  const { root, deny, denyHardlinks, oneFileSystem, endings } = setup
  const options = { denyHardlinks, oneFileSystem, ...(deny.length > 0 && { deniedAt: globsByDepth(deny) }) }
  return { jail: openJail(root, options), rules: textRules(endings), parse: parseLines }
}
