import type { ArchitectureGraph, GraphNode } from './graph.ts'
import type { SystemModel, SystemNode } from './services/relations/system-model.ts'

const KINDS: Readonly<Record<SystemNode['kind'], GraphNode['kind']>> = {
  service: 'APP',
  store: 'REP',
  broker: 'EXT',
  outside: 'EXT',
}

const graphId = (kind: GraphNode['kind'], name: string): string =>
  `${kind}_${name.replace(/[^A-Za-z0-9_]+/g, '_')}`

interface SystemGraph {
  readonly graph: ArchitectureGraph
  /** The names in the diagram, by the ids of the model. */
  readonly idOf: ReadonlyMap<string, string>
}

/** The system as a graph that the diagrams draw. */
export const systemGraph = ({ nodes, relations }: SystemModel): SystemGraph => {
  const ids = new Map<string, string>()
  const taken = new Set<string>()
  const drawn = nodes.map((node) => {
    const kind = KINDS[node.kind]
    const wanted = graphId(kind, node.name)
    let id = wanted
    for (let count = 2; taken.has(id.toLowerCase()); count += 1) id = `${wanted}_${count}`
    taken.add(id.toLowerCase())
    ids.set(node.id, id)
    const [source = { file: '', line: 1 }] = node.sources
    return {
      id,
      kind,
      name: node.name,
      role: node.technology,
      source: { file: source.file, line: source.line },
    }
  })
  const edges = relations.map(({ kind, from, to, protocol, sources: [source = { file: '', line: 1 }] }) => ({
    from: ids.get(from) ?? '',
    to: ids.get(to) ?? '',
    label: protocol,
    ...(kind === 'depends_on' && { isOrder: true }),
    source: { file: source.file, line: source.line },
  }))
  return { graph: { nodes: drawn, edges, renamed: [] }, idOf: ids }
}
