import { pushTo } from '../../../kernel/multimap.ts'
import type { Deployable, ServiceEvidence } from '../service-draft.ts'
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
