import * as z from 'zod'

/** Outlines of the answers: what is in the records beyond these members travels all the same. */

const Loose = z.looseObject({})
const Source = { source_file: z.string(), line: z.int() }
const Cut = z.string().optional().describe('What was left out to keep the answer short.')
const Warnings = z.array(Loose)

export const InterconnectionShape = z.looseObject({
  discovery_summary: z.object({
    inbound_services: z.array(z.looseObject({ protocol: z.string(), endpoint: z.string(), ...Source })),
    outbound_services: z.array(
      z.looseObject({ target_service: z.string(), protocol: z.string(), type: z.string(), ...Source }),
    ),
    connection_mapping: z.object({ inbound: z.array(z.string()), outbound: z.array(z.string()) }),
  }),
  warnings: Warnings,
  cut: Cut,
})

export const SignatureShape = z.looseObject({
  files: z.array(
    z.looseObject({
      file: z.string(),
      types: z.array(z.looseObject({ name: z.string(), roles: z.array(z.string()) })),
    }),
  ),
  warnings: Warnings,
  cut: Cut,
})

export const AnalysisShape = z.looseObject({
  trace: z.looseObject({ snapshot: z.string().describe('Digest of everything that was found.') }),
  summary: z.array(z.string()),
  mermaid: z.string(),
  graph: z.object({ nodes: z.array(Loose), edges: z.array(Loose), renamed: z.array(z.string()) }),
  suggestions: z.array(z.looseObject({ severity: z.string(), subject: z.string() })),
  secrets: z.array(Loose),
  warnings: Warnings,
  report: z.string().describe('Markdown.'),
  cut: Cut,
})

/** Where a list sits in an answer. */
type Way = readonly string[]

const listAt = (value: unknown, way: Way): unknown[] | undefined => {
  const found = way.reduce<unknown>((one, key) => (one as Record<string, unknown> | undefined)?.[key], value)
  return Array.isArray(found) ? found : undefined
}

/** Leaves out the ends of an answer's longest lists until it fits, and says how much of each. */
export const shorten = <T extends object>(answer: T, bytes: number, ways: readonly Way[]): T => {
  const copy = structuredClone(answer)
  const before = ways.map((way) => listAt(copy, way)?.length ?? 0)
  const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
  const room = bytes - 1_000
  while (sizeOf(copy) > room) {
    const lists = ways.map((way) => listAt(copy, way) ?? []).sort((a, b) => sizeOf(b) - sizeOf(a))
    const [longest] = lists
    if (longest === undefined || longest.length === 0) break
    const excess = sizeOf(copy) - room
    const share = Math.max(1, Math.ceil((longest.length * excess) / Math.max(excess, sizeOf(longest))))
    longest.length = Math.max(0, longest.length - share)
  }
  const lost = ways.flatMap((way, at) => {
    const gone = (before[at] ?? 0) - (listAt(copy, way)?.length ?? 0)
    return gone > 0 ? [`${way.join('.')}: ${gone} of ${before[at]}`] : []
  })
  return { ...copy, cut: `Left out: ${lost.join('; ')}. Ask about a folder further down.` }
}
