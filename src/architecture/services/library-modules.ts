import { folderOf, joinPath, nameOf } from '../source/source-files.ts'
import { isInFolder } from './service-draft.ts'

/** Modules of a build or a workspace that are libraries: their code is part of the applications that use them. */

interface ModuleSources {
  readonly paths: readonly string[]
  readonly read: (path: string) => string | undefined
  /** Libraries of modules, as their build files name them. */
  readonly dependencies: readonly { readonly module: string; readonly artifactId: string }[]
  /** Packages of a workspace that packages use, by their folders. */
  readonly packages: ReadonlyMap<string, readonly string[]>
}

const MAX_MODULES = 2_000

const GRADLE_PROJECT =
  /^[ \t]*(?:\w*[iI]mplementation|api|runtimeOnly|compile|\w+Api)[ \t(]*(?:project\s*\(\s*(?:path\s*[:=]\s*)?["']:?([\w:.-]+)["']|projects\.([\w.]+))/gm

/** `projects.core.dataStore` is the module `core/data-store`. */
const accessorPath = (accessor: string): string =>
  accessor.replaceAll('.', '/').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const gradleUses = (
  path: string,
  text: string,
  roots: readonly string[],
  folders: ReadonlySet<string>,
): readonly string[] => {
  const root = roots.find((one) => one === '' || path.startsWith(`${one}/`)) ?? ''
  return [...text.matchAll(GRADLE_PROJECT)].flatMap(([whole, named, accessor]) => {
    if (/^\s*(test|androidTest)/.test(whole)) return []
    const below = named === undefined ? accessorPath(accessor ?? '') : named.replaceAll(':', '/')
    const plain = named === undefined ? (accessor ?? '').replaceAll('.', '/') : below
    const found = [below, plain].map((one) => joinPath(root, one)).find((folder) => folders.has(folder))
    return found === undefined ? [] : [found]
  })
}

const gradleScripts = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => /^build\.gradle(\.kts)?$/.test(nameOf(path))).slice(0, MAX_MODULES)

/** The roots of Gradle builds, inner ones first. */
const gradleRoots = (paths: readonly string[]): readonly string[] =>
  paths
    .filter((path) => /^settings\.gradle(\.kts)?$/.test(nameOf(path)))
    .map(folderOf)
    .sort((a, b) => b.length - a.length)

/** For each module the modules that it uses directly, by their folders. */
const directUses = ({
  paths,
  read,
  dependencies,
  packages,
}: ModuleSources): ReadonlyMap<string, readonly string[]> => {
  const scripts = gradleScripts(paths)
  const roots = gradleRoots(paths)
  const folders = new Set(scripts.map(folderOf))
  const uses = new Map<string, readonly string[]>(
    scripts.map((path) => [folderOf(path), gradleUses(path, read(path) ?? '', roots, folders)]),
  )
  const poms = new Map(
    paths
      .filter((path) => nameOf(path) === 'pom.xml')
      .map((path) => [nameOf(folderOf(path)), folderOf(path)]),
  )
  for (const { module, artifactId } of dependencies) {
    const used = poms.get(artifactId)
    if (used !== undefined && used !== module) uses.set(module, [...(uses.get(module) ?? []), used])
  }
  for (const [module, used] of packages) uses.set(module, [...(uses.get(module) ?? []), ...used])
  return uses
}

/** All modules of the builds that have one application: a plugin of the build may add them. */
const modulesOfOnly = (
  applications: readonly string[],
  paths: readonly string[],
): ReadonlyMap<string, readonly string[]> => {
  const roots = gradleRoots(paths)
  const rootOf = (folder: string) => roots.find((one) => isInFolder(folder, one))
  const found = new Map<string, readonly string[]>()
  for (const root of roots) {
    const inside = applications.filter((folder) => rootOf(folder) === root)
    const [only] = inside
    if (only === undefined || inside.length > 1) continue
    const modules = gradleScripts(paths).map(folderOf)
    found.set(
      only,
      modules.filter((folder) => folder !== root && rootOf(folder) === root),
    )
  }
  return found
}

/** The folders of the library modules of each application: those that it uses, directly or through others. */
export const libraryFolders = (
  applications: readonly string[],
  sources: ModuleSources,
): ReadonlyMap<string, readonly string[]> => {
  const uses = directUses(sources)
  const only = modulesOfOnly(applications, sources.paths)
  return new Map(
    applications.map((application) => {
      const found = new Set([...(uses.get(application) ?? []), ...(only.get(application) ?? [])])
      for (const folder of found) for (const one of uses.get(folder) ?? []) found.add(one)
      return [application, [...found].filter((folder) => !applications.includes(folder))]
    }),
  )
}
