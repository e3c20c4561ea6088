import * as z from 'zod'

/** The main members of the answers. Records may have more members; they are passed on. */

const Loose = z.looseObject({})
const Source = { source_file: z.string(), line: z.int() }
const Cut = z.string().optional().describe('What was left out for length.')
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
  trace: z.looseObject({ snapshot: z.string().describe('Digest of all results, without the time.') }),
  summary: z.array(z.string()),
  mermaid: z.string(),
  graph: z.object({ nodes: z.array(Loose), edges: z.array(Loose), renamed: z.array(z.string()) }),
  suggestions: z.array(z.looseObject({ severity: z.string(), subject: z.string() })),
  secrets: z.array(Loose),
  warnings: Warnings,
  report: z.string().describe('Markdown.'),
  cut: Cut,
})

/** The keys that lead to a list in an answer. */
type ListPath = readonly string[]

const listAt = (value: unknown, path: ListPath): unknown[] | undefined => {
  const found = path.reduce<unknown>((one, key) => (one as Record<string, unknown> | undefined)?.[key], value)
  return Array.isArray(found) ? found : undefined
}

/** Cuts the longest lists of an answer at their end until it fits, and says how much of each is missing. */
export const shorten = <T extends object>(answer: T, bytes: number, paths: readonly ListPath[]): T => {
  const copy = structuredClone(answer)
  const before = paths.map((path) => listAt(copy, path)?.length ?? 0)
  const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
  const room = bytes - 1_000
  while (sizeOf(copy) > room) {
    const lists = paths.map((path) => listAt(copy, path) ?? []).sort((a, b) => sizeOf(b) - sizeOf(a))
    const [longest] = lists
    if (longest === undefined || longest.length === 0) break
    const excess = sizeOf(copy) - room
    const share = Math.max(1, Math.ceil((longest.length * excess) / Math.max(excess, sizeOf(longest))))
    longest.length = Math.max(0, longest.length - share)
  }
  const lost = paths.flatMap((path, at) => {
    const gone = (before[at] ?? 0) - (listAt(copy, path)?.length ?? 0)
    return gone > 0 ? [`${path.join('.')}: ${gone} of ${before[at]}`] : []
  })
  return { ...copy, cut: `Left out: ${lost.join('; ')}. Call again with a folder further down.` }
}
