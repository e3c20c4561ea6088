import { expect, it } from 'vitest'
import type { ArchitectureGraph, GraphNode } from '../graph.ts'
import { renderArchitectureSvg } from './html.ts'
import { BOX_HEIGHT, boxLabel, boxWidth, layOutGraph } from './html-layout.ts'

const source = { file: 'a', line: 1 }
const node = (id: string, kind: GraphNode['kind'], name = id): GraphNode => ({
  id,
  kind,
  name,
  role: '',
  source,
})
const edge = (from: string, to: string) => ({ from, to, label: '', source })

/** Every third service calls others, every service has a store; names of any length. */
const large = (): ArchitectureGraph => {
  const services = Array.from({ length: 30 }, (_, at) =>
    node(`s${at}`, 'APP', `service-${'x'.repeat(at)}-${at}`),
  )
  const stores = Array.from({ length: 12 }, (_, at) => node(`d${at}`, 'REP'))
  return {
    nodes: [...services, ...stores],
    edges: [
      ...services.flatMap((_, at) => [edge(`s${at}`, `s${(at * 7) % 30}`), edge(`s${at}`, `d${at % 12}`)]),
    ],
    renamed: [],
  }
}

it('draws no arrow through a box, and no box over another', () => {
  const { boxes, edges, width } = layOutGraph(large())
  const isInside = (x: number, y: number) =>
    boxes.some((box) => x > box.x && x < box.x + box.width && y >= box.y && y <= box.y + BOX_HEIGHT)
  for (const { crossings } of edges)
    for (const { x, y } of crossings) expect(isInside(x, y + BOX_HEIGHT / 2)).toBe(false)
  for (const one of boxes) {
    expect(one.x).toBeGreaterThanOrEqual(0)
    expect(one.x + one.width).toBeLessThanOrEqual(width)
    for (const other of boxes)
      if (other !== one && other.y === one.y)
        expect(one.x + one.width < other.x || other.x + other.width < one.x).toBe(true)
  }
})

it('puts services below those that call them, and stores below all', () => {
  const { boxes } = layOutGraph({
    nodes: [node('cart', 'APP'), node('db', 'REP'), node('web', 'APP')],
    edges: [edge('web', 'cart'), edge('cart', 'db')],
    renamed: [],
  })
  const rows = [...boxes].sort((a, b) => a.y - b.y).map((box) => box.node.id)
  expect(rows).toEqual(['web', 'cart', 'db'])
})

it('shows names whole, in two lines when they are long', () => {
  expect(boxLabel('orders')).toEqual(['orders'])
  expect(boxLabel('recommendation-service-of-the-shop')).toEqual(['recommendation-', 'service-of-the-shop'])
  expect(boxWidth('recommendation-service-of-the-shop')).toBeLessThan(boxWidth('x'.repeat(60)))
  expect(boxLabel('y'.repeat(10_000)).join('').length).toBeLessThan(100)
})

it('links boxes to their sections', () => {
  const graph = { nodes: [node('APP_a', 'APP'), node('REP_b', 'REP')], edges: [], renamed: [] }
  const svg = renderArchitectureSvg({ graph, cut: { nodes: 0, edges: 0 } }, 'x', { APP_a: 'service-1' })
  expect(svg.match(/<a href="#service-1">/g)).toHaveLength(1)
})
