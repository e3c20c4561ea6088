import { extensionOrName, jailFaults, type PathRules, quotePath } from '../../kernel/jail.ts'

/** A requested path that passed all lexical checks. */
interface RequestedPath {
  readonly segments: readonly string[]
  /** It ended in `/` or `/.`: the target has to be a folder. */
  readonly folder: boolean
}

const MAX_PATH_BYTES = 4_096
const MAX_NAME_BYTES = 255

const CONTROL = /\p{Cc}/u
const DRIVE = /^[A-Za-z]:/
// On Windows a colon opens an alternate data stream, and these names are devices in every folder.
const WINDOWS_NAME = /[:*?"<>|]|[. ]$|^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i

type Test = readonly [fault: keyof typeof jailFaults, message: string, fails: (path: string) => boolean]

/** A step to the parent folder, also after a backslash. `[[...slug]]` is an ordinary name. */
const stepsUp = (path: string): boolean => path.includes('..') && path.split(/[/\\]/).includes('..')

/** In order of precedence. A tilde is refused anywhere in the path. */
const TESTS: readonly Test[] = [
  ['empty_path', 'the path is empty', (path) => path === ''],
  ['encoding', 'the path is not well-formed text', (path) => !path.isWellFormed()],
  ['bad_path', 'the path holds control characters', (path) => CONTROL.test(path)],
  ['traversal', "the path must not contain '..'", stepsUp],
  ['home', "the path must not contain '~'", (path) => path.includes('~')],
  ['bad_path', 'the path holds a backslash', (path) => path.includes('\\')],
  ['bad_path', 'the path names a drive', (path) => DRIVE.test(path)],
  ['bad_path', 'the path names another machine', (path) => path.startsWith('//')],
  ['path_too_long', 'the path is too long', (path) => Buffer.byteLength(path) > MAX_PATH_BYTES],
]

/**
 * What follows a folder in an absolute path; undefined when the path is not inside. Unlike `isPathInside` it does not
 * normalize: `..` after a symlink has to be resolved by the walk, and this runs at every read.
 */
export const pathBelow = (folder: string, path: string): string | undefined => {
  if (path === folder) return ''
  const prefix = folder.endsWith('/') ? folder : `${folder}/`
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined
}

/** An absolute path as a path from the root, by any spelling of the root; a relative path unchanged. */
export const fromRoot = (path: string, spellings: readonly string[]): string | undefined => {
  if (!path.startsWith('/')) return path
  for (const root of spellings) {
    const rest = pathBelow(root, path)
    if (rest !== undefined) return rest
  }
  return undefined
}

const isRealName = (name: string): boolean => name !== '' && name !== '.'

/** Lexical checks: refuses everything that can be refused without touching the disk. */
export const judgePath = (
  path: string,
  spellings: readonly string[],
  { refusesDots = false }: Pick<PathRules, 'refusesDots'> = {},
  windows = process.platform === 'win32',
): RequestedPath => {
  for (const [fault, message, fails] of TESTS) {
    const isRefused = fails(path) || (refusesDots && fault === 'traversal' && path.includes('..'))
    if (isRefused) throw jailFaults[fault](`${message}: ${quotePath(path)}`)
  }
  const rest = fromRoot(path, spellings)
  if (rest === undefined) throw jailFaults.outside_root(`outside the project: ${quotePath(path)}`)
  const names = rest.split('/')
  const segments = names.filter(isRealName)
  if (segments.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)) {
    throw jailFaults.path_too_long(`a name in the path is too long: ${quotePath(path)}`)
  }
  if (windows && segments.some((name) => WINDOWS_NAME.test(name))) {
    throw jailFaults.bad_path(`not a valid name on Windows: ${quotePath(path)}`)
  }
  return { segments, folder: !isRealName(names.at(-1) ?? '') }
}

/** Refuses blocked names anywhere in the path and, for files, extensions that are not allowed. */
export const judgeNames = (
  path: string,
  segments: readonly string[],
  { blocked, allowed }: PathRules,
  file: boolean,
): void => {
  if (segments.some(blocked)) {
    throw jailFaults.blocked_name(`not served: ${quotePath(path)}`)
  }
  if (!file || allowed === undefined) return
  if (!allowed.has(extensionOrName(segments.at(-1) ?? ''))) {
    throw jailFaults.extension(`this kind of file is not served: ${quotePath(path)}`, {
      detail: { allowed: [...allowed].slice(0, 8) },
    })
  }
}
