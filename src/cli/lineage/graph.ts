import type { Beliefs } from '../../beliefs/beliefs.ts'
import { type DrawableGraph, renderDot, renderMermaid, renderSvg } from '../../beliefs/graph/render-graph.ts'
import { keysOf } from '../../kernel/keys-of.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { printOutput, readCount, runSubcommand, type Subcommand } from '../command/subcommand.ts'
import { writeTable } from '../command/text-table.ts'
import { withBeliefs, withStore } from './with-beliefs.ts'

const RENDERERS = { dot: renderDot, mermaid: renderMermaid, svg: renderSvg } as const

const readScene = (beliefs: Beliefs): Promise<DrawableGraph> =>
  beliefs.graphStore.replica.read(({ graph, claims }) => ({
    nodes: [...graph.nodes()].map((node) => ({ ...node, ...claims.get(node.id) })),
    edges: [...graph.edges()],
  }))

const list: Subcommand = (invocation) =>
  withStore(invocation, async (store) => {
    const rows: { graph: string; entries: number; quarantine: string | null }[] = []
    for (const name of await store.names()) {
      const log = await store.find(name)
      if (log === undefined) continue
      const { size } = await log.head()
      rows.push({ graph: name, entries: size, quarantine: await log.quarantine() })
    }
    return printOutput(invocation, { graphs: rows }, () =>
      writeTable(
        ['graph', 'entries', 'quarantine'],
        rows.map(({ graph, entries, quarantine }) => [graph, String(entries), quarantine ?? '']),
      ),
    )
  })

const readFormat = ({ flags }: Invocation): keyof typeof RENDERERS | undefined => {
  const [format, other] = keysOf(RENDERERS).filter((name) => flags[name])
  if (other !== undefined) throw usageFaults.option(`choose one of --${format}, --${other}`)
  return format
}

const show: Subcommand = (invocation) => {
  const format = readFormat(invocation)
  return withBeliefs(invocation, async (beliefs) => {
    const scene = await readScene(beliefs)
    if (format !== undefined) {
      const text = RENDERERS[format](scene)
      return printOutput(invocation, { form: format, text }, () => text.trimEnd())
    }
    return printOutput(invocation, scene, () =>
      [
        writeTable(
          ['node', 'belief', 'energy', 'claim'],
          scene.nodes.map(({ id, belief, energy, claim }) => [
            String(id),
            String(belief),
            String(energy),
            claim ?? '',
          ]),
        ),
        '',
        writeTable(
          ['edge', 'from', 'to', 'weight'],
          scene.edges.map(({ id, src, dst, weight }) => [id, src, dst, weight].map(String)),
        ),
      ].join('\n'),
    )
  })
}

const query: Subcommand = (invocation, [id]) => {
  const node = readCount(id, 'the node')
  return withBeliefs(invocation, async (beliefs) => {
    const value = await beliefs.graphStore.replica.read(({ graph, claims }) => ({
      ...graph.node(node),
      ...claims.get(node),
      incoming: graph.incoming(node),
      outgoing: graph.outgoing(node),
    }))
    return printOutput(invocation, value, () => JSON.stringify(value, null, 2))
  })
}

const stats: Subcommand = (invocation) =>
  withBeliefs(invocation, async (beliefs) => {
    const { reserve, dissipated } = await beliefs.graphStore.replica.read(({ graph }) => graph.accounts())
    const accounts = { reserve: String(reserve), dissipated: String(dissipated) }
    const value = { ...(await beliefs.governanceStatus()), accounts }
    return printOutput(invocation, value, () => JSON.stringify(value, null, 2))
  })

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = { ls: list, show, query, stats }

export const run = (invocation: Invocation): Promise<number> =>
  runSubcommand(SUBCOMMANDS, invocation, { ls: 0, show: 0, query: 1, stats: 0 })
