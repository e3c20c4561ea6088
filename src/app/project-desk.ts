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

/** Whether the file systems of this machine take upper and lower case for the same, as they come. */
const FOLDS = process.platform === 'darwin' || process.platform === 'win32'

// macOS keeps names decomposed, and people type them composed: what is denied is denied in either form.
const foldName = (name: string): string => {
  const composed = name.normalize()
  return FOLDS ? composed.toLowerCase() : composed
}

const denyTests = (patterns: readonly string[]) => {
  const byDepth = globsByDepth(patterns.map(foldName))
  return (depth: number) => {
    const test = byDepth(depth)
    return test && ((names: readonly string[]) => test(names.map(foldName)))
  }
}

export const layDesk = (setup: ProjectSetup): Pick<Desk, 'jail' | 'rules' | 'parse'> => {
  const { root, deny, denyHardlinks, oneFileSystem, endings } = setup
  const options = { denyHardlinks, oneFileSystem, ...(deny.length > 0 && { deniedAt: denyTests(deny) }) }
  return { jail: openJail(root, options), rules: textRules(endings), parse: parseLines }
}
