import { readdirSync, readlinkSync } from 'node:fs'
import { Fault } from '../../kernel/fault.ts'
import { jailFaults, quotePath } from '../../kernel/jail.ts'
import type { Handle, JailBackend } from './handles.ts'
import { fromRoot } from './path.ts'

/** What a path leads to, held, with the names that lead there once every link is followed. */
export interface ResolvedPath {
  readonly place: Handle
  readonly segments: readonly string[]
}

// As many links as Linux itself follows, and as many ways back up inside of links.
const MAX_TURNS = 40

/** The system's word for what went wrong; undefined for anything that is not the system's. */
export const errorCode = (thrown: unknown): string | undefined => {
  const { code } = thrown as NodeJS.ErrnoException
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/** A system's complaint as a fault. Its text names host paths, so it goes no further than the log. */
export const systemFault = (thrown: unknown, path: string): unknown => {
  if (thrown instanceof Fault) return thrown
  switch (errorCode(thrown)) {
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
      return jailFaults.io('the file system refused', { cause: thrown })
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

/** Whether a place is a link; if so, or if it cannot be told, it is let go of. */
const isLink = (found: Handle): boolean => {
  let link = true
  try {
    link = found.stats.isSymbolicLink()
    return link
  } finally {
    if (link) found.close()
  }
}

// A folder whose list is larger than this is not searched for look-alikes.
const MAX_TWINS = 256 * 1024

const isPlain = (name: string): boolean => /^[\x20-\x7e]*$/.test(name)

/**
 * The one name in the folder that is the same text in another Unicode form: macOS writes names decomposed, people
 * and models type them composed.
 */
const twinOf = (at: Handle, name: string, path: string): string | undefined => {
  if (isPlain(name) || at.stats.size > MAX_TWINS) return undefined
  const twins = readdirSync(at.procPath).filter((other) => other.normalize() === name.normalize())
  if (twins.length > 1) throw jailFaults.ambiguous(`several names look like ${quotePath(path)}`)
  return twins[0]
}

/** One way down from the root. It holds one folder at a time. */
class Walk {
  readonly #backend: JailBackend
  readonly #path: string
  readonly #spellings: readonly string[]
  #at: Handle
  /** Names that lead to where we are; none of them is a link. */
  #done: string[] = []
  /** Names still to go, the next one last. */
  #todo: string[]
  #turns = 0

  constructor(backend: JailBackend, asked: readonly string[], path: string, spellings: readonly string[]) {
    this.#backend = backend
    this.#at = backend.root
    this.#todo = [...asked].reverse()
    this.#path = path
    this.#spellings = spellings
  }

  go(): ResolvedPath {
    try {
      for (let name = this.#todo.pop(); name !== undefined; name = this.#todo.pop()) this.#pass(name)
      return { place: this.#at, segments: this.#done }
    } catch (thrown) {
      this.#stand(this.#backend.root)
      throw systemFault(thrown, this.#path)
    }
  }

  #pass(name: string): void {
    // Only a link says this; a caller who does was refused before.
    if (name === '..') {
      if (this.#done.length === 0) throw this.#outside()
      return this.#restart(this.#done.slice(0, -1))
    }
    let next: Handle
    try {
      next = this.#todo.length > 0 ? this.#backend.enter(this.#at, name) : this.#backend.find(this.#at, name)
    } catch (thrown) {
      return this.#detour(name, thrown)
    }
    if (this.#todo.length === 0 && isLink(next)) return this.#follow(name)
    this.#done.push(name)
    this.#stand(next)
  }

  #stand(place: Handle): void {
    if (this.#at !== this.#backend.root) this.#at.close()
    this.#at = place
  }

  /** Back to the root, with these names before those still to go. */
  #restart(names: readonly string[]): void {
    this.#turns += 1
    if (this.#turns > MAX_TURNS) throw jailFaults.not_found(`too many links in ${quotePath(this.#path)}`)
    this.#stand(this.#backend.root)
    this.#done = []
    this.#todo.push(...names.toReversed())
  }

  /** Puts a link's own words in the place of its name. */
  #follow(name: string): void {
    // Windows has too many ways to spell a place for us to read them all as it would.
    if (process.platform === 'win32') throw this.#outside()
    const target = readlinkSync(`${this.#at.procPath}/${name}`)
    const inside = fromRoot(target, this.#spellings)
    if (inside === undefined) throw this.#outside()
    const names = inside.split('/').filter((part) => part !== '' && part !== '.')
    this.#restart(target.startsWith('/') ? names : [...this.#done, ...names])
  }

  /** What else a name that could not be passed may be: a link, or the same text in another Unicode form. */
  #detour(name: string, thrown: unknown): void {
    const code = errorCode(thrown)
    if (code === 'ENOTDIR' || code === 'ELOOP') return this.#followOr(name, thrown)
    const twin = code === 'ENOENT' ? twinOf(this.#at, name, this.#path) : undefined
    if (twin === undefined || twin === name) throw thrown
    this.#todo.push(twin)
  }

  #followOr(name: string, thrown: unknown): void {
    try {
      this.#follow(name)
    } catch (cause) {
      // No link: a file where a folder should be, or a folder again, by now.
      throw errorCode(cause) === 'EINVAL' && !isFolder(this.#backend, this.#at, name) ? thrown : cause
    }
  }

  #outside(): Fault {
    return jailFaults.outside_root(`outside the project: ${quotePath(this.#path)}`)
  }
}

/** Goes down names, following links by our own reading of them: the system never follows one for us. */
export const walkDown = (
  backend: JailBackend,
  asked: readonly string[],
  path: string,
  spellings: readonly string[],
): ResolvedPath => new Walk(backend, asked, path, spellings).go()
