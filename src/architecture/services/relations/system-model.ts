import type { SourceLocation } from '../../graph.ts'
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

/** What shows a relation: a call in the code, an address in the configuration, or nothing but the order of starts. */
type RelationKind = 'call' | 'configuration' | 'depends_on'

interface SystemRelation {
  readonly kind: RelationKind
  readonly from: string
  readonly to: string
  readonly protocol: string
  readonly confidence: 'high' | 'medium' | 'low'
  /** Topics, queues, paths or variables, sorted. */
  readonly about: readonly string[]
  readonly sources: readonly SourceLocation[]
}

export interface SystemModel {
  readonly services: readonly Deployable[]
  readonly nodes: readonly SystemNode[]
  readonly relations: readonly SystemRelation[]
}

const MAX_ABOUT = 12
/** The protocol of a relation to a service of which only the address is known. */
const CONFIGURED = 'configured'

const CONFIDENCES = { call: 'high', configuration: 'medium', depends_on: 'low' } as const
const STRONGER_KINDS: Readonly<Record<RelationKind, readonly RelationKind[]>> = {
  call: [],
  configuration: ['call'],
  depends_on: ['call', 'configuration'],
}

const relationOf = (kind: RelationKind, from: string, to: string, protocol: string): SystemRelation => ({
  kind,
  from,
  to,
  protocol,
  confidence: CONFIDENCES[kind],
  about: [],
  sources: [],
})

/** Nodes and relations while they are collected; each once. */
export class SystemRelations {
  readonly #nodes = new Map<string, SystemNode>()
  readonly #relations = new Map<string, { relation: SystemRelation; about: Set<string> }>()

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
  relate(from: string, to: string, protocol: string, about: string, source: SourceLocation): void {
    this.#put(relationOf('call', from, to, protocol), about, source)
  }

  /** A relation that a setting of the service shows. */
  set(from: string, to: string, protocol: string, about: string, source: SourceLocation): void {
    this.#put(relationOf('configuration', from, to, protocol), about, source)
  }

  /** A relation that only files about deployment show: an address of the other side. */
  declare(from: string, to: SystemNode, about: string, source: SourceLocation): void {
    const protocol = to.kind === 'service' ? CONFIGURED : to.technology
    this.#put(relationOf('configuration', from, to.id, protocol), about, source)
  }

  /** One container waits for the other: it may use it or not. */
  startsAfter(from: string, to: string, source: SourceLocation): void {
    this.#put(relationOf('depends_on', from, to, 'starts after'), '', source)
  }

  #put(relation: SystemRelation, about: string, source: SourceLocation): void {
    const { kind, from, to, protocol } = relation
    if (from === to) return
    // A driver and what is built upon it (JDBC and JPA) are one way to one store.
    const isStore = to.startsWith('store:')
    const key = `${from}\0${to}\0${isStore || kind === 'depends_on' ? kind : protocol}`
    const known = this.#relations.get(key) ?? { relation, about: new Set<string>() }
    if (about !== '') known.about.add(about)
    const { sources } = known.relation
    const isNew = !sources.some(({ file, line }) => file === source.file && line === source.line)
    this.#relations.set(key, {
      about: known.about,
      relation: {
        ...known.relation,
        // Code and a manifest may show one relation.
        ...(kind === 'call' && { kind, confidence: relation.confidence }),
        protocol: inOrder(protocol, known.relation.protocol) < 0 ? protocol : known.relation.protocol,
        sources: sources.length < MAX_ABOUT && isNew ? [...sources, source] : sources,
      },
    })
  }

  build(): Pick<SystemModel, 'nodes' | 'relations'> {
    const all = [...this.#relations.values()]
    const shown = new Set(
      all.flatMap(({ relation: { kind, from, to, protocol } }) => [
        `${kind}\0${from}\0${to}`,
        // A setting with a scheme says more than a host name.
        ...(kind === 'configuration' && protocol !== CONFIGURED ? [`setting\0${from}\0${to}`] : []),
      ]),
    )
    const relations = all
      // A call that the code shows says more than a host name in a manifest, and that more than an order of starts.
      .filter(({ relation: { kind, from, to, protocol } }) =>
        [...STRONGER_KINDS[kind], ...(protocol === CONFIGURED ? ['setting'] : [])].every(
          (one) => !shown.has(`${one}\0${from}\0${to}`),
        ),
      )
      .map(({ relation, about }) => ({ ...relation, about: [...about].sort().slice(0, MAX_ABOUT) }))
      .sort((a, b) => inOrder(a.from, b.from) || inOrder(a.to, b.to) || inOrder(a.protocol, b.protocol))
    return { nodes: [...this.#nodes.values()].sort((a, b) => inOrder(a.id, b.id)), relations }
  }
}
