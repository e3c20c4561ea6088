import type { ConfigEntry } from '../source/configuration-files.ts'
import { folderOf, joinPath, nameOf } from '../source/source-files.ts'

/** A container that a compose file or a Kubernetes manifest declares. */
export interface DeclaredContainer {
  readonly name: string
  readonly file: string
  readonly line: number
  /** The folder that its image is built from, when the file says so. */
  readonly folder?: string
  readonly image?: string
  readonly ports: readonly string[]
  /** Names of containers that it waits for. */
  readonly dependsOn: readonly string[]
  /** Values of its environment and arguments, which may hold addresses of other containers. */
  readonly values: readonly string[]
}

const COMPOSE_FILE = /^(docker-)?compose([.-][\w-]+)*\.ya?ml$/
export const isComposeFile = (path: string): boolean => COMPOSE_FILE.test(nameOf(path))

const WORKLOAD = /^(Deployment|StatefulSet|DaemonSet|Rollout|CronJob|Job|Pod)$/

const groupBy = <T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}

const valuesOf = (entries: readonly ConfigEntry[], key: RegExp): readonly string[] =>
  entries.filter((one) => key.test(one.key)).map(({ value }) => value)

/** `../api` from the folder of the compose file; undefined when it leaves the project or is a remote address. */
const buildFolder = (file: string, context: string): string | undefined => {
  if (/^[a-z]+:\/\/|^git@|\$\{/.test(context)) return undefined
  const steps: string[] = []
  for (const step of joinPath(folderOf(file), context).split('/')) {
    if (step === '' || step === '.') continue
    if (step === '..') {
      if (steps.pop() === undefined) return undefined
    } else steps.push(step)
  }
  return steps.join('/')
}

const SERVICE_KEY = /^services\.([^.[\]]+)\.(.+)$/

const composeContainers = (file: string, entries: readonly ConfigEntry[]): readonly DeclaredContainer[] => {
  const own = entries.flatMap((one) => {
    const [, name, key] = SERVICE_KEY.exec(one.key) ?? []
    return name === undefined || key === undefined ? [] : [{ ...one, name, key }]
  })
  return [...groupBy(own, ({ name }) => name)].map(([name, group]) => {
    const context = group.find(({ key }) => key === 'build' || key === 'build.context')?.value
    const folder = context === undefined ? undefined : buildFolder(file, context)
    const image = group.find(({ key }) => key === 'image')?.value
    const waits = group.flatMap(({ key, value }) => {
      const [, named] = /^depends_on\.([^.]+)/.exec(key) ?? []
      return named !== undefined
        ? [named]
        : /^(depends_on|links)\[\d+\]$/.test(key)
          ? [value.replace(/:.*/, '')]
          : []
    })
    return {
      name,
      file,
      line: group[0]?.line ?? 1,
      ...(folder !== undefined && { folder }),
      ...(image !== undefined && { image }),
      ports: valuesOf(group, /^(ports|expose)\[\d+\](\.published|\.target)?$/),
      dependsOn: [...new Set(waits)],
      values: valuesOf(group, /^(environment|command|args)\b/),
    }
  })
}

/** Documents of a manifest: each begins with `apiVersion`. */
const manifestDocuments = (entries: readonly ConfigEntry[]): readonly (readonly ConfigEntry[])[] => {
  const documents: ConfigEntry[][] = []
  const seen = new Set<string>()
  for (const one of entries) {
    const starts = one.key === 'apiVersion' || one.key === 'kind'
    if (documents.length === 0 || (starts && seen.has(one.key))) {
      documents.push([])
      seen.clear()
    }
    seen.add(one.key)
    documents.at(-1)?.push(one)
  }
  return documents
}

const kubernetesContainers = (file: string, entries: readonly ConfigEntry[]): readonly DeclaredContainer[] =>
  manifestDocuments(entries).flatMap((document) => {
    const find = (key: string) => document.find((one) => one.key === key)
    if (!WORKLOAD.test(find('kind')?.value ?? '')) return []
    const name = find('metadata.name')
    if (name === undefined) return []
    const image = valuesOf(document, /\bcontainers\[0\]\.image$/)[0]
    return [
      {
        name: name.value,
        file,
        line: name.line,
        ...(image !== undefined && { image }),
        ports: valuesOf(document, /\.containerPort$/),
        dependsOn: [],
        values: valuesOf(document, /\bcontainers\[\d+\]\.(env\[\d+\]\.value|args\[\d+\]|command\[\d+\])$/),
      },
    ]
  })

/** Containers in compose files and Kubernetes manifests, in the order of their files. */
export const declaredContainers = (settings: readonly ConfigEntry[]): readonly DeclaredContainer[] =>
  [...groupBy(settings, ({ file }) => file)].flatMap(([file, entries]) => {
    if (isComposeFile(file)) return composeContainers(file, entries)
    const isManifest = entries.some(({ key }) => key === 'apiVersion')
    return isManifest ? kubernetesContainers(file, entries) : []
  })
