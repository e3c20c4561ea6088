import { pushTo } from '../kernel/multimap.ts'
import { originOf } from './connections/addresses.ts'
import type { Outbound } from './connections/framework.ts'
import type { Connections } from './connections/interconnections.ts'
import { injectionsOf, type Role, rolesOf } from './connections/roles.ts'
import { inOrder } from './source/source-files.ts'
import type { SourceIndex, TypeLocation } from './source/source-index.ts'
import { firstArgument, simpleName } from './source/source-unit.ts'

type NodeKind = 'APP' | 'CTRL' | 'SVC' | 'REP' | 'EXT'

/** A place in the source code. */
export interface SourceLocation {
  readonly file: string
  readonly line: number
}

export interface GraphNode {
  readonly id: string
  readonly kind: NodeKind
  /** The full name. */
  readonly name: string
  readonly role: string
  readonly source: SourceLocation
}

export interface GraphEdge {
  readonly from: string
  readonly to: string
  /** The client or protocol; empty for an injected dependency. */
  readonly label: string
  /** Whether it is no call: one side only starts after the other. */
  readonly isOrder?: boolean
  readonly source: SourceLocation
}

export interface ArchitectureGraph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  /** Nodes whose id got a number, because another node has the same id. */
  readonly renamed: readonly string[]
}

const KINDS: Readonly<Partial<Record<Role, NodeKind>>> = {
  'Application Root': 'APP',
  Controller: 'CTRL',
  Service: 'SVC',
  Repository: 'REP',
  Client: 'EXT',
  Component: 'SVC',
}
const ORDER: readonly NodeKind[] = ['APP', 'CTRL', 'SVC', 'REP', 'EXT']
const MAX_ID = 60

/** A Mermaid id: letters, digits and underscores. */
const mermaidId = (kind: NodeKind, name: string): string =>
  `${kind}_${
    name
      .replace(/[^A-Za-z0-9_]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .slice(0, MAX_ID) || 'x'
  }`

/** A node before it has an id. */
interface NodeDraft extends Omit<GraphNode, 'id'> {
  readonly key: string
}

const nodePlaceKey = ({ unit, type }: TypeLocation): string => `${unit.file}\0${type.name}\0${type.line}`

const WRAPPERS = /^(List|Set|Collection|Optional|Provider|ObjectProvider|Supplier|Lazy|Instance)$/

class GraphBuilder {
  readonly #index: SourceIndex
  readonly #drafts = new Map<string, NodeDraft>()
  readonly #edges = new Map<string, GraphEdge>()
  readonly #implementers = new Map<string, TypeLocation[]>()

  constructor(index: SourceIndex) {
    this.#index = index
  }

  types(): void {
    for (const unit of this.#index.units)
      for (const type of unit.types) {
        for (const name of type.implements) pushTo(this.#implementers, simpleName(name), { unit, type })
        const role = rolesOf(type, unit).find((one) => KINDS[one] !== undefined)
        const kind = role === undefined ? undefined : KINDS[role]
        if (role === undefined || kind === undefined) continue
        const key = nodePlaceKey({ unit, type })
        this.#drafts.set(key, {
          key,
          kind,
          name: type.name,
          role,
          source: { file: unit.file, line: type.line },
        })
      }
  }

  /** The node of an injected type: the type itself, or its only implementation. */
  #target(written: string, from: TypeLocation): string | undefined {
    const name = WRAPPERS.test(simpleName(written)) ? firstArgument(written) : simpleName(written)
    const place = this.#index.find(name, from.unit)
    if (place !== undefined && this.#drafts.has(nodePlaceKey(place))) return nodePlaceKey(place)
    const implementations = (this.#implementers.get(name) ?? [])
      .map(nodePlaceKey)
      .filter((key) => this.#drafts.has(key))
    return implementations.length === 1 ? implementations[0] : undefined
  }

  injections(): void {
    for (const unit of this.#index.units)
      for (const type of unit.types) {
        const from = nodePlaceKey({ unit, type })
        if (!this.#drafts.has(from)) continue
        for (const one of injectionsOf(type, rolesOf(type, unit))) {
          const to = this.#target(one.type, { unit, type })
          if (to === undefined || to === from) continue
          const label = this.#drafts.get(to)?.role === 'Client' ? 'FeignClient' : ''
          this.#addEdge({ from, to, label, source: { file: unit.file, line: one.line } })
        }
      }
  }

  #addEdge(edge: GraphEdge): void {
    const key = `${edge.from}\0${edge.to}\0${edge.label}`
    if (!this.#edges.has(key)) this.#edges.set(key, edge)
  }

  #externalNode(name: string, role: string, source: SourceLocation): string {
    const key = `\0${name}`
    if (!this.#drafts.has(key)) this.#drafts.set(key, { key, kind: 'EXT', name, role, source })
    return key
  }

  /** Node keys by file and type name, which is all that connection records hold. */
  #callers(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#drafts.values()].map(({ key, name, source }) => [`${source.file}\0${name}`, key]),
    )
  }

  connections({ inbound, outbound }: Connections): void {
    const callers = this.#callers()
    for (const one of outbound) {
      const from = callers.get(`${one.source_file}\0${one.caller}`)
      // A declared client is a node itself; its edges are the injections.
      if (from === undefined || this.#drafts.get(from)?.role === 'Client') continue
      const source = { file: one.source_file, line: one.line }
      const to = this.#externalNode(serverOf(one), one.protocol, source)
      this.#addEdge({ from, to, label: one.type, source })
    }
    for (const one of inbound.filter(({ protocol }) => protocol.startsWith('Messaging'))) {
      const to = callers.get(`${one.source_file}\0${one.handler.replace(/\..*$/, '')}`)
      if (to === undefined) continue
      const source = { file: one.source_file, line: one.line }
      const from = this.#externalNode(one.endpoint, one.protocol, source)
      this.#addEdge({ from, to, label: one.protocol.replace('Messaging-', ''), source })
    }
  }

  build(): ArchitectureGraph {
    const sorted = [...this.#drafts.values()].sort(
      (a, b) =>
        ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) ||
        inOrder(a.name, b.name) ||
        inOrder(a.source.file, b.source.file) ||
        a.source.line - b.source.line,
    )
    const taken = new Set<string>()
    const renamed: string[] = []
    const ids = new Map<string, string>()
    const nodes = sorted.map(({ key, ...draft }) => {
      const wanted = mermaidId(draft.kind, draft.name)
      let id = wanted
      // Ids must also differ without regard to case: some viewers fold it.
      for (let count = 2; taken.has(id.toLowerCase()); count += 1) id = `${wanted}_${count}`
      if (id !== wanted) renamed.push(`${draft.name} (${draft.source.file})`)
      taken.add(id.toLowerCase())
      ids.set(key, id)
      return { id, ...draft }
    })
    const edges = [...this.#edges.values()]
      .map((edge) => ({ ...edge, from: ids.get(edge.from) ?? '', to: ids.get(edge.to) ?? '' }))
      .sort((a, b) => inOrder(a.from, b.from) || inOrder(a.to, b.to) || inOrder(a.label, b.label))
    return { nodes, edges, renamed }
  }
}

/** Calls to one server share one node, whatever their paths. */
const serverOf = ({ protocol, target_service }: Outbound): string => {
  const server = protocol === 'REST' ? originOf(target_service) : undefined
  return server === undefined || server.includes('{') ? target_service : server
}

/** Nodes are types with a role and external systems; edges are injections and connections. Each has a source line. */
export const buildGraph = (index: SourceIndex, connections: Connections): ArchitectureGraph => {
  const builder = new GraphBuilder(index)
  builder.types()
  builder.injections()
  builder.connections(connections)
  return builder.build()
}

/** Adds to each declared client the types into which it is injected. */
export const withConsumers = (
  { inbound, outbound }: Connections,
  { nodes, edges }: ArchitectureGraph,
): Connections => {
  const names = new Map(nodes.map(({ id, name }) => [id, name]))
  const clients = new Map(
    nodes
      .filter(({ role }) => role === 'Client')
      .map(({ id, name, source }) => [`${source.file}\0${name}`, id]),
  )
  const users = new Map<string, string[]>()
  for (const { from, to } of edges) pushTo(users, to, names.get(from) ?? from)
  const consumersOf = (one: Outbound) => users.get(clients.get(`${one.source_file}\0${one.caller}`) ?? '')
  return {
    inbound,
    outbound: outbound.map((one) => {
      const consumers = consumersOf(one)
      return consumers === undefined ? one : { ...one, consumers }
    }),
  }
}
