import { Fault } from '../../kernel/fault.ts'
import { type Jail, jailFaults, quotePath } from '../../kernel/jail.ts'
import { createChecks, fileInfo, type JailOptions } from './checks.ts'
import { createFile } from './create.ts'
import { holdFolder } from './folder.ts'
import { openBackend, type RootHandle } from './handles.ts'
import { judgeNames, judgePath } from './path.ts'
import { type ResolvedPath, systemFault, walkDown } from './walk.ts'

const isChange = (thrown: unknown): boolean =>
  thrown instanceof Fault && thrown.code === jailFaults.changed.code

/** Whoever saves a file the usual way replaces it; one more look finds the new one. */
const twice = <T>(attempt: () => T): T => {
  try {
    return attempt()
  } catch (thrown) {
    if (!isChange(thrown)) throw thrown
    return attempt()
  }
}

/** A jail on a root that is held. It works synchronously: it belongs into a thread that may hang. */
export const openJail = (root: RootHandle, options: JailOptions = {}): Jail => {
  const backend = openBackend(root)
  const spellings = [root.path, root.given]
  const checks = createChecks(backend, options)

  const refuseDenied = (path: string, segments: readonly string[]) => {
    if (checks.denies(segments)) throw jailFaults.denied(`kept out of sight: ${quotePath(path)}`)
  }

  /** Lexical, then names, then the walk, then names again: a link may lead to what its own name hides. */
  const locate = <T>(
    path: string,
    rules: Parameters<Jail['info']>[1],
    file: boolean,
    use: (found: ResolvedPath) => T,
  ): T => {
    const asked = judgePath(path, spellings)
    refuseDenied(path, asked.segments)
    judgeNames(path, asked.segments, rules, file)
    return twice(() => {
      const found = walkDown(backend, asked.segments, path, spellings)
      try {
        refuseDenied(path, found.segments)
        judgeNames(path, found.segments, rules, file && !found.place.stats.isDirectory())
        if (asked.folder && !found.place.stats.isDirectory()) {
          throw jailFaults.not_a_directory(`not a folder: ${quotePath(path)}`)
        }
        return use(found)
      } catch (thrown) {
        throw systemFault(thrown, path)
      } finally {
        found.place.close()
      }
    })
  }

  return {
    root: root.path,
    read: (path, rules, { bytes }) =>
      // What goes wrong is told in the caller's own words: where a link leads is not for errors to say.
      locate(path, rules, true, ({ place, segments }) => ({
        ...checks.read(place, path, bytes),
        path: segments.join('/'),
      })),
    info: (path, rules) =>
      locate(path, rules, false, ({ place, segments }) => {
        checks.place(place, path)
        if (!backend.holds(place)) throw jailFaults.changed(`moved away: ${quotePath(path)}`)
        return fileInfo(place.stats, segments.join('/'))
      }),
    within: (path, rules, use) =>
      locate(path, rules, false, ({ place, segments }) => {
        if (!place.stats.isDirectory()) throw jailFaults.not_a_directory(`not a folder: ${quotePath(path)}`)
        checks.place(place, path)
        return use(holdFolder(checks, place, segments, true))
      }),
    create: (name, bytes) => createFile(backend, name, bytes),
  }
}
