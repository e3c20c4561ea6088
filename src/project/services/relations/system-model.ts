import { inOrder } from '../../source/source-files.ts'
import type { Deployable, ServiceEvidence } from '../service-draft.ts'

/** A box of the system diagram: a service of the project, a store, a broker, or a system outside of the project. */
export interface SystemNode {
  /** Stable: kind and name. */
  readonly id: string
  readonly kind: 'service' | 'store' | 'broker' | 'outside'
  readonly name: string
  readonly technology: string
  readonly sources: readonly ServiceEvidence[]
}

interface RelationPlace {
  readonly file: string
  readonly line: number
}

interface SystemRelation {
  readonly from: string
  readonly to: string
  readonly protocol: string
  /** Topics, queues, paths or variables, sorted. */
  readonly about: readonly string[]
  readonly sources: readonly RelationPlace[]
}

export interface SystemModel {
  readonly services: readonly Deployable[]
  readonly nodes: readonly SystemNode[]
  readonly relations: readonly SystemRelation[]
}

const MAX_ABOUT = 12

/** Nodes and relations while they are collected; each once. */
export class SystemRelations {
  readonly #nodes = new Map<string, SystemNode>()
  readonly #relations = new Map<
    string,
    { relation: SystemRelation; about: Set<string>; readonly isDeclared: boolean }
  >()

  add(
    kind: SystemNode['kind'],
    name: string,
    technology: string,
    sources: readonly ServiceEvidence[],
  ): string {
    const id = `${kind}:${name}`
    if (!this.#nodes.has(id)) this.#nodes.set(id, { id, kind, name, technology, sources })
    return id
  }

  node(id: string): SystemNode | undefined {
    return this.#nodes.get(id)
  }

  /** A relation that the code shows. */
  relate(from: string, to: string, protocol: string, about: string, source: RelationPlace): void {
    this.#put({ from, to, protocol, about: [], sources: [] }, about, source, false)
  }

  /** A relation that only files about deployment show. */
  declare(from: string, to: SystemNode, about: string, source: RelationPlace): void {
    const protocol = to.kind === 'service' ? 'configured' : to.technology
    this.#put({ from, to: to.id, protocol, about: [], sources: [] }, about, source, true)
  }

  #put(relation: SystemRelation, about: string, source: RelationPlace, isDeclared: boolean): void {
    const { from, to, protocol } = relation
    if (from === to) return
    // A driver and what is built upon it (JDBC and JPA) are one way to one store.
    const isStore = to.startsWith('store:')
    const key = `${from}\0${to}\0${isStore ? String(isDeclared) : protocol}`
    const known = this.#relations.get(key) ?? { relation, about: new Set<string>(), isDeclared }
    if (about !== '') known.about.add(about)
    const { sources } = known.relation
    const isNew = !sources.some(({ file, line }) => file === source.file && line === source.line)
    this.#relations.set(key, {
      about: known.about,
      isDeclared: known.isDeclared && isDeclared,
      relation: {
        ...known.relation,
        protocol: inOrder(protocol, known.relation.protocol) < 0 ? protocol : known.relation.protocol,
        sources: sources.length < MAX_ABOUT && isNew ? [...sources, source] : sources,
      },
    })
  }

  build(): Pick<SystemModel, 'nodes' | 'relations'> {
    const all = [...this.#relations.values()]
    const shown = new Set(
      all.filter(({ isDeclared }) => !isDeclared).map(({ relation }) => `${relation.from}\0${relation.to}`),
    )
    const relations = all
      // A call that the code shows says more than a host name in a manifest.
      .filter(({ relation, isDeclared }) => !isDeclared || !shown.has(`${relation.from}\0${relation.to}`))
      .map(({ relation, about }) => ({ ...relation, about: [...about].sort().slice(0, MAX_ABOUT) }))
      .sort((a, b) => inOrder(a.from, b.from) || inOrder(a.to, b.to) || inOrder(a.protocol, b.protocol))
    return { nodes: [...this.#nodes.values()].sort((a, b) => inOrder(a.id, b.id)), relations }
  }
}
