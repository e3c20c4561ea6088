import { isTestPath } from '../../source/discovery-rules.ts'
import { languageOfFile } from '../../source/file-languages.ts'
import { isInside } from '../names.ts'
import type { Deployable } from '../service-draft.ts'

/** Tells whether the code of a service names a variable. The files of a service are read when it is asked for. */
export const variablesUsed = (
  paths: readonly string[],
  read: (path: string) => string | undefined,
): ((service: Deployable, variable: string) => boolean) => {
  const byFolder = new Map<string, ReadonlySet<string>>()
  const namesIn = (folder: string): ReadonlySet<string> => {
    const names = new Set<string>()
    for (const path of paths) {
      if (!isInside(path, folder) || isTestPath(path) || languageOfFile(path) === undefined) continue
      for (const [name] of (read(path) ?? '').matchAll(/\b[A-Z][A-Z0-9_]{2,}\b/g)) names.add(name)
    }
    return names
  }
  return ({ process, folder = process?.folder }, variable) => {
    if (folder === undefined) return false
    // Frameworks read these without naming them.
    if (/^(SPRING|QUARKUS|MICRONAUT|KAFKA)_/.test(variable)) return true
    const known = byFolder.get(folder) ?? namesIn(folder)
    byFolder.set(folder, known)
    return known.has(variable)
  }
}
