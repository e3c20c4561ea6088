import { readdirSync, readlinkSync } from 'node:fs'
import { Fault } from '../kernel/fault.ts'
import { jailFaults, quotePath } from '../kernel/jail.ts'
import type { Ground, Place } from './jail-ground.ts'
import { fromRoot } from './jail-path.ts'

/** What a path leads to, held, with the names that lead there once every link is followed. */
export interface Found {
  readonly place: Place
  readonly segments: readonly string[]
}

// As many links as Linux itself follows, and as many ways back up inside of links.
const MAX_TURNS = 40

/** The system's word for what went wrong; undefined for anything that is not the system's. */
export const codeOf = (thrown: unknown): string | undefined => {
  const { code } = thrown as NodeJS.ErrnoException
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/** A system's complaint as a fault. Its text names host paths, so it goes no further than the log. */
export const systemFault = (thrown: unknown, path: string): unknown => {
  if (thrown instanceof Fault) return thrown
  switch (codeOf(thrown)) {
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

const isFolder = (ground: Ground, at: Place, name: string): boolean => {
  const found = ground.find(at, name)
  const folder = found.stats.isDirectory()
  found.leave()
  return folder
}

const isPlain = (name: string): boolean => /^[\x20-\x7e]*$/.test(name)

/**
 * The one name in the folder that is the same text in another Unicode form: macOS writes names decomposed, people
 * and models type them composed.
 */
const twinOf = (at: Place, name: string, path: string): string | undefined => {
  if (isPlain(name)) return undefined
  const twins = readdirSync(at.reach).filter((other) => other.normalize() === name.normalize())
  if (twins.length > 1) throw jailFaults.ambiguous(`several names look like ${quotePath(path)}`)
  return twins[0]
}

/** Goes down `segments`, following links by our own reading of them: the system never follows one for us. */
export const walkDown = (
  ground: Ground,
  asked: readonly string[],
  path: string,
  spellings: readonly string[],
): Found => {
  const { root } = ground
  let at = root
  let done: string[] = []
  let todo = [...asked].reverse()
  let turns = 0

  const goTo = (next: Place) => {
    if (at !== root) at.leave()
    at = next
  }
  const turn = (names: readonly string[]) => {
    turns += 1
    if (turns > MAX_TURNS) throw jailFaults.not_found(`too many links in ${quotePath(path)}`)
    goTo(root)
    done = []
    todo = [...names, ...todo.reverse()].reverse()
  }
  const outside = () => jailFaults.outside_root(`outside the project: ${quotePath(path)}`)

  /** Puts a link's own words in the place of its name. */
  const follow = (name: string) => {
    // Windows has too many ways to spell a place for us to read them all as it would.
    if (process.platform === 'win32') throw outside()
    const target = readlinkSync(`${at.reach}/${name}`)
    const inside = fromRoot(target, spellings)
    if (inside === undefined) throw outside()
    const names = inside.split('/').filter((part) => part !== '' && part !== '.')
    turn(target.startsWith('/') ? names : [...done, ...names])
  }

  const step = (name: string): Place | undefined => {
    const found = todo.length > 0 ? ground.enter(at, name) : ground.find(at, name)
    if (todo.length > 0 || !found.stats.isSymbolicLink()) return found
    found.leave()
    follow(name)
    return undefined
  }

  /** The other names a step may go by: a link's target, or the same text in another Unicode form. */
  const detour = (name: string, thrown: unknown) => {
    const code = codeOf(thrown)
    if (code === 'ENOTDIR' || code === 'ELOOP') {
      try {
        return follow(name)
      } catch (cause) {
        // No link: a file where a folder should be, or a folder again, by now.
        throw codeOf(cause) === 'EINVAL' && !isFolder(ground, at, name) ? thrown : cause
      }
    }
    const twin = code === 'ENOENT' ? twinOf(at, name, path) : undefined
    if (twin === undefined || twin === name) throw thrown
    todo.push(twin)
  }

  try {
    for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
      if (name === '..') {
        if (done.length === 0) throw outside()
        turn(done.slice(0, -1))
        continue
      }
      try {
        const next = step(name)
        if (next === undefined) continue
        done.push(name)
        goTo(next)
      } catch (thrown) {
        detour(name, thrown)
      }
    }
    return { place: at, segments: done }
  } catch (thrown) {
    if (at !== root) at.leave()
    throw systemFault(thrown, path)
  }
}
