import type { ArchitectureGraph, GraphNode } from './graph.ts'

const MAX_LABEL = 20
/** Mermaid viewers refuse more than 500 edges and more than 50,000 characters. */
const MAX_NODES = 150
const MAX_EDGES = 400

/** Replacements of characters that are Mermaid syntax. */
const SYNTAX_REPLACEMENTS: Readonly<Record<string, string>> = {
  '"': "'",
  '`': "'",
  '<': '(',
  '>': ')',
  '[': '(',
  ']': ')',
  '{': '(',
  '}': ')',
  '#': '+',
  '&': '+',
  ';': ',',
  '|': '/',
  '\\': '/',
  '%': '+',
}

/** A name shortened and without Mermaid syntax, for a node label. */
export const shortLabel = (name: string): string => {
  const bare = name.replace(/^(?:[a-z][a-z0-9+.-]*:)+\/\/(?:\*\*\*@)?/i, '')
  const plain = [...bare.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')].map((char) => SYNTAX_REPLACEMENTS[char] ?? char)
  const cut = plain.length > MAX_LABEL ? `${plain.slice(0, MAX_LABEL - 1).join('')}…` : plain.join('')
  // `end` is a keyword that closes a block.
  return cut.replace(/\bend\b/g, 'End').trim() || '?'
}

export interface Drawing {
  readonly graph: ArchitectureGraph
  /** Number of nodes and edges that did not fit. */
  readonly cut: { readonly nodes: number; readonly edges: number }
}

/** The most connected nodes of a graph that is too large for a diagram. */
export const fitGraph = (graph: ArchitectureGraph): Drawing => {
  const degree = new Map<string, number>()
  for (const { from, to } of graph.edges)
    for (const id of [from, to]) degree.set(id, (degree.get(id) ?? 0) + 1)
  const ranked = graph.nodes.map((node, at) => ({ node, at, links: degree.get(node.id) ?? 0 }))
  const kept = ranked.sort((a, b) => b.links - a.links || a.at - b.at).slice(0, MAX_NODES)
  const nodes = kept.sort((a, b) => a.at - b.at).map(({ node }) => node)
  const ids = new Set(nodes.map(({ id }) => id))
  const edges = graph.edges.filter(({ from, to }) => ids.has(from) && ids.has(to)).slice(0, MAX_EDGES)
  return {
    graph: { nodes, edges, renamed: graph.renamed },
    cut: { nodes: graph.nodes.length - nodes.length, edges: graph.edges.length - edges.length },
  }
}

const SHAPES: Readonly<Record<GraphNode['kind'], readonly [string, string]>> = {
  APP: ['([', '])'],
  CTRL: ['[', ']'],
  SVC: ['[', ']'],
  REP: ['[(', ')]'],
  EXT: ['{{', '}}'],
}

const labelText = (label: string): string => label.replace(/[^\w -]+/g, ' ').trim()

/** The graph as Mermaid source. */
export const renderArchitectureMermaid = ({ graph }: Drawing): string => {
  const nodes = graph.nodes.map(({ id, kind, name }) => {
    const [open, close] = SHAPES[kind]
    return `  ${id}${open}"${shortLabel(name)}"${close}`
  })
  const edges = graph.edges.map(({ from, to, label, isOrder }) => {
    if (isOrder === true) return `  ${from} -. ${labelText(label)} .-> ${to}`
    return labelText(label) === '' ? `  ${from} --> ${to}` : `  ${from} -- ${labelText(label)} --> ${to}`
  })
  return ['graph TD', ...nodes, ...edges].join('\n')
}
