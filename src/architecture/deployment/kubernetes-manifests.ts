import { pushTo } from '../../kernel/multimap.ts'
import { optional } from '../../kernel/optional.ts'
import type { ConfigEntry } from '../source/configuration.ts'
import { folderOf } from '../source/source-files.ts'
import type { DeclaredContainer } from './declared-container.ts'

const WORKLOAD = /^(Deployment|StatefulSet|DaemonSet|Rollout|CronJob|Job|Pod|DeploymentConfig|Service)$/
const JOB = /^(CronJob|Job)$/

type Manifest = readonly ConfigEntry[]

/** Documents of a manifest: each begins with `apiVersion`. */
const manifestDocuments = (entries: readonly ConfigEntry[]): readonly Manifest[] => {
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

const valueAt = (manifest: Manifest, key: string): string | undefined =>
  manifest.find((one) => one.key === key)?.value

/** The entries below a key, without it. */
const below = (manifest: Manifest, prefix: RegExp): ReadonlyMap<string, string> =>
  new Map(
    manifest.flatMap(({ key, value }) => {
      const found = prefix.exec(key)
      return found === null ? [] : [[key.slice(found.index + found[0].length), value] as const]
    }),
  )

/** ConfigMaps, Secrets and Services of one group of files, which workloads refer to by name. */
class ManifestGroup {
  readonly #maps = new Map<string, ReadonlyMap<string, string>>()
  readonly #services: { readonly name: string; readonly selector: ReadonlyMap<string, string> }[] = []

  constructor(manifests: readonly Manifest[]) {
    for (const manifest of manifests) {
      const kind = valueAt(manifest, 'kind') ?? ''
      const name = valueAt(manifest, 'metadata.name')
      if (name === undefined) continue
      const values = below(manifest, /^(data|stringData)\./)
      if (/^(ConfigMap|Secret)$/.test(kind) && !this.#maps.has(name)) this.#maps.set(name, values)
      const selector = below(manifest, /^spec\.selector\.(?!match)/)
      if (kind === 'Service' && selector.size > 0) this.#services.push({ name, selector })
    }
  }

  /** Names of the Services whose selector fits a workload. */
  hosts(workload: Manifest): readonly string[] {
    const labels = below(workload, /\btemplate\.metadata\.labels\.|^metadata\.labels\./)
    return this.#services
      .filter(({ selector }) => [...selector].every(([key, value]) => labels.get(key) === value))
      .map(({ name }) => name)
  }

  environment(workload: Manifest): ReadonlyMap<string, string> {
    const byIndex = new Map<string, Map<string, string>>()
    for (const { key, value } of workload) {
      const [, at, field] = /\b(containers\[\d+\]\.env\[\d+\])\.(.+)$/.exec(key) ?? []
      if (at === undefined || field === undefined) continue
      byIndex.set(at, (byIndex.get(at) ?? new Map()).set(field, value))
    }
    return new Map(
      [...byIndex.values()].flatMap((one) => {
        const name = one.get('name')
        const map = one.get('valueFrom.configMapKeyRef.name') ?? one.get('valueFrom.secretKeyRef.name')
        const key = one.get('valueFrom.configMapKeyRef.key') ?? one.get('valueFrom.secretKeyRef.key') ?? ''
        const value = one.get('value') ?? this.#maps.get(map ?? '')?.get(key)
        return name === undefined || value === undefined ? [] : [[name, value] as const]
      }),
    )
  }

  /** Whole ConfigMaps and Secrets as environment. */
  shared(workload: Manifest): ReadonlyMap<string, string> {
    const names = workload.flatMap(({ key, value }) =>
      /\bcontainers\[\d+\]\.envFrom\[\d+\]\.(configMapRef|secretRef)\.name$/.test(key) ? [value] : [],
    )
    return new Map(names.flatMap((name) => [...(this.#maps.get(name) ?? [])]))
  }
}

/** `reviews-v1` behind the Service `reviews` is a version of it. */
const isVersionOf = (name: string, service: string): boolean =>
  name.startsWith(`${service}-`) && /^v?\d[\w.-]*$/.test(name.slice(service.length + 1))

/** `accounts-depl` says what it is to Kubernetes, not another name. */
const workloadName = (name: string): string =>
  name.replace(/(?<=\w)-(depl?|deploy|deployment|statefulset|sts|pod)$/, '')

const containerOf = (
  manifest: Manifest,
  group: string,
  context: ManifestGroup,
): DeclaredContainer | undefined => {
  const kind = valueAt(manifest, 'kind') ?? ''
  const name = manifest.find(({ key }) => key === 'metadata.name')
  const values = (key: RegExp) => manifest.filter((one) => key.test(one.key)).map(({ value }) => value)
  const [image] = values(/(^|[^\w])containers\[0\]\.image$/)
  // A Service of Knative has containers, one of Kubernetes has not. Patches of Kustomize often name no image.
  if (!WORKLOAD.test(kind) || name === undefined || (kind === 'Service' && image === undefined))
    return undefined
  const short = workloadName(name.value)
  const hosts = [...context.hosts(manifest), ...(short === name.value ? [] : [name.value])]
  return {
    name: hosts.find((host) => isVersionOf(short, host)) ?? short,
    file: name.file,
    line: name.line,
    group,
    isCompose: false,
    isJob: JOB.test(kind),
    ...optional({ image }),
    hosts,
    ports: values(/\.containerPort$/),
    dependsOn: [],
    environment: context.environment(manifest),
    shared: context.shared(manifest),
    values: values(/\bcontainers\[\d+\]\.(args\[\d+\]|command\[\d+\])$/),
    isRouted: false,
    mounts: [],
  }
}

/** The workloads of manifests. Manifests of one folder, or of one chart, refer to each other. */
export const kubernetesContainers = (
  files: readonly (readonly [string, readonly ConfigEntry[]])[],
  groupOf: (file: string) => string = folderOf,
): readonly DeclaredContainer[] => {
  const groups = new Map<string, Manifest[]>()
  for (const [file, entries] of files)
    for (const manifest of manifestDocuments(entries)) pushTo(groups, groupOf(file), manifest)
  return [...groups].flatMap(([group, manifests]) => {
    const context = new ManifestGroup(manifests)
    return manifests.flatMap((manifest) => containerOf(manifest, group, context) ?? [])
  })
}
