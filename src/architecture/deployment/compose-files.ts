import { pushTo } from '../../kernel/multimap.ts'
import { optional } from '../../kernel/optional.ts'
import type { ConfigEntry } from '../source/configuration.ts'
import { collapseDots, folderOf, inOrder, joinPath, nameOf } from '../source/source-files.ts'
import type { DeclaredContainer } from './declared-container.ts'

/** `../api` from a folder; undefined when it leaves the project or is a remote address. */
const relativeFolder = (folder: string, path: string): string | undefined => {
  if (/^[a-z]+:\/\/|^git@|^[/~]|\$/.test(path)) return undefined
  return collapseDots(joinPath(folder, path))
}

interface VolumeEntry {
  readonly key: string
  readonly value: string
}

/** Folders of the project that a service of compose mounts, by their paths in the container. */
const mountedFolders = (folder: string, volumes: readonly VolumeEntry[]): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const add = (source: string, target: string) => {
    // A name without a path is a volume of its own.
    const own = /^\.{1,2}(\/|$)/.test(source) ? relativeFolder(folder, source) : undefined
    const path = target.length > 1 ? target.replace(/\/+$/, '') : target
    if (own !== undefined && path.startsWith('/') && !found.has(path)) found.set(path, own)
  }
  for (const { key, value } of volumes) {
    const [, source, target] = /^([^:]+):(\/[^:]*)(?::\w[\w,]*)?$/.exec(value) ?? []
    if (/\]$/.test(key) && source !== undefined && target !== undefined) add(source, target)
    if (!key.endsWith('].source')) continue
    const at = key.replace(/source$/, 'target')
    add(value, volumes.find((one) => one.key === at)?.value ?? '')
  }
  return found
}

const COMPOSE_FILE = /^(docker-|podman-)?(compose|stack|swarm)([.-][\w.-]+)?\.ya?ml$|^[\w-]+\.compose\.ya?ml$/
/** Files for tests run other containers than the system has. */
const TEST_FILE = /[.-](tests?|e2e|ci)\.ya?ml$/

/** Read with `compose.yaml` unless other files are named. */
const OVERRIDE_FILE = /compose\.override\.ya?ml$/

export const isComposeFile = (path: string): boolean => COMPOSE_FILE.test(nameOf(path))

type Variables = ReadonlyMap<string, string>
interface ServiceEntry extends ConfigEntry {
  readonly name: string
}

const MAX_EXTENDS = 4

/** Variables that are made of each other may double at every step. */
const MAX_VALUE = 4_000

/** `${NAME}`, `${NAME:-default}` and `$NAME`; unknown names stay. */
const interpolate = (text: string, variables: Variables): string => {
  if (!text.includes('$')) return text
  const filled = text.replace(
    /\$\{(\w+)(?::?[-?+]([^${}]*))?\}|\$(\w+)/g,
    (whole, braced?: string, fallback?: string, plain?: string) =>
      variables.get(braced ?? plain ?? '') ?? fallback ?? whole,
  )
  return filled.length > MAX_VALUE ? text : filled
}

/** Variables that are made of others above them. */
const filled = (variables: Variables): Variables => {
  const known = new Map<string, string>()
  for (const [name, value] of variables) known.set(name, interpolate(value, known))
  return known
}

const SERVICE_KEY =
  /^services\.([^[\]]+?)\.((?:build|image|depends_on|links|environment|env_file|command|entrypoint|labels|ports|expose|volumes|configs|extends|hostname|container_name|networks|profiles|restart|deploy|working_dir)\b.*)$/

/** The entries of each service of a file. */
const composeServices = (entries: readonly ConfigEntry[]): ReadonlyMap<string, readonly ServiceEntry[]> => {
  const services = new Map<string, ServiceEntry[]>()
  for (const one of entries) {
    const [, name, key] = SERVICE_KEY.exec(one.key) ?? []
    if (name !== undefined && key !== undefined) pushTo(services, name, { ...one, name, key })
  }
  return services
}

/** `depends_on`, in both notations. */
const waitsFor = ({ key, value }: ServiceEntry): readonly string[] => {
  const [, named] = /^depends_on\.([^.]+)/.exec(key) ?? []
  if (named !== undefined) return [named]
  return /^(depends_on|links)\[\d+\]$/.test(key) ? [value.replace(/:.*/, '')] : []
}

/** `environment` as a list or as a map. A name without a value has the one of the machine. */
const environmentEntry = (
  { key, value }: ServiceEntry,
  known: Variables,
): readonly (readonly [string, string])[] => {
  const [, named] = /^environment\.([\w.-]+)$/.exec(key) ?? []
  if (named !== undefined) return [[named, interpolate(value, known)]]
  if (!/^environment\[\d+\]$/.test(key)) return []
  const at = value.indexOf('=')
  return [
    at < 0 ? [value, known.get(value) ?? ''] : [value.slice(0, at), interpolate(value.slice(at + 1), known)],
  ]
}

class ComposeReader {
  readonly #files: ReadonlyMap<string, readonly ConfigEntry[]>
  readonly #services = new Map<string, ReadonlyMap<string, readonly ServiceEntry[]>>()
  readonly #variables: ReadonlyMap<string, Variables>

  constructor(files: ReadonlyMap<string, readonly ConfigEntry[]>, variables: ReadonlyMap<string, Variables>) {
    this.#files = files
    this.#variables = variables
  }

  services(file: string): ReadonlyMap<string, readonly ServiceEntry[]> {
    const known = this.#services.get(file) ?? composeServices(this.#files.get(file) ?? [])
    this.#services.set(file, known)
    return known
  }

  /** The entries of a service, then those of the service that it extends. */
  #extended(file: string, name: string, depth = 0): readonly ServiceEntry[] {
    const own = this.services(file).get(name) ?? []
    const valueAt = (wanted: string) => own.find(({ key }) => key === wanted)?.value
    const base = valueAt('extends.service') ?? valueAt('extends')
    if (base === undefined || depth > MAX_EXTENDS) return own
    const from = valueAt('extends.file')
    const other = from === undefined ? file : relativeFolder(folderOf(file), from)
    return other === undefined ? own : [...own, ...this.#extended(other, base, depth + 1)]
  }

  /** The variables of the files that a service names. */
  #fileVariables(folder: string, entries: readonly ServiceEntry[], known: Variables): Variables {
    const files = entries.flatMap(({ key, value }) =>
      /^env_file(\[\d+\])?(\.path)?$/.test(key) ? [value] : [],
    )
    return new Map(
      files.flatMap((path) => [
        ...(this.#variables.get(relativeFolder(folder, interpolate(path, known)) ?? '') ?? []),
      ]),
    )
  }

  #environment(folder: string, entries: readonly ServiceEntry[], known: Variables): Variables {
    const inFiles = this.#fileVariables(folder, entries, known)
    const overrides = entries.filter(({ file }) => OVERRIDE_FILE.test(file))
    const own = [...overrides, ...entries].flatMap((one) => environmentEntry(one, known))
    // The first entry wins: files of other deployments come after, and so do services that are extended.
    return new Map([...inFiles, ...own.reverse()])
  }

  /** A service of the files of one folder. */
  container(folder: string, name: string, files: readonly string[]): DeclaredContainer | undefined {
    const known = filled(this.#variables.get(joinPath(folder, '.env')) ?? new Map())
    const entries = files.flatMap((file) => this.#extended(file, name))
    const [first] = entries
    if (first === undefined) return undefined
    const all = (key: RegExp) =>
      entries.filter((one) => key.test(one.key)).map(({ value }) => interpolate(value, known))
    const [context = all(/^build\.dockerfile$/)[0] === undefined ? undefined : '.'] =
      all(/^build(\.context)?$/)
    const built = context === undefined ? undefined : relativeFolder(folder, context)
    const [dockerfile] = all(/^build\.dockerfile$/)
    const [image] = all(/^image$/)
    const [target] = all(/^build\.target$/)
    const [workingDir] = all(/^working_dir$/)
    const mounts = entries.flatMap((one) =>
      one.key.startsWith('volumes[') ? [{ ...one, value: interpolate(one.value, known) }] : [],
    )
    const path =
      built === undefined || dockerfile === undefined ? undefined : relativeFolder(built, dockerfile)
    return {
      name,
      file: first.file,
      line: first.usedAt ?? first.line,
      group: folder,
      isCompose: true,
      isJob: false,
      ...optional({ folder: built, dockerfile: path, target, image }),
      hosts: [...new Set(all(/^(hostname|container_name|networks\.[^.]+\.aliases\[\d+\])$/))],
      ports: all(/^(ports|expose)\[\d+\](\.published|\.target)?$/),
      dependsOn: [...new Set(entries.flatMap(waitsFor))],
      environment: this.#environment(folder, entries, known),
      shared: new Map(),
      values: all(/^(command|entrypoint)(\[\d+\])?$|^build\.args\b/),
      isRouted: entries.some(
        ({ key, value }) =>
          /^labels\b/.test(key) &&
          /traefik\.(enable[=.]?|http\.(routers|services)|frontend)/.test(`${key} ${value}`),
      ),
      mounted: mountedFolders(folder, mounts),
      fromFiles: new Set(this.#fileVariables(folder, entries, known).keys()),
      ...optional({ workingDir }),
      mounts: all(/^volumes\[\d+\](\.source)?$|^configs\[\d+\]/).flatMap(
        (value) => relativeFolder(folder, value.replace(/:.*/, '')) ?? [],
      ),
    }
  }
}

/** `compose.yaml` before the files that change it. */
const inReadingOrder = (a: string, b: string): number => {
  const rank = (file: string) => (/^(docker-|podman-)?compose\.ya?ml$/.test(nameOf(file)) ? 0 : 1)
  return rank(a) - rank(b) || inOrder(a, b)
}

/** The containers of compose files. Files of one folder describe one system. */
export const composeContainers = (
  files: ReadonlyMap<string, readonly ConfigEntry[]>,
  variables: ReadonlyMap<string, Variables>,
): readonly DeclaredContainer[] => {
  const reader = new ComposeReader(files, variables)
  const folders = new Map<string, string[]>()
  for (const file of files.keys())
    if (isComposeFile(file) && !TEST_FILE.test(file)) pushTo(folders, folderOf(file), file)
  return [...folders].flatMap(([folder, own]) => {
    const ordered = own.sort(inReadingOrder)
    const names = new Set(ordered.flatMap((file) => [...reader.services(file).keys()]))
    return [...names].flatMap((name) => reader.container(folder, name, ordered) ?? [])
  })
}
