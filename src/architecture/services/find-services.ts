import type { Structure } from '../build/shape.ts'
import type { DeclaredContainer } from '../deployment/declared-container.ts'
import { isTestPath } from '../source/discovery-rules.ts'
import { folderOf, inOrder, nameOf } from '../source/source-files.ts'
import type { SourceUnit } from '../source/source-unit.ts'
import { ContainerFolders } from './container-folders.ts'
import { type Container, mergeContainers } from './containers.ts'
import { goDrafts } from './go-programs.ts'
import { backgroundProcesses, imageDrafts, imageServices, processServices } from './image-services.ts'
import {
  androidDraft,
  jvmBuildDraft,
  jvmMain,
  pythonApplication,
  pythonCommandDraft,
  swiftDraft,
} from './jvm-applications.ts'
import { libraryFolders } from './library-modules.ts'
import { nestDrafts, packageDraft, packageUses, startedFolder } from './package-file.ts'
import {
  chooseName,
  type Deployable,
  folderName,
  isDeveloperFile,
  isExample,
  isInFolder,
  isVendored,
  type ServiceDraft,
  type ServiceKind,
} from './service-draft.ts'
import { type CloudResource, cloudResources, cloudServices } from './terraform.ts'

export interface ServicesFound {
  /** Those with a folder in the order of their folders, then the others. */
  readonly services: readonly Deployable[]
  readonly containers: readonly Container[]
  /** The service that a container runs. */
  readonly serviceIn: ReadonlyMap<Container, Deployable>
  /** Stores and brokers that Terraform creates. */
  readonly resources: readonly CloudResource[]
}

interface ServiceSources {
  readonly paths: readonly string[]
  readonly units: readonly SourceUnit[]
  readonly structure: Structure
  readonly declared: readonly DeclaredContainer[]
  /** Dockerfiles and other files about deployment, by path. */
  readonly texts: ReadonlyMap<string, string>
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
    const { file, language } = unit
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
      const app = pythonApplication(unit)
      if (app !== undefined) return [shows(app.line, app.reason)]
    }
    return []
  })

const JVM_FILE = /^(pom\.xml|build\.gradle(\.kts)?|application\.(conf|ya?ml))$/

const fileDrafts = (
  { paths, read, units }: ServiceSources,
  packages: ReadonlyMap<string, readonly string[]>,
): readonly ServiceDraft[] => {
  const used = new Set([...packages.values()].flat())
  return paths.flatMap((path): readonly ServiceDraft[] => {
    const name = nameOf(path)
    if (isTestPath(path)) return []
    if (name === 'package.json') return packageDraft(path, read(path), used.has(folderOf(path)))
    if (name === 'nest-cli.json') return nestDrafts(path, read(path), units)
    if (JVM_FILE.test(name)) return jvmBuildDraft(path, read(path), units)
    const shown = (kind: ServiceKind, folder: string, reason: string): readonly ServiceDraft[] => [
      { folder, kind, evidence: { file: path, line: 1, reason } },
    ]
    if (name === 'pyproject.toml') return pythonCommandDraft(path, read(path))
    if (name === 'AndroidManifest.xml') return androidDraft(path, read)
    if (/\.csproj$/.test(path) && /<Project\s+Sdk="Microsoft\.NET\.Sdk\.(Web|Worker)"/.test(read(path) ?? ''))
      return shown('service', folderOf(path), name)
    if (name === 'Procfile' || name === 'fly.toml') return shown('service', folderOf(path), name)
    return swiftDraft(path, read)
  })
}

const join = (drafts: readonly ServiceDraft[], sources: ServiceSources): readonly FolderService[] => {
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
        name: configured ?? chooseName(names, folderName(folder)) ?? own,
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

/** A service whose code is here. */
type FolderService = Deployable & { readonly folder: string }

/** Configuration of a tool, written as code: `eslint.config.mjs`. */
const TOOL_CONFIG = /\.config\.\w+$/

/** A Dockerfile or a container at the root of a project whose parts are deployed on their own is not a part itself. */
const withoutEmptyRoot = (
  services: readonly FolderService[],
  units: readonly SourceUnit[],
): readonly FolderService[] =>
  services.filter(({ folder }) => {
    const inside = services.filter((one) => one.folder !== folder && isInFolder(one.folder, folder))
    const parts = inside.flatMap((one) => [one.folder, ...one.libraries])
    return (
      inside.length === 0 ||
      units.some(
        ({ file }) =>
          isInFolder(file, folder) &&
          !parts.some((one) => isInFolder(file, one)) &&
          !isDeveloperFile(file, folder) &&
          !TOOL_CONFIG.test(file),
      )
    )
  })

/** Services of one name are named by their folders. */
const distinctNames = (services: readonly FolderService[]): readonly FolderService[] =>
  services.map((service) =>
    services.some((one) => one !== service && one.name === service.name) && service.folder !== ''
      ? { ...service, name: service.folder }
      : service,
  )

/** The deployables of a project, and the containers of its systems. */
export const findServices = (sources: ServiceSources): ServicesFound => {
  const folders = new Set(
    sources.paths.filter((path) => BUILD_FILES.test(nameOf(path)) && !isTestPath(path)).map(folderOf),
  )
  const modules = new Set([
    ...folders,
    ...sources.paths.filter((path) => nameOf(path) === 'Dockerfile').map(folderOf),
  ])
  const programs = goDrafts(sources.units, (file) => moduleFolder(file, modules))
  const packages = packageUses(sources.paths, sources.read, sources.units)
  const shown = [...codeDrafts(sources, modules), ...programs, ...fileDrafts(sources, packages)]
  // What starts the workspace starts one of its packages.
  const started = startedFolder(sources.read('package.json'), shown)
  const moved = <T extends { readonly folder: string }>(one: T): T =>
    one.folder === '' && started !== undefined ? { ...one, folder: started } : one
  const coded = shown.map(moved)
  const places = new ContainerFolders(coded, modules, sources.texts, sources.structure.project.name)
  const containers = mergeContainers(
    places
      .place(sources.declared.filter(({ file }) => !isVendored(file) && !isExample(file)))
      .map((one) => (one.codeFolder === '' && started !== undefined ? { ...one, codeFolder: started } : one)),
  )
  const processes = backgroundProcesses(containers)
  const known = [
    ...coded,
    ...containers.flatMap((one) => {
      const { codeFolder, technology, name, hosts, shownBy, isJob } = one
      return codeFolder === undefined || technology !== undefined || processes.has(one)
        ? []
        : shownBy.map((evidence) => ({
            folder: codeFolder,
            ...(codeFolder === started ? {} : { name }),
            aliases: [name, ...hosts],
            kind: isJob ? ('command' as const) : ('service' as const),
            evidence,
          }))
    }),
  ]
  const drafts = [...known, ...imageDrafts(sources.texts, known, folders, places, containers).map(moved)]
  const services = distinctNames(
    withoutEmptyRoot(withLibraries(join(drafts, sources), sources, packages), sources.units),
  )
  const taken = new Set(services.map(({ name }) => name))
  const others = [...imageServices(containers, taken), ...processServices(processes, taken)]
  const resources = cloudResources(sources.texts)
  const built = containers.flatMap((one) => {
    const service = services.find(({ folder }) => folder === one.codeFolder)
    const isOther = one.technology !== undefined || processes.has(one)
    return service === undefined || isOther ? [] : [[one, service] as const]
  })
  return {
    services: [
      ...services,
      ...others.map(([, service]) => service),
      ...cloudServices(resources, [...services, ...others.map(([, service]) => service)]),
    ],
    containers,
    resources: resources.filter(({ kind }) => kind !== 'service'),
    serviceIn: new Map<Container, Deployable>([...built, ...others]),
  }
}

const withLibraries = (
  services: readonly FolderService[],
  { paths, read, structure }: ServiceSources,
  packages: ReadonlyMap<string, readonly string[]>,
): readonly FolderService[] => {
  const folders = services.map(({ folder }) => folder)
  const libraries = libraryFolders(folders, {
    paths,
    read,
    dependencies: structure.dependencies,
    packages,
  })
  return services.map((service) => ({
    ...service,
    libraries: [...service.libraries, ...(libraries.get(service.folder) ?? [])],
    direct: packages.get(service.folder) ?? [],
  }))
}
