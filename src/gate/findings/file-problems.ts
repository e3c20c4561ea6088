import type { Severity } from '../../evidence/schema.ts'
import type { UnparsedFiles } from '../../kernel/text/unparsed-files.ts'
import type { ChangeSet, FileChange, FileContent, ScanReport } from '../ports.ts'
import { mayBeBroken, pathUse } from '../rules/path-kinds.ts'

/** A finding of the gate itself about a path. */
export interface FileProblem {
  readonly ruleId: string
  readonly severity: Severity
  readonly message: string
  readonly fix: string
}

export interface PathProblem {
  readonly file: string
  readonly problem: FileProblem
}

type GivenUpReason = (ScanReport & { outcome: 'given-up' })['why']

/** Findings about what was not scanned, or not completely. It must not pass as clean. */
export const FILE_PROBLEMS = {
  broken: {
    ruleId: 'gate.parse-error',
    severity: 'ERROR',
    message: 'The file has a syntax error here.',
    fix: 'Correct the syntax.',
  },
  brokenText: {
    ruleId: 'gate.parse-error',
    severity: 'INFO',
    message: 'The file has a syntax error here. Its folder holds test data or templates.',
    fix: 'Nothing, if no program reads the file as source.',
  },
  gap: {
    ruleId: 'gate.unknown-syntax',
    severity: 'INFO',
    message: 'The parser of the gate does not know this syntax. The rest of the file was judged.',
    fix: 'Nothing, if the compiler accepts the file.',
  },
  givenUp: {
    ruleId: 'gate.file-given-up',
    severity: 'CRITICAL',
    message: 'The file was not scanned completely',
    fix: 'Split the file.',
  },
  undecoded: {
    ruleId: 'gate.file-unread',
    severity: 'CRITICAL',
    message: 'The file cannot be read as text, so rules may have missed findings in it',
    fix: 'Convert it to UTF-8 without NUL, rename it if it is no source file.',
  },
  ambiguous: {
    ruleId: 'gate.ambiguous-encoding',
    severity: 'CRITICAL',
    message:
      'The file starts with the byte order mark of UTF-16, and is a text without it too: programs read different texts.',
    fix: 'Remove the first two bytes, or convert the file to UTF-8.',
  },
  strangeEncoding: {
    ruleId: 'gate.ambiguous-encoding',
    severity: 'CRITICAL',
    message:
      'With this working-tree-encoding, git writes other characters into checkouts than those that are judged.',
    fix: 'Remove the attribute, or use UTF-8, UTF-16 or an encoding with one byte for each character.',
  },
  unread: {
    ruleId: 'gate.file-unread',
    severity: 'CRITICAL',
    message: 'The file exists but cannot be read.',
    fix: 'Correct its permissions. If they are right, run `git fsck` to find damaged objects.',
  },
  linkContent: {
    ruleId: 'gate.link-content',
    severity: 'CRITICAL',
    message:
      'The symbolic link holds text that is not a path. Checkouts without symlinks write it as a file.',
    fix: 'Commit the text as a regular file.',
  },
  linkTarget: {
    ruleId: 'gate.link-target',
    severity: 'WARN',
    message:
      'Rules apply to the name of the symbolic link and not to its target, so the target was not checked.',
    fix: 'Link to a file inside the repository with the same extension.',
  },
  submodule: {
    ruleId: 'gate.submodule',
    severity: 'WARN',
    message: 'The submodule was added or points to another commit; its files were not checked.',
    fix: 'Run the gate in the submodule.',
  },
  modules: {
    ruleId: 'gate.modules-tracked',
    severity: 'WARN',
    message: 'Git tracks files below node_modules. Programs of dependencies come with every checkout.',
    fix: 'Remove the folder from git and list it in .gitignore.',
  },
} as const satisfies Record<string, FileProblem>

const GIVEN_UP: Readonly<Record<GivenUpReason, string>> = {
  time: 'the scan took too long',
  size: 'it is too large',
  crash: 'the parser crashed',
  matches: 'it has more than 10,000 matches, and only the most severe ones are listed',
  binary: 'a tenth of it is NUL or not UTF-8',
  encoding: 'it declares an encoding other than UTF-8 and the single-byte ones',
}

/** Whether only the text is in doubt, and all of it was scanned. */
export const isDoubt = (why: GivenUpReason): boolean => why === 'binary' || why === 'encoding'

/** A file that is no source of a language was searched for secrets alone, so it does not stop a commit. */
export const givenUpProblem = (why: GivenUpReason, isSource: boolean): FileProblem => {
  const problem = FILE_PROBLEMS[isDoubt(why) ? 'undecoded' : 'givenUp']
  const message = `${problem.message}: ${GIVEN_UP[why]}.`
  return { ...problem, message, ...(!isSource && { severity: 'ERROR' }) }
}

/** One finding for each language, at the first of its files: one installation repairs them all. */
export const grammarProblems = (unparsed: UnparsedFiles): PathProblem[] =>
  unparsed.languages().map(({ language, title, files, install }) => ({
    file: files[0] ?? '',
    problem: {
      ruleId: 'gate.grammar-missing',
      severity: 'CRITICAL',
      message: `${title} ${files.length === 1 ? 'was' : 'were'} not parsed, because the grammar of ${language} is not installed: rules about syntax did not run, only those about text and secrets.`,
      fix: `Run \`${install}\`.`,
    },
  }))

/** The finding about text that the parser refused. A gap is syntax that the parser here does not know. */
export const syntaxProblem = (path: string, isGap: boolean): FileProblem => {
  if (isGap) return FILE_PROBLEMS.gap
  return mayBeBroken(path) ? FILE_PROBLEMS.brokenText : FILE_PROBLEMS.broken
}

/** Longest target of a symbolic link, in bytes (PATH_MAX). */
const MAX_TARGET = 4_096

const decoder = new TextDecoder()

/** The target of a symbolic link, relative to the root; undefined when it leads out of the repository. */
const resolveTarget = (link: string, target: string): string | undefined => {
  const segments = link.split('/').slice(0, -1)
  if (target.startsWith('/')) return undefined
  for (const name of target.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..') segments.push(name)
    else if (segments.pop() === undefined) return undefined
  }
  return segments.join('/')
}

/** What is wrong with a symbolic link that has a name to which rules apply. */
export const linkProblem = (
  { path, bytes }: FileContent,
  isCovered: (path: string) => boolean,
): FileProblem | undefined => {
  const text = decoder.decode(bytes)
  if (bytes.length > MAX_TARGET || /\p{Cc}/u.test(text)) return FILE_PROBLEMS.linkContent
  const target = resolveTarget(path, text)
  return target !== undefined && isCovered(target) ? undefined : FILE_PROBLEMS.linkTarget
}

const MODULES = 'node_modules'
const MODULES_FOLDER = new RegExp(`^(?:.*?/)?${MODULES}(?=/)`)

/** Findings about submodules and tracked `node_modules` folders, whose files are not checked. */
export const folderProblems = (
  { source, changes, submodules = [] }: ChangeSet,
  tracksModules: boolean,
): PathProblem[] => {
  const present = changes.filter(({ change }) => change !== 'deleted')
  const folderOf = ({ path }: FileChange) => MODULES_FOLDER.exec(path)?.[0] ?? []
  // The base tracks a folder in which the change alters or removes a file.
  const before = new Set(changes.filter(({ change }) => change !== 'added').flatMap(folderOf))
  const changed = new Set(present.flatMap(folderOf).filter((folder) => !before.has(folder)))
  const { submodule, modules } = FILE_PROBLEMS
  return [
    ...submodules.map((file) => ({ file, problem: submodule })),
    ...[...changed].map((file) => ({
      file,
      problem: pathUse(file) === 'support' ? modules : { ...modules, severity: 'ERROR' as const },
    })),
    ...(tracksModules && source === 'git:repository' && !changed.has(MODULES)
      ? [{ file: MODULES, problem: modules }]
      : []),
  ]
}
