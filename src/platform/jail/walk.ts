import { readdirSync, readlinkSync } from 'node:fs'
import { errorCode, Fault } from '../../kernel/fault.ts'
import { jailFaults, quotePath } from '../../kernel/jail.ts'
import type { Handle, JailBackend } from './handles.ts'
import { fromRoot } from './path.ts'

/** The open target of a path, and its path from the root with all symlinks resolved. */
export interface ResolvedPath {
  readonly handle: Handle
  readonly segments: readonly string[]
}

// The limit of Linux for symlinks in one path; `..` inside of link targets counts too.
const MAX_RESTARTS = 40

/** The errno code, such as ENOENT; undefined for anything but an error of the operating system. */
export const errnoCode = (thrown: unknown): string | undefined => {
  const code = errorCode(thrown)
  return code?.startsWith('ERR_') ? undefined : code
}

/** A system error as a fault. Its own message holds host paths and stays in the cause, for the log. */
export const systemFault = (thrown: unknown, path: string): unknown => {
  if (thrown instanceof Fault) return thrown
  switch (errnoCode(thrown)) {
    case undefined:
      return thrown
    case 'ENOENT':
    case 'ELOOP':
      return jailFaults.not_found(`there is no ${quotePath(path)}`, { cause: thrown })
    case 'ENOTDIR':
      return jailFaults.not_a_directory(`not a folder: ${quotePath(path)}`, { cause: thrown })
    case 'EINVAL':
      return jailFaults.changed(`changed while it was looked up: ${quotePath(path)}`, { cause: thrown })
    case 'ENAMETOOLONG':
      return jailFaults.path_too_long(`the path is too long: ${quotePath(path)}`, { cause: thrown })
    default:
      return jailFaults.io('the file system reported an error', { cause: thrown })
  }
}

const isFolder = (backend: JailBackend, at: Handle, name: string): boolean => {
  const found = backend.find(at, name)
  try {
    return found.stats.isDirectory()
  } finally {
    found.close()
  }
}

/** Whether the handle is a symlink. Closes it if it is one or `stat` fails. */
const closeIfLink = (found: Handle): boolean => {
  let link = true
  try {
    link = found.stats.isSymbolicLink()
    return link
  } finally {
    if (link) found.close()
  }
}

// Larger folders are not searched for names in another Unicode form.
const MAX_SEARCHED_BYTES = 256 * 1024

const isPrintableAscii = (name: string): boolean => /^[\x20-\x7e]*$/.test(name)

/**
 * The name in the folder that is equal after Unicode normalization: macOS stores names decomposed (NFD), people and
 * models type them composed (NFC).
 */
const findUnicodeTwin = (at: Handle, name: string, path: string): string | undefined => {
  if (isPrintableAscii(name) || at.stats.size > MAX_SEARCHED_BYTES) return undefined
  const twins = readdirSync(at.procPath).filter((other) => other.normalize() === name.normalize())
  if (twins.length > 1)
    throw jailFaults.ambiguous(`several files have this name in different Unicode forms: ${quotePath(path)}`)
  return twins[0]
}

interface WalkRequest {
  readonly segments: readonly string[]
  /** The requested path, for messages. */
  readonly path: string
  /** The paths of the root that an absolute link target may start with. */
  readonly spellings: readonly string[]
}

/** Resolves one path from the root, one name at a time. Only one folder is open at any time. */
class Walk {
  readonly #backend: JailBackend
  readonly #path: string
  readonly #spellings: readonly string[]
  #current: Handle
  /** Names from the root to the current handle; none of them is a symlink. */
  #resolved: string[] = []
  /** Names still to resolve, the next one last. */
  #remaining: string[]
  #restarts = 0

  constructor(backend: JailBackend, { segments, path, spellings }: WalkRequest) {
    this.#backend = backend
    this.#current = backend.root
    this.#remaining = segments.toReversed()
    this.#path = path
    this.#spellings = spellings
  }

  resolve(): ResolvedPath {
    try {
      for (let name = this.#remaining.pop(); name !== undefined; name = this.#remaining.pop())
        this.#step(name)
      return { handle: this.#current, segments: this.#resolved }
    } catch (thrown) {
      this.#moveTo(this.#backend.root)
      throw systemFault(thrown, this.#path)
    }
  }

  #step(name: string): void {
    // `..` can only come from a link target here: `judgePath` rejects it in requests.
    if (name === '..') {
      if (this.#resolved.length === 0) throw this.#outside()
      return this.#restart(this.#resolved.slice(0, -1))
    }
    let next: Handle
    try {
      next =
        this.#remaining.length > 0
          ? this.#backend.enter(this.#current, name)
          : this.#backend.find(this.#current, name)
    } catch (thrown) {
      return this.#recover(name, thrown)
    }
    if (this.#remaining.length === 0 && closeIfLink(next)) return this.#follow(name)
    this.#resolved.push(name)
    this.#moveTo(next)
  }

  #moveTo(handle: Handle): void {
    if (this.#current !== this.#backend.root) this.#current.close()
    this.#current = handle
  }

  /** Starts again at the root, with these names before the remaining ones. */
  #restart(names: readonly string[]): void {
    this.#restarts += 1
    if (this.#restarts > MAX_RESTARTS)
      throw jailFaults.not_found(`too many symlinks in ${quotePath(this.#path)}`)
    this.#moveTo(this.#backend.root)
    this.#resolved = []
    this.#remaining.push(...names.toReversed())
  }

  /** Replaces the name of a symlink by its target. */
  #follow(name: string): void {
    // Windows has more spellings of a path than can be parsed reliably here.
    if (process.platform === 'win32') throw this.#outside()
    const target = readlinkSync(`${this.#current.procPath}/${name}`)
    const inside = fromRoot(target, this.#spellings)
    if (inside === undefined) throw this.#outside()
    const names = inside.split('/').filter((part) => part !== '' && part !== '.')
    this.#restart(target.startsWith('/') ? names : [...this.#resolved, ...names])
  }

  /** A name that could not be opened may be a symlink, or be stored in another Unicode form. */
  #recover(name: string, thrown: unknown): void {
    const code = errnoCode(thrown)
    if (code === 'ENOTDIR' || code === 'ELOOP') return this.#followOrThrow(name, thrown)
    const twin = code === 'ENOENT' ? findUnicodeTwin(this.#current, name, this.#path) : undefined
    if (twin === undefined || twin === name) throw thrown
    this.#remaining.push(twin)
  }

  #followOrThrow(name: string, thrown: unknown): void {
    try {
      this.#follow(name)
    } catch (cause) {
      // EINVAL: not a symlink. A file in place of a folder is the original error; a folder means that it changed.
      throw errnoCode(cause) === 'EINVAL' && !isFolder(this.#backend, this.#current, name) ? thrown : cause
    }
  }

  #outside(): Fault {
    return jailFaults.outside_root(`outside the project: ${quotePath(this.#path)}`)
  }
}

/** Resolves a path below the root. Symlinks are read and resolved here; the system never follows one. */
export const walkDown = (backend: JailBackend, request: WalkRequest): ResolvedPath =>
  new Walk(backend, request).resolve()
