import { optional } from '../../kernel/optional.ts'
import type { DeclaredContainer } from '../deployment/declared-container.ts'
import { copiedConfiguration, isDockerfile, namedFolders, readDockerfile } from '../deployment/dockerfile.ts'
import {
  imageName,
  imagePath,
  type Technology,
  technologyOfDatabase,
  technologyOfImage,
  technologyOfVariant,
} from '../deployment/technologies.ts'
import { folderOf, inOrder, joinPath, nameOf } from '../source/source-files.ts'
import type { PlacedContainer } from './containers.ts'
import { folderName, isInFolder, type ServiceDraft } from './service-draft.ts'

/** Images that run the code that is put into them. */
const RUNTIME =
  /^(node|deno|bun|python|pypy|golang|go|openjdk|eclipse-temurin|amazoncorretto|maven|gradle|ruby|php|dotnet|sdk|rust)$/
const MAX_TEXT = 2_000

/** The last `WORKDIR` of an image, or the folder that a command changes to. */
const workingDirOf = (
  { workingDir, values }: DeclaredContainer,
  lines: readonly string[],
): string | undefined => {
  const command = values.join(' ').slice(0, MAX_TEXT)
  const [, entered] = /(?:^|[\s"'])cd\s+(\/[\w./-]+)/.exec(command) ?? []
  const built = lines.flatMap((line) => /^\s*WORKDIR\s+(\/[\w./-]+)\s*$/i.exec(line)?.[1] ?? []).at(-1)
  return (entered ?? workingDir ?? built)?.replace(/(.)\/+$/, '$1')
}

/** The folder of the project that is mounted where a container works, when it holds code. */
const mountedCode = (
  one: DeclaredContainer,
  lines: readonly string[],
  holdsCode: (folder: string) => boolean,
): string | undefined => {
  const mounted = [...(one.mounted ?? [])]
  const at = mounted.length === 0 ? undefined : workingDirOf(one, lines)
  const around = mounted
    .filter(([path]) => at !== undefined && isInFolder(at, path))
    .sort(([a], [b]) => b.length - a.length)[0]
  if (at !== undefined && around !== undefined) {
    const [path, folder] = around
    const found = joinPath(folder, at.slice(path.length + 1)).replace(/\/$/, '')
    return holdsCode(found) ? found : undefined
  }
  const isRuntime = one.folder === undefined && RUNTIME.test(imageName(one.image ?? ''))
  const [only, ...others] = isRuntime ? new Set(mounted.map(([, folder]) => folder).filter(holdsCode)) : []
  return others.length === 0 ? only : undefined
}

/** Folders of files about deployment: the code is beside them. */
const DEPLOYMENT_FOLDER =
  /(^|\/)(deploy|deployments?|docker|containers?|([\w-]+-)?dockerfiles?|scripts?|infra|infrastructure|ops|devops|compose|docker-compose|build|ci|local|dev|prod|production)$/

const withoutDeployment = (folder: string): string => {
  let at = folder
  while (DEPLOYMENT_FOLDER.test(at)) at = folderOf(at)
  return at
}

const firstDefined = <T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined => {
  for (const one of items) {
    const found = find(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** Finds the code that a container runs. */
export class ContainerFolders {
  readonly #drafts: readonly ServiceDraft[]
  /** Folders with a build file or a Dockerfile. */
  readonly #folders: ReadonlySet<string>
  readonly #texts: ReadonlyMap<string, string>
  readonly #byName = new Map<string, string[]>()

  readonly #project: string

  constructor(
    drafts: readonly ServiceDraft[],
    folders: ReadonlySet<string>,
    texts: ReadonlyMap<string, string>,
    project: string,
  ) {
    this.#project = project.toLowerCase()
    this.#drafts = drafts
    this.#folders = folders
    this.#texts = texts
    for (const folder of new Set([...drafts.map((one) => one.folder), ...folders])) {
      const name = folderName(folder)
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), folder])
    }
  }

  #holdsCode(folder: string): boolean {
    return this.#folders.has(folder) || this.#drafts.some((one) => one.folder === folder)
  }

  /** The store or broker that a Dockerfile adds files to. */
  technologyIn(dockerfile: string): Technology | undefined {
    const text = this.#texts.get(dockerfile)
    const base = text === undefined ? undefined : readDockerfile(text)?.base
    return base === undefined ? undefined : technologyOfVariant(base)
  }

  /** The one deployable that a Dockerfile copies into its image. */
  #copied(dockerfile: string, target?: string): string | undefined {
    const text = this.#texts.get(dockerfile)
    const image = text === undefined ? undefined : readDockerfile(text, target)
    if (image === undefined) return undefined
    const names = namedFolders(image, [...new Set(this.#drafts.map(({ folder }) => folder))])
    const services = names.filter((folder) =>
      this.#drafts.some((one) => one.folder === folder && one.kind === 'service'),
    )
    return names.length === 1 ? names[0] : services.length === 1 ? services[0] : undefined
  }

  /** The folder of the code of a Dockerfile, which may stand in a folder of its own. */
  folderOfDockerfile(path: string, context = '', target?: string): string {
    const folder = folderOf(path)
    const [, suffix] = /(?:^|\/)(?:Dockerfile|Containerfile)[.-]([\w-]+)$/i.exec(path) ?? []
    const [, prefix] = /(?:^|\/)([\w-]+)\.(?:Dockerfile|Containerfile)$/i.exec(path) ?? []
    const named = suffix ?? prefix
    const above = withoutDeployment(folder)
    const alike = named === undefined ? undefined : (this.#named(named, folder) ?? this.#named(named, above))
    if (alike !== undefined) return alike
    const isOwn =
      (this.#holdsCode(folder) && folder !== '' && folder === above) || !isInFolder(folder, context)
    if (isOwn && this.#drafts.some((one) => isInFolder(one.folder, folder))) {
      const inner = this.#drafts.some((one) => one.folder === folder) ? undefined : this.#copied(path, target)
      return inner ?? folder
    }
    return (
      this.#copied(path, target) ??
      (folder === above ? folder : (this.#named(folderName(folder), above, folder) ?? above))
    )
  }

  /** The folder of a name below another one, the shortest first. */
  #named(name: string, inside: string, except?: string): string | undefined {
    return (this.#byName.get(name) ?? [])
      .filter((folder) => isInFolder(folder, inside) && folder !== except)
      .sort((a, b) => a.length - b.length || inOrder(a, b))[0]
  }

  /** The folder of the code: what is mounted counts where the image holds no code, or where several share it. */
  #codeFolder(one: DeclaredContainer, isShared: boolean): string | undefined {
    const isCode = (folder: string) => this.#drafts.some((draft) => draft.folder === folder)
    const mounted = mountedCode(one, this.#linesOf(one), isCode)
    if (mounted !== undefined && (one.folder === undefined || (isShared && mounted !== ''))) return mounted
    const built = this.#builtFolder(one, isShared)
    return mounted === undefined || (built !== undefined && isCode(built)) ? built : mounted
  }

  #linesOf({ folder, dockerfile, target }: DeclaredContainer): readonly string[] {
    const path = folder === undefined ? undefined : (dockerfile ?? joinPath(folder, 'Dockerfile'))
    return path === undefined ? [] : (readDockerfile(this.#texts.get(path) ?? '', target)?.lines ?? [])
  }

  #builtFolder(one: DeclaredContainer, isShared: boolean): string | undefined {
    const { folder, dockerfile, image, name } = one
    // The images of a compose file are those of its own system; manifests are often kept apart from the code.
    const inside = one.isCompose ? withoutDeployment(one.group) : ''
    const names = [name, ...(image === undefined ? [] : [imageName(image)])]
    if (folder === undefined) {
      const alike = [...names, ...names.flatMap((each) => this.#withoutPrefix(each, one))]
      return firstDefined(alike, (each) => this.#named(each, inside)) ?? this.#wholeProject(one)
    }
    const built =
      dockerfile === undefined ? undefined : this.folderOfDockerfile(dockerfile, folder, one.target)
    if (built !== undefined && built !== folder && built !== '') return built
    const copied = this.#copied(
      dockerfile ?? (folder === '' ? 'Dockerfile' : `${folder}/Dockerfile`),
      one.target,
    )
    return (isShared ? (this.#named(name, folder) ?? copied) : copied) ?? folder
  }

  /** `crapi-workshop` in the project or the registry `crapi` is the workshop. */
  #withoutPrefix(name: string, { image }: DeclaredContainer): readonly string[] {
    const owner = imagePath(image ?? '')
      .split('/')
      .at(-2)
    return [this.#project, ...(owner === undefined ? [] : [owner])].flatMap((prefix) =>
      prefix !== '' && name.toLowerCase().startsWith(`${prefix}-`) ? [name.slice(prefix.length + 1)] : [],
    )
  }

  /** An image that is called like the project is built from its Dockerfile. */
  #wholeProject({ name, image }: DeclaredContainer): string | undefined {
    const isNamed = [name, imageName(image ?? '')].includes(this.#project)
    if (!isNamed) return undefined
    if (this.#texts.has('Dockerfile')) return this.folderOfDockerfile('Dockerfile')
    const buildsAll = (path: string) => isDockerfile(path) && this.folderOfDockerfile(path) === ''
    return [...this.#texts.keys()].some(buildsAll) ? '' : undefined
  }

  #technology(one: DeclaredContainer, codeFolder: string | undefined): Technology | undefined {
    // A job that runs the image of a database is a client of it.
    if (one.isJob) return undefined
    if (codeFolder !== undefined) {
      // An image without code of the project that stands in for a store: `firestore-emulator`.
      const emulator = [folderName(codeFolder), one.name].find((each) => /[-_]?emulator$/.test(each))
      if (emulator !== undefined && !this.#drafts.some(({ folder }) => folder === codeFolder))
        return technologyOfImage(emulator)
      const at = codeFolder === '' ? 'Dockerfile' : `${codeFolder}/Dockerfile`
      const text = this.#texts.get(one.dockerfile ?? at) ?? ''
      // The base may be an argument of the build.
      return readDockerfile(text)?.base === '' && one.image !== undefined
        ? technologyOfImage(one.image)
        : this.technologyIn(one.dockerfile ?? at)
    }
    const names = [...one.environment.keys(), ...one.shared.keys()]
    return (
      (one.image === undefined ? undefined : technologyOfVariant(one.image)) ??
      technologyOfDatabase(one.name, names, one.ports)
    )
  }

  /** Files of configuration in the image of a container; without `build`, of the Dockerfile named after it. */
  #copiedInto({ folder, dockerfile, name, target }: DeclaredContainer): readonly string[] {
    const named = (path: string) =>
      isDockerfile(path) && [`${name}.dockerfile`, `dockerfile.${name}`].includes(nameOf(path).toLowerCase())
    const path =
      folder === undefined
        ? [...this.#texts.keys()].find(named)
        : (dockerfile ?? joinPath(folder, 'Dockerfile'))
    const image = path === undefined ? undefined : readDockerfile(this.#texts.get(path) ?? '', target)
    if (path === undefined || image === undefined) return []
    return copiedConfiguration(image).map((file) => joinPath(folder ?? folderOf(path), file))
  }

  place(declared: readonly DeclaredContainer[]): readonly PlacedContainer[] {
    const contexts = declared.map(({ group, folder }) => `${group}\0${folder}`)
    const counts = new Map<string, number>()
    for (const key of contexts) counts.set(key, (counts.get(key) ?? 0) + 1)
    return declared.map((one, at) => {
      const own =
        one.image === undefined || one.folder !== undefined || one.isJob
          ? undefined
          : technologyOfImage(one.image)
      const codeFolder =
        own === undefined ? this.#codeFolder(one, (counts.get(contexts[at] ?? '') ?? 0) > 1) : undefined
      const technology = own ?? this.#technology(one, codeFolder)
      return {
        ...one,
        mounts: [...one.mounts, ...this.#copiedInto(one)],
        ...optional({ codeFolder, technology }),
      }
    })
  }
}
