import { Fault } from '../../kernel/fault.ts'
import type { CheckDeadline, Folder, Jail, PathRules } from '../../kernel/jail.ts'
import { isGitName } from '../access-rules.ts'
import { decodeText } from '../files/text.ts'
import { isUnlisted } from '../files/walk.ts'
import { skipsFile, skipsFolder } from './discovery-rules.ts'
import {
  byPath,
  joinPath,
  MAX_SOURCE_BYTES,
  type ProjectFile,
  type ProjectFiles,
  type Survey,
  type WalkLimits,
  type Warning,
} from './source-files.ts'

const ENDINGS = [
  '.java',
  '.kt',
  '.kts',
  '.scala',
  '.xml',
  '.pom',
  '.yml',
  '.yaml',
  '.properties',
  '.proto',
  '.gradle',
  '.json',
  '.ts',
  '.tsx',
  '.mts',
  '.cts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
]

/** What the workflows read: code, build files and configuration. Metadata of repositories never. */
const WORKFLOW_RULES: PathRules = { allowed: new Set(ENDINGS), blocked: isGitName }

class Walk {
  readonly files: ProjectFile[] = []
  readonly warnings: Warning[] = []
  readonly #limits: WalkLimits
  readonly #watch: CheckDeadline
  #visited = 0

  constructor(limits: WalkLimits, watch: CheckDeadline) {
    this.#limits = limits
    this.#watch = watch
  }

  /** False once there is too much. Links are entries like any other, and lead nowhere. */
  down(folder: Folder, path: string, depth: number): boolean {
    this.#watch()
    if (depth > this.#limits.depth) {
      this.warnings.push({
        code: 'depth_exhausted',
        file: path,
        message: 'folders deeper than this are left out',
      })
      return true
    }
    for (const { name, kind } of folder.entries(this.#watch)) {
      if (kind !== 'directory' && kind !== 'file') continue
      if (kind === 'directory' ? skipsFolder(name) : skipsFile(name)) continue
      this.#visited += 1
      if (this.#visited > this.#limits.files) {
        this.warnings.push({
          code: 'files_exhausted',
          file: path,
          message: 'there are more files than are looked at',
        })
        return false
      }
      if (kind === 'file') this.files.push({ path: joinPath(path, name) })
      else if (!this.#enter(folder, name, path, depth)) return false
    }
    return true
  }

  #enter(folder: Folder, name: string, path: string, depth: number): boolean {
    const below = folder.enter(name)
    const unreadable = () => {
      this.warnings.push({
        code: 'folder_unreadable',
        file: joinPath(path, name),
        message: 'the folder cannot be entered',
      })
      return true
    }
    if (below === undefined) return unreadable()
    try {
      return this.down(below, joinPath(path, name), depth + 1)
    } catch (thrown) {
      if (!isUnlisted(thrown)) throw thrown
      return unreadable()
    } finally {
      below.close()
    }
  }
}

/** A folder inside the jail as a project. */
export const jailedFiles = (jail: Jail, path: string, checkDeadline: CheckDeadline): ProjectFiles => {
  const { path: base, kind } = jail.info(path, WORKFLOW_RULES)
  // Opening it says what is wrong with it better than we could.
  if (kind !== 'directory') jail.within(path, WORKFLOW_RULES, () => {})
  return {
    root: joinPath(jail.root, base).replace(/\/$/, ''),
    walk: (limits): Survey => {
      const walk = new Walk(limits, checkDeadline)
      jail.within(base === '' ? '.' : base, WORKFLOW_RULES, (folder) => walk.down(folder, '', 0))
      return { files: walk.files.sort(byPath), warnings: walk.warnings }
    },
    read: (name) => {
      try {
        const { bytes } = jail.read(joinPath(base, name), WORKFLOW_RULES, {
          bytes: MAX_SOURCE_BYTES,
          checkDeadline,
        })
        return decodeText(bytes, name).text
      } catch (thrown) {
        if (thrown instanceof Fault && thrown.code !== 'jail.timeout') return undefined
        throw thrown
      }
    },
  }
}
