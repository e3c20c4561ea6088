import {
  isApplicationSettings,
  isDeploymentText,
  isVariableFile,
  skipsFile,
  skipsFolder,
} from '../../architecture/source/discovery-rules.ts'
import {
  byPath,
  joinPath,
  MAX_SOURCE_BYTES,
  type ProjectFile,
  type ProjectFiles,
  type Survey,
  type WalkLimits,
  type Warning,
} from '../../architecture/source/source-files.ts'
import { Fault } from '../../kernel/fault.ts'
import { type CheckDeadline, type Folder, type Jail, jailFaults, type PathRules } from '../../kernel/jail.ts'
import { isGitName } from '../access-rules.ts'
import { decodeFileText } from './text.ts'
import { isUnlisted } from './walk.ts'

const EXTENSIONS = [
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
  '.py',
  '.go',
  '.mod',
  '.pbxproj',
  '.toml',
  '.csproj',
  '.tf',
  '.graphql',
  '.graphqls',
  '.gql',
  '.prisma',
]

/** Files that workflows read: code, build files and configuration. Names that begin with `.git` are blocked. */
const WORKFLOW_RULES: PathRules = { allowed: new Set(EXTENSIONS), blocked: isGitName }

/** Names such as `Dockerfile.api` have no extension that could be listed. */
const jailRules = (path: string): PathRules =>
  isDeploymentText(path) || isVariableFile(path) || isApplicationSettings(path)
    ? { blocked: isGitName }
    : WORKFLOW_RULES

/** The folder that a caller names. */
export interface RequestedFolder {
  readonly path: string
  /** Refuses two dots anywhere, not only as a segment. */
  readonly refusesDots?: boolean
}

class FileSurvey {
  readonly files: ProjectFile[] = []
  readonly warnings: Warning[] = []
  readonly #limits: WalkLimits
  readonly #checkDeadline: CheckDeadline
  #visited = 0

  constructor(limits: WalkLimits, checkDeadline: CheckDeadline) {
    this.#limits = limits
    this.#checkDeadline = checkDeadline
  }

  /** Returns false when the limit of files is reached. Symlinks are skipped. */
  visit(folder: Folder, path: string, depth: number): boolean {
    this.#checkDeadline()
    if (depth > this.#limits.depth) {
      this.warnings.push({
        code: 'depth_exhausted',
        file: path,
        message: `folders deeper than ${this.#limits.depth} levels were skipped`,
      })
      return true
    }
    for (const { name, kind } of folder.entries(this.#checkDeadline)) {
      if (kind !== 'directory' && kind !== 'file') continue
      if (kind === 'directory' ? skipsFolder(name) : skipsFile(name)) continue
      this.#visited += 1
      if (this.#visited > this.#limits.files) {
        this.warnings.push({
          code: 'files_exhausted',
          file: path,
          message: `only the first ${this.#limits.files} files and folders were read`,
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
        message: 'the folder cannot be opened',
      })
      return true
    }
    if (below === undefined) return unreadable()
    try {
      return this.visit(below, joinPath(path, name), depth + 1)
    } catch (thrown) {
      if (!isUnlisted(thrown)) throw thrown
      return unreadable()
    } finally {
      below.close()
    }
  }
}

/** A folder inside of the jail as a project. */
export const jailedFiles = (
  jail: Jail,
  { path, refusesDots = false }: RequestedFolder,
  checkDeadline: CheckDeadline,
): ProjectFiles => {
  const rules: PathRules = { ...WORKFLOW_RULES, refusesDots }
  const { path: base, kind } = jail.info(path, rules)
  // Opening it throws the fault that says why.
  if (kind !== 'directory') jail.within(path, rules, () => {})
  const tooLarge = new Set<string>()
  return {
    root: joinPath(jail.root, base).replace(/\/$/, ''),
    walk: (limits): Survey => {
      const survey = new FileSurvey(limits, checkDeadline)
      jail.within(base === '' ? '.' : base, WORKFLOW_RULES, (folder) => survey.visit(folder, '', 0))
      return { files: survey.files.sort(byPath), warnings: survey.warnings }
    },
    read: (name) => {
      try {
        const { bytes } = jail.read(joinPath(base, name), jailRules(name), {
          bytes: MAX_SOURCE_BYTES,
          checkDeadline,
        })
        return decodeFileText(bytes, name).text
      } catch (thrown) {
        if (!(thrown instanceof Fault) || thrown.code === 'jail.timeout') throw thrown
        if (thrown.code === jailFaults.file_too_large.code) tooLarge.add(name)
        return undefined
      }
    },
    isTooLarge: (name) => tooLarge.has(name),
  }
}
