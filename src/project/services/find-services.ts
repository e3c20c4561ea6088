import type { Structure } from '../build/shape.ts'
import { isTestPath } from '../source/discovery-rules.ts'
import { folderOf, inOrder, nameOf } from '../source/source-files.ts'
import type { SourceUnit } from '../source/source-unit.ts'
import { type DeclaredContainer, isComposeFile } from './deployment-files.ts'
import { goDrafts } from './go-programs.ts'
import { jvmBuildDraft, jvmMain } from './jvm-applications.ts'
import { libraryFolders } from './library-modules.ts'
import { packageDraft } from './package-file.ts'
import type { ServiceDraft, ServiceEvidence, ServiceKind } from './service-draft.ts'
import { swiftDraft } from './swift-applications.ts'
import { imageName, technologyOfImage } from './technologies.ts'

/** A part of the project that is deployed on its own. */
export interface Deployable {
  readonly name: string
  /** Relative to the root; empty for the root itself. */
  readonly folder: string
  readonly kind: ServiceKind
  readonly shownBy: readonly ServiceEvidence[]
  /** Further names by which other services reach it. */
  readonly aliases: readonly string[]
  /** Folders of library modules that are part of it. */
  readonly libraries: readonly string[]
}

interface ServiceSources {
  readonly paths: readonly string[]
  readonly units: readonly SourceUnit[]
  readonly structure: Structure
  readonly containers: readonly DeclaredContainer[]
  /** The value of a setting such as `spring.application.name` for the code in a folder. */
  readonly setting: (key: string, folder: string) => string | undefined
  /** Text of a small file of the project. */
  readonly read: (path: string) => string | undefined
}

const BUILD_FILES =
  /^(package\.json|pom\.xml|build\.gradle(\.kts)?|go\.mod|pyproject\.toml|requirements\.txt|setup\.py|Package\.swift|Cargo\.toml)$/

/** The nearest folder above a file that holds a build file or a Dockerfile. */
const moduleFolder = (file: string, folders: ReadonlySet<string>): string => {
  for (let at = folderOf(file); at !== ''; at = folderOf(at)) if (folders.has(at)) return at
  return ''
}

const codeDrafts = (sources: ServiceSources, folders: ReadonlySet<string>): readonly ServiceDraft[] =>
  sources.units.flatMap((unit): readonly ServiceDraft[] => {
    const { file, language, topLevel } = unit
    const at = moduleFolder(file, folders)
    const shows = (line: number, reason: string): ServiceDraft => ({
      folder: at,
      kind: 'service',
      evidence: { file, line, reason },
    })
    if (language === 'java' || language === 'kotlin') {
      const main = jvmMain(unit)
      return main === undefined ? [] : [shows(main.line, main.reason)]
    }
    if (language === 'python') {
      const app = topLevel.locals.find(
        ({ value }) =>
          value?.kind === 'call' && /^(FastAPI|Flask|Starlette|Quart|Sanic|Celery)$/.test(value.call.name),
      )
      if (app !== undefined) return [shows(app.line, `creates the application ${app.name}`)]
      if (nameOf(file) === 'manage.py') return [shows(1, 'manage.py of Django')]
    }
    return []
  })

const JVM_FILE = /^(pom\.xml|build\.gradle(\.kts)?|application\.(conf|ya?ml))$/

const fileDrafts = ({ paths, read, units }: ServiceSources): readonly ServiceDraft[] =>
  paths.flatMap((path): readonly ServiceDraft[] => {
    const name = nameOf(path)
    if (isTestPath(path)) return []
    if (name === 'package.json') return packageDraft(path, read(path))
    if (JVM_FILE.test(name)) return jvmBuildDraft(path, read(path), units)
    const shown = (kind: ServiceKind, folder: string, reason: string): readonly ServiceDraft[] => [
      { folder, kind, evidence: { file: path, line: 1, reason } },
    ]
    if (/^(Dockerfile|Containerfile)$/.test(name)) return shown('service', folderOf(path), name)
    if (
      /(^|\/)src\/main\/AndroidManifest\.xml$/.test(path) &&
      /<application\b[^>]*android:(label|name|icon)/s.test(read(path) ?? '')
    )
      return shown(
        'mobile application',
        path.replace(/\/?src\/main\/AndroidManifest\.xml$/, ''),
        'Android application',
      )
    return swiftDraft(path, read)
  })

/** The folder of a container: the one it is built from, or the one that is named like it or like its image. */
const containerDrafts = (
  { containers, paths }: ServiceSources,
  known: ReadonlySet<string>,
): readonly ServiceDraft[] => {
  const folders = new Set(
    paths.flatMap((path) =>
      BUILD_FILES.test(nameOf(path)) || /^Dockerfile/.test(nameOf(path)) ? [folderOf(path)] : [],
    ),
  )
  // The images of a compose file are those of its own system; manifests are often kept apart from the code.
  const named = (name: string, { file }: DeclaredContainer) =>
    [...known, ...folders]
      .filter((folder) => folderName(folder) === name)
      .filter((folder) => !isComposeFile(file) || isInside(folder, folderOf(file)))
      .sort((a, b) => a.length - b.length || inOrder(a, b))[0]
  return containers.flatMap((one) => {
    const folder =
      one.folder ??
      named(one.name, one) ??
      (one.image === undefined ? undefined : named(imageName(one.image), one))
    if (
      folder === undefined ||
      (one.image !== undefined && one.folder === undefined && technologyOfImage(one.image) !== undefined)
    )
      return []
    return [
      {
        folder,
        name: one.name,
        kind: 'service' as const,
        evidence: { file: one.file, line: one.line, reason: `container ${one.name}` },
      },
    ]
  })
}

const join = (drafts: readonly ServiceDraft[], sources: ServiceSources): readonly Deployable[] => {
  const byFolder = new Map<string, ServiceDraft[]>()
  for (const draft of drafts) byFolder.set(draft.folder, [...(byFolder.get(draft.folder) ?? []), draft])
  return [...byFolder]
    .sort(([a], [b]) => inOrder(a, b))
    .map(([folder, group]) => {
      const names = group.flatMap(({ name }) => (name === undefined ? [] : [name]))
      const configured = sources.setting('spring.application.name', folder)
      const own = folderName(folder) || sources.structure.project.name || 'application'
      const aliases = [
        ...names,
        ...(configured === undefined ? [] : [configured]),
        ...group.flatMap(({ aliases = [] }) => aliases),
        own,
      ]
      const kinds = group.map(({ kind }) => kind)
      return {
        name: configured ?? names[0] ?? own,
        folder,
        kind:
          (['mobile application', 'desktop application', 'web application', 'command'] as const).find(
            (kind) => kinds.includes(kind) && !(kind === 'command' && kinds.includes('service')),
          ) ?? 'service',
        shownBy: group.map(({ evidence }) => evidence),
        aliases: [...new Set(aliases)],
        libraries: [...new Set(group.flatMap(({ libraries = [] }) => libraries))],
      }
    })
}

/** A Dockerfile or a container at the root of a project whose parts are deployed on their own is not a part itself. */
const withoutEmptyRoot = (
  services: readonly Deployable[],
  units: readonly SourceUnit[],
): readonly Deployable[] =>
  services.filter(({ folder }) => {
    const inside = services.filter((one) => one.folder !== folder && isInside(one.folder, folder))
    return (
      inside.length === 0 ||
      units.some(({ file }) => isInside(file, folder) && !inside.some((one) => isInside(file, one.folder)))
    )
  })

/** Folders named for what they hold; the service has the name of the folder above. */
const GENERIC_FOLDER = /^(src|app|main|source|docker|build|cmd)$/

const folderName = (folder: string): string =>
  GENERIC_FOLDER.test(nameOf(folder)) && folderOf(folder) !== '' ? nameOf(folderOf(folder)) : nameOf(folder)

const isInside = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`)

/** Services of one name are named by their folders. */
const distinctNames = (services: readonly Deployable[]): readonly Deployable[] =>
  services.map((service) =>
    services.some((one) => one !== service && one.name === service.name) && service.folder !== ''
      ? { ...service, name: service.folder }
      : service,
  )

/** The deployables of a project, in the order of their folders. */
export const findServices = (sources: ServiceSources): readonly Deployable[] => {
  const folders = new Set(
    sources.paths
      .filter((path) => BUILD_FILES.test(nameOf(path)) || nameOf(path) === 'Dockerfile')
      .map(folderOf),
  )
  const programs = goDrafts(sources.units, (file) => moduleFolder(file, folders))
  const shown = [...codeDrafts(sources, folders), ...programs, ...fileDrafts(sources)]
  const drafts = [...shown, ...containerDrafts(sources, new Set(shown.map(({ folder }) => folder)))]
  return withLibraries(distinctNames(withoutEmptyRoot(join(drafts, sources), sources.units)), sources)
}

const withLibraries = (
  services: readonly Deployable[],
  { paths, read, structure }: ServiceSources,
): readonly Deployable[] => {
  const folders = services.map(({ folder }) => folder)
  const libraries = libraryFolders(folders, { paths, read, dependencies: structure.dependencies })
  return services.map((service) => ({
    ...service,
    libraries: [...service.libraries, ...(libraries.get(service.folder) ?? [])],
  }))
}

/** The service that a file belongs to: the one with the longest folder, or the only one that uses its module. */
export const serviceOf = (file: string, services: readonly Deployable[]): Deployable | undefined => {
  const around = services
    .filter(({ folder }) => isInside(file, folder))
    .reduce<Deployable | undefined>(
      (best, one) => (best === undefined || one.folder.length > best.folder.length ? one : best),
      undefined,
    )
  if (around !== undefined) return around
  const users = services.filter(({ libraries }) => libraries.some((folder) => isInside(file, folder)))
  return users.length === 1 ? users[0] : undefined
}
