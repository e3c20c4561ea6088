import { pushTo } from '../kernel/multimap.ts'
import type { ArchitectureGraph, GraphNode } from './graph.ts'

/**
 * Strongly connected components by Kosaraju's algorithm: the second walk follows the reversed edges, in the reverse
 * order in which the first walk finished. Iterative, because a chain may be as long as the project has types.
 */
export const findCycles = ({ nodes, edges }: ArchitectureGraph): readonly (readonly GraphNode[])[] => {
  const forward = linksOf(edges.map(({ from, to }) => [from, to]))
  const backward = linksOf(edges.map(({ from, to }) => [to, from]))
  const finished: string[] = []
  const seen = new Set<string>()
  for (const { id } of nodes) visit(id, forward, seen, (one) => finished.push(one))
  const groups: string[][] = []
  const assigned = new Set<string>()
  for (const id of finished.reverse()) {
    const group: string[] = []
    visit(id, backward, assigned, (one) => group.push(one))
    if (group.length > 1) groups.push(group)
  }
  const byId = new Map(nodes.map((node) => [node.id, node]))
  return groups.map((group) => group.sort().flatMap((id) => byId.get(id) ?? []))
}

const linksOf = (pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, readonly string[]> => {
  const links = new Map<string, string[]>()
  for (const [from, to] of pairs) pushTo(links, from, to)
  return links
}

/** Depth-first walk; calls `leave` for each node after all nodes behind it. */
const visit = (
  start: string,
  links: ReadonlyMap<string, readonly string[]>,
  seen: Set<string>,
  leave: (id: string) => void,
): void => {
  if (seen.has(start)) return
  seen.add(start)
  const path = [{ id: start, next: 0 }]
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = links.get(top.id)?.[top.next]
    top.next += 1
    if (next === undefined) {
      leave(top.id)
      path.pop()
    } else if (!seen.has(next)) {
      seen.add(next)
      path.push({ id: next, next: 0 })
    }
  }
}
