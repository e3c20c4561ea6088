import { pushTo } from '../../../kernel/multimap.ts'
import { isTestPath } from '../../source/discovery-rules.ts'
import { languageOfFile } from '../../source/file-languages.ts'
import { folderOf } from '../../source/source-files.ts'
import { type Deployable, isInFolder, type ServiceEvidence } from '../service-draft.ts'
import type { CloudResource } from '../terraform.ts'
import { celeryBroker, isOfTechnology } from './deployed-services.ts'
import type { SystemNode, SystemRelations } from './system-model.ts'
import type { SystemNodes } from './system-nodes.ts'

/** Finds the store or broker that the code of a service uses. */
export class UsedStores {
  readonly #nodes: SystemNodes
  readonly #model: SystemRelations
  /** Stores and brokers that files about deployment connect a service to. */
  readonly #deployed = new Map<string, SystemNode[]>()
  /** Stores and brokers whose published ports the settings of a service name. */
  readonly #published = new Map<string, SystemNode[]>()
  /** Stores and brokers that Terraform creates, by technology. */
  readonly #created = new Map<string, Set<string>>()

  constructor(nodes: SystemNodes, model: SystemRelations, resources: readonly CloudResource[]) {
    this.#nodes = nodes
    this.#model = model
    for (const { kind, name, technology, source } of resources)
      if (kind !== 'service') {
        const id = model.add(kind, name, technology, [source])
        this.#created.set(technology, (this.#created.get(technology) ?? new Set()).add(id))
      }
  }

  deployedWith(service: Deployable, node: SystemNode): void {
    pushTo(this.#deployed, service.name, node)
  }

  isDeployedWith(service: Deployable, id: string): boolean {
    return this.#deployed.get(service.name)?.some((node) => node.id === id) === true
  }

  publishedFor(service: Deployable, node: SystemNode): void {
    pushTo(this.#published, service.name, node)
  }

  /** The one of a technology that a service is deployed with; else a box of its own. */
  find(from: Deployable, kind: 'store' | 'broker', technology: string, place: ServiceEvidence): string {
    const beside = this.#deployed.get(from.name) ?? []
    const wanted = technology === 'Celery' ? celeryBroker(beside) : technology
    const [deployed = [], published = []] = [this.#deployed, this.#published].map((nodes) =>
      (nodes.get(from.name) ?? []).flatMap((one) => (isOfTechnology(one.technology, wanted) ? [one.id] : [])),
    )
    // Without a relation of containers, the only one of the kind in the system, or the only one of Terraform.
    const peers = this.#nodes.running
      .peersOf(from, technology)
      .flatMap((one) => this.#nodes.ofContainer(one)?.id ?? [])
    const created = this.#created.get(technology) ?? []
    const ids = [deployed, published, peers, [...created]].find((one) => one.length > 0)
    const [only, ...others] = new Set(ids)
    if (only !== undefined && others.length === 0) return only
    const name = kind === 'broker' ? technology : `${from.name} ${technology}`
    return this.#model.add(kind, name, technology, [place])
  }
}

/** What the code of a service names. Its files are read when it is asked for. */
export interface UsedNames {
  /** Whether the code of a service names a variable. */
  readonly reads: (service: Deployable, variable: string) => boolean
  /** Whether the project names a variable, but not the code of this service. */
  readonly isOthers: (service: Deployable, variable: string) => boolean
  /** Of the services that a file is part of, those that use a function in it. */
  readonly callersOf: (services: readonly Deployable[], file: string, name: string) => readonly Deployable[]
}

const VARIABLE = /\b[A-Z][A-Z0-9_]{2,}\b/g
/** Names in Go, without those that are declared as functions and those in comments. */
const GO_NAME = /\/\/[^\n]*|\bfunc\s+(?:\([^)\n]{0,200}\)\s*)?\w+|\b[A-Za-z_]\w*/g
const SPRING_LIKE = /^(SPRING|QUARKUS|MICRONAUT|KAFKA)_/

export const usedNames = (
  paths: readonly string[],
  read: (path: string) => string | undefined,
): UsedNames => {
  const code = paths.filter((path) => !isTestPath(path) && languageOfFile(path) !== undefined)
  const collect = (files: readonly string[], pattern: RegExp): ReadonlySet<string> => {
    const names = new Set<string>()
    for (const path of files) for (const [name] of (read(path) ?? '').matchAll(pattern)) names.add(name)
    return names
  }
  const remember = (make: (folder: string) => ReadonlySet<string>) => {
    const known = new Map<string, ReadonlySet<string>>()
    return (folder: string): ReadonlySet<string> => {
      const found = known.get(folder) ?? make(folder)
      known.set(folder, found)
      return found
    }
  }
  const variablesIn = remember((folder) =>
    collect(
      code.filter((path) => isInFolder(path, folder)),
      VARIABLE,
    ),
  )
  const goFiles = code.filter((path) => path.endsWith('.go'))
  const goNamesBelow = remember((folder) =>
    collect(
      goFiles.filter((path) => isInFolder(path, folder)),
      GO_NAME,
    ),
  )
  const goNamesInTests = remember(() =>
    collect(
      paths.filter((path) => path.endsWith('_test.go')),
      GO_NAME,
    ),
  )
  const goNamesIn = remember((folder) =>
    collect(
      goFiles.filter((path) => folderOf(path) === folder),
      GO_NAME,
    ),
  )
  const reads: UsedNames['reads'] = ({ process, folder = process?.folder }, variable) =>
    folder !== undefined &&
    // Frameworks read these without naming them.
    (SPRING_LIKE.test(variable) || variablesIn(folder).has(variable))
  return {
    reads,
    isOthers: (service, variable) =>
      service.folder !== undefined &&
      !reads(service, variable) &&
      variablesIn('').has(variable) &&
      // A package of Go may read variables for several programs.
      !service.libraries.some((one) =>
        goFiles.some((path) => isInFolder(path, one)) ? false : variablesIn(one).has(variable),
      ),
    callersOf: (services, file, name) => {
      if (!file.endsWith('.go') || name === '') return services
      if (goNamesInTests('').has(name) && !goNamesBelow('').has(name)) return []
      const calling = services.filter(
        ({ folder = '', libraries }) =>
          isInFolder(file, folder) ||
          goNamesBelow(folder).has(name) ||
          libraries.some((one) => goNamesIn(one).has(name)),
      )
      // It may be called by a name that is not in the code.
      return calling.length === 0 ? services : calling
    },
  }
}
