import { Fault } from '../../kernel/fault.ts'
import { type Jail, jailFaults, quotePath } from '../../kernel/jail.ts'
import { createChecks, fileInfo, type JailOptions } from './checks.ts'
import { createFile } from './create.ts'
import { openFolder } from './folder.ts'
import { openBackend, type RootHandle } from './handles.ts'
import { judgeNames, judgePath } from './path.ts'
import { type ResolvedPath, systemFault, walkDown } from './walk.ts'

const isChange = (thrown: unknown): boolean =>
  thrown instanceof Fault && thrown.code === jailFaults.changed.code

/** Editors save by replacing the file: a second attempt finds the new one. */
const retryIfChanged = <T>(attempt: () => T): T => {
  try {
    return attempt()
  } catch (thrown) {
    if (!isChange(thrown)) throw thrown
    return attempt()
  }
}

/** A jail on an open root. It is synchronous: run it in a worker thread, which may hang in a system call. */
export const openJail = (root: RootHandle, options: JailOptions = {}): Jail => {
  const backend = openBackend(root)
  const spellings = [root.path, root.given]
  const checks = createChecks(backend, options)

  const refuseDenied = (path: string, segments: readonly string[]) => {
    if (checks.denies(segments)) throw jailFaults.denied(`denied by the operator: ${quotePath(path)}`)
  }

  /** Checks the requested path, resolves it, and checks the result again: a symlink may lead to a blocked name. */
  const withTarget = <T>(
    path: string,
    rules: Parameters<Jail['info']>[1],
    file: boolean,
    use: (found: ResolvedPath) => T,
  ): T => {
    const asked = judgePath(path, spellings, rules)
    refuseDenied(path, asked.segments)
    judgeNames(path, asked.segments, rules, file)
    return retryIfChanged(() => {
      const found = walkDown(backend, { segments: asked.segments, path, spellings })
      try {
        refuseDenied(path, found.segments)
        judgeNames(path, found.segments, rules, file && !found.handle.stats.isDirectory())
        if (asked.folder && !found.handle.stats.isDirectory()) {
          throw jailFaults.not_a_directory(`not a folder: ${quotePath(path)}`)
        }
        return use(found)
      } catch (thrown) {
        throw systemFault(thrown, path)
      } finally {
        found.handle.close()
      }
    })
  }

  return {
    root: root.path,
    read: (path, rules, { bytes }) =>
      // Errors name the requested path: they must not tell where a symlink leads.
      withTarget(path, rules, true, ({ handle, segments }) => ({
        ...checks.read(handle, path, bytes),
        path: segments.join('/'),
      })),
    info: (path, rules) =>
      withTarget(path, rules, false, ({ handle, segments }) => {
        checks.checkFileSystem(handle, path)
        if (!backend.isInside(handle))
          throw jailFaults.changed(`moved out of the project: ${quotePath(path)}`)
        return fileInfo(handle.stats, segments.join('/'))
      }),
    within: (path, rules, use) =>
      withTarget(path, rules, false, ({ handle, segments }) => {
        if (!handle.stats.isDirectory()) throw jailFaults.not_a_directory(`not a folder: ${quotePath(path)}`)
        checks.checkFileSystem(handle, path)
        return use(openFolder(checks, handle, segments, true))
      }),
    create: (name, bytes) => createFile(backend, name, bytes),
  }
}
