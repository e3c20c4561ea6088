import { globsByDepth } from '../../kernel/text/glob.ts'
import type { RootHandle } from '../../platform/jail/handles.ts'
import { openJail } from '../../platform/jail/jail.ts'
import { syntaxTrees } from '../../platform/syntax/syntax-trees.ts'
import { textRules } from '../../project/access-rules.ts'
import type { JobContext } from '../../project/job-context.ts'

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

export const createJobContext = (setup: ProjectSetup): Pick<JobContext, 'jail' | 'rules' | 'parser'> => {
  const { root, deny, denyHardlinks, oneFileSystem, endings } = setup
  const options = { denyHardlinks, oneFileSystem, ...(deny.length > 0 && { deniedAt: denyTests(deny) }) }
  return { jail: openJail(root, options), rules: textRules(endings), parser: syntaxTrees() }
}
