import { globsByDepth } from '../../kernel/text/glob.ts'
import type { RootHandle } from '../../platform/jail/handles.ts'
import { openJail } from '../../platform/jail/jail.ts'
import { syntaxTrees } from '../../platform/syntax/syntax-trees.ts'
import { textRules } from '../../project/access-rules.ts'
import type { JobContext } from '../../project/job-context.ts'

/** What a worker thread needs to open the project. Threads share the descriptor of the root. */
export interface ProjectSetup {
  readonly root: RootHandle
  readonly deny: readonly string[]
  readonly denyHardlinks: boolean
  readonly oneFileSystem: boolean
  readonly endings: readonly string[]
  /** A file with what earlier reports read of the project. Absent when nothing is kept. */
  readonly readings?: string
}

/** The default file systems of macOS and Windows ignore case. */
const IGNORES_CASE = process.platform === 'darwin' || process.platform === 'win32'

// macOS stores names in decomposed Unicode and patterns are typed composed: compare both in composed form.
const foldName = (name: string): string => {
  const composed = name.normalize()
  return IGNORES_CASE ? composed.toLowerCase() : composed
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
