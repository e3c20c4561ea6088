import { pushTo } from '../../kernel/multimap.ts'
import { optional } from '../../kernel/optional.ts'
import type { DeclaredContainer } from '../deployment/declared-container.ts'
import { imagePath, type Technology } from '../deployment/technologies.ts'
import { isInFolder, type ServiceEvidence } from './service-draft.ts'

/** A declared container with the folder of its code, or with the technology that it runs. */
export interface PlacedContainer extends DeclaredContainer {
  readonly codeFolder?: string
  readonly technology?: Technology
}

/** One container of a system, however many files declare it. */
export interface Container extends PlacedContainer {
  /** The folder of the files that describe its system. */
  readonly system: string
  readonly shownBy: readonly ServiceEvidence[]
}

/** What two systems cannot have in common unless they are one: code, or an image of their own. */
const containerIdentity = ({ name, codeFolder, technology, image }: PlacedContainer): string | undefined => {
  if (codeFolder !== undefined) return `code ${codeFolder}`
  const path = image === undefined ? '' : imagePath(image)
  return technology === undefined && path.includes('/') ? `image ${path} ${name}` : undefined
}

const MAX_GROUPS = 1_500

interface FileGroup {
  readonly key: string
  readonly folder: string
  readonly isCompose: boolean
  readonly identities: ReadonlySet<string>
}

const groupsOf = (containers: readonly PlacedContainer[]): readonly FileGroup[] => {
  const groups = new Map<string, PlacedContainer[]>()
  for (const one of containers) pushTo(groups, groupKey(one), one)
  return [...groups].map(([key, own]) => ({
    key,
    folder: own[0]?.group ?? '',
    isCompose: own[0]?.isCompose === true,
    identities: new Set(own.flatMap((one) => containerIdentity(one) ?? [])),
  }))
}

const groupKey = ({ isCompose, group }: DeclaredContainer): string =>
  `${isCompose ? 'compose' : 'manifests'} ${group}`

/** The folder above bases, overlays and components of Kustomize. */
const kustomizeRoot = (folder: string): string =>
  folder.replace(/(^|\/)(bases?|overlays?|components|variants|env(ironment)?s)(\/.*)?$/, '')

/** Manifests below a folder of manifests change it; otherwise half of what is specific must be the same. */
const areOne = (a: FileGroup, b: FileGroup): boolean => {
  if (!a.isCompose && !b.isCompose) {
    const [one, other] = [kustomizeRoot(a.folder), kustomizeRoot(b.folder)]
    const isNested = isInFolder(a.folder, b.folder) || isInFolder(b.folder, a.folder)
    if (isNested || (one === other && one !== a.folder)) return true
  }
  const common = [...a.identities].filter((one) => b.identities.has(one))
  return (
    common.some((one) => one.startsWith('code ')) ||
    (common.length > 0 && common.length * 2 >= Math.min(a.identities.size, b.identities.size))
  )
}

/** The system of each group of files: a repository may hold several. */
const systemsOf = (containers: readonly PlacedContainer[]): ReadonlyMap<string, string> => {
  const groups = groupsOf(containers)
  const root = new Map(groups.map(({ key }) => [key, key]))
  const find = (key: string): string => {
    const above = root.get(key) ?? key
    return above === key ? key : find(above)
  }
  // Pairs of more groups than this would take too long: they stay apart.
  for (const [at, one] of groups.slice(0, MAX_GROUPS).entries())
    for (const other of groups.slice(at + 1, MAX_GROUPS))
      if (areOne(one, other)) root.set(find(other.key), find(one.key))
  const folders = new Map<string, string>()
  for (const { key, folder } of groups) {
    const known = folders.get(find(key))
    if (
      known === undefined ||
      folder.length < known.length ||
      (folder.length === known.length && folder < known)
    )
      folders.set(find(key), folder)
  }
  return new Map(groups.map(({ key }) => [key, `${find(key)}\0${folders.get(find(key)) ?? ''}`]))
}

const firstKnown = <K extends keyof PlacedContainer>(all: readonly PlacedContainer[], key: K) =>
  all.find((one) => one[key] !== undefined)?.[key]

const merged = (first: PlacedContainer, all: readonly PlacedContainer[], system: string): Container => {
  const codeFolder = firstKnown(all, 'codeFolder')
  const known = all.find((one) => one.technology !== undefined && one.technology.name !== 'database')
  const technology = known?.technology ?? firstKnown(all, 'technology')
  const image = firstKnown(all, 'image')
  const maps = (key: 'environment' | 'shared') => new Map([...all].reverse().flatMap((one) => [...one[key]]))
  const lists = (key: 'hosts' | 'ports' | 'dependsOn' | 'values' | 'mounts') => [
    ...new Set(all.flatMap((one) => one[key])),
  ]
  return {
    ...first,
    ...optional({ codeFolder, technology, image }),
    isJob: all.every(({ isJob }) => isJob),
    isRouted: all.some(({ isRouted }) => isRouted),
    hosts: [...new Set([...lists('hosts'), ...all.map(({ name }) => name)])].filter(
      (host) => host !== first.name,
    ),
    ports: lists('ports'),
    dependsOn: lists('dependsOn'),
    environment: maps('environment'),
    shared: maps('shared'),
    values: lists('values'),
    mounts: lists('mounts'),
    system,
    shownBy: all.map(({ file, line, name }) => ({ file, line, reason: `container ${name}` })),
  }
}

/** What a container without code of the project runs. */
const contentOf = ({ technology, image = '' }: PlacedContainer): string =>
  technology?.name ?? `image ${imagePath(image)}`

const withoutMarks = (name: string): string => name.toLowerCase().replace(/[-_.]/g, '')

/** Compose files and manifests of one system may name one thing differently: `kafka` and `shop-kafka`. */
const isAlike = (a: readonly PlacedContainer[], b: readonly PlacedContainer[]): boolean => {
  const [one, other] = [a[0], b[0]]
  if (one === undefined || other === undefined || contentOf(one) !== contentOf(other)) return false
  if (one.technology === undefined && one.codeFolder !== other.codeFolder) return false
  const isApart = a.every(({ isCompose }) => isCompose) && b.every(({ isCompose }) => !isCompose)
  const [short, long] = [withoutMarks(one.name), withoutMarks(other.name)]
  return isApart && (short.endsWith(long) || long.endsWith(short))
}

/** Joins a container of compose files with the only one of manifests that is alike. */
const joinAlike = (
  byName: ReadonlyMap<string, readonly PlacedContainer[]>,
): ReadonlyMap<string, readonly PlacedContainer[]> => {
  const bySystem = new Map<string, string[]>()
  for (const key of byName.keys()) pushTo(bySystem, key.slice(0, key.lastIndexOf('\0')), key)
  const joined = new Map(byName)
  for (const keys of bySystem.values()) {
    const ofCompose = keys.filter((key) => byName.get(key)?.every(({ isCompose }) => isCompose))
    const ofManifests = keys.filter((key) => byName.get(key)?.every(({ isCompose }) => !isCompose))
    if (keys.length > MAX_GROUPS) continue
    for (const key of ofCompose) {
      const own = byName.get(key) ?? []
      const [only, ...others] = ofManifests.filter((one) => isAlike(own, byName.get(one) ?? []))
      if (only === undefined || others.length > 0 || !joined.has(only)) continue
      joined.set(key, [...own, ...(byName.get(only) ?? [])])
      joined.delete(only)
    }
  }
  return joined
}

/** The containers of each system, one for each name. */
export const mergeContainers = (containers: readonly PlacedContainer[]): readonly Container[] => {
  const systems = systemsOf(containers)
  const byName = new Map<string, PlacedContainer[]>()
  // Files further up describe the system, those below describe variants of it.
  const depth = ({ group }: PlacedContainer) => group.split('/').length
  for (const one of [...containers].sort((a, b) => depth(a) - depth(b)))
    pushTo(byName, `${systems.get(groupKey(one))}\0${one.name}`, one)
  return [...joinAlike(byName)].flatMap(([key, all]) => {
    const [first] = all
    // A patch of Kustomize changes a container that another file declares.
    const declared = all.some(({ image, folder }) => image !== undefined || folder !== undefined)
    if (first === undefined || !declared) return []
    return [merged(first, all, key.split('\0').slice(0, 2).join('\0'))]
  })
}

/** Names of containers without code of this project; with the folder of the system where several systems have one. */
export const containerNames = (containers: readonly Container[]): ReadonlyMap<Container, string> => {
  const byName = new Map<string, Container[]>()
  for (const one of containers)
    if (one.codeFolder === undefined || one.technology !== undefined) pushTo(byName, one.name, one)
  return new Map(
    [...byName].flatMap(([name, all]) =>
      all.map((one) => {
        const folder = one.system.split('\0')[1] ?? ''
        return [one, all.length > 1 && folder !== '' ? `${folder}/${name}` : name] as const
      }),
    ),
  )
}
