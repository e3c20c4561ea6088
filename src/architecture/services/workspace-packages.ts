import { folderOf, nameOf } from '../source/source-files.ts'
import type { SourceUnit } from '../source/source-unit.ts'

/** Packages of a JavaScript workspace that use each other. */

const MAX_PACKAGES = 2_000

interface WorkspacePackage {
  readonly folder: string
  readonly name: string
  readonly dependencies: readonly string[]
}

const packageOf = (path: string, text: string | undefined): readonly WorkspacePackage[] => {
  try {
    const { name, dependencies = {} } = JSON.parse(text ?? '') as { name?: unknown; dependencies?: object }
    return typeof name === 'string'
      ? [{ folder: folderOf(path), name, dependencies: Object.keys(dependencies ?? {}) }]
      : []
  } catch {
    return []
  }
}

/** `@shop/lib/money` is a module of the package `@shop/lib`. */
const packageName = (module: string): string =>
  module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/')

/** For each package the folders of those that it depends on, or imports if it declares none. */
export const packageUses = (
  paths: readonly string[],
  read: (path: string) => string | undefined,
  units: readonly SourceUnit[],
): ReadonlyMap<string, readonly string[]> => {
  const packages = paths
    .filter((path) => nameOf(path) === 'package.json')
    .slice(0, MAX_PACKAGES)
    .flatMap((path) => packageOf(path, read(path)))
  if (packages.length < 2) return new Map()
  const folders = new Map(packages.map(({ name, folder }) => [name, folder]))
  const uses = new Map<string, Set<string>>(packages.map(({ folder }) => [folder, new Set()]))
  const use = (folder: string, name: string) => {
    const used = folders.get(name)
    // The package at the root is the workspace.
    if (used !== undefined && used !== '' && used !== folder) uses.get(folder)?.add(used)
  }
  for (const { folder, dependencies } of packages) for (const name of dependencies) use(folder, name)
  const declared = new Set([...uses].filter(([, used]) => used.size > 0).map(([folder]) => folder))
  for (const { file, language, imports } of units) {
    if (language !== 'script') continue
    let at = folderOf(file)
    while (at !== '' && !uses.has(at)) at = folderOf(at)
    if (declared.has(at)) continue
    for (const module of imports) use(at, packageName(module))
  }
  return new Map([...uses].map(([folder, used]) => [folder, [...used].sort()]))
}
