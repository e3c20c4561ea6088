import * as z from 'zod'
import { WarningShape } from './discovery-shape.ts'
import { SEVERITIES } from './suggestion.ts'

const Confidence = z.enum(['high', 'medium', 'low'])

const InboundShape = z.object({
  protocol: z.string(),
  endpoint: z.string(),
  source_file: z.string(),
  line: z.int(),
  handler: z.string(),
  confidence: Confidence,
  http_method: z.string().optional(),
  path: z.string().optional(),
  origin: z.string().optional().describe('As written, when a placeholder was filled in.'),
})

const OutboundShape = z.object({
  target_service: z.string(),
  protocol: z.string(),
  type: z.string(),
  source_file: z.string(),
  line: z.int(),
  caller: z.string(),
  confidence: Confidence,
  http_method: z.string().optional(),
  path: z.string().optional(),
  url: z.string().optional(),
  calls: z.array(z.string()).optional(),
  routing_key: z.string().optional(),
  origin: z.string().optional(),
})

const Warnings = z.array(WarningShape)
const Cut = z.string().optional().describe('What was left out to keep the answer short.')

export const InterconnectionShape = z.object({
  discovery_summary: z.object({
    inbound_services: z.array(InboundShape),
    outbound_services: z.array(OutboundShape),
    connection_mapping: z.object({ inbound: z.array(z.string()), outbound: z.array(z.string()) }),
  }),
  warnings: Warnings,
  cut: Cut,
})

const AnnotationShape = z.object({ name: z.string(), args: z.record(z.string(), z.array(z.string())) })

const TypeShape = z.object({
  name: z.string(),
  kind: z.string(),
  line: z.int(),
  lines: z.int(),
  annotations: z.array(AnnotationShape),
  roles: z.array(z.string()),
  extends: z.string().optional(),
  implements: z.array(z.string()),
  injects: z.array(z.string()),
  methods: z.array(
    z.object({
      name: z.string(),
      line: z.int(),
      lines: z.int(),
      annotations: z.array(AnnotationShape),
      returns: z.string(),
    }),
  ),
})

export const SignatureShape = z.object({
  files: z.array(
    z.object({
      file: z.string(),
      package: z.string(),
      types: z.array(TypeShape),
      inbound: z.array(InboundShape),
      outbound: z.array(OutboundShape),
    }),
  ),
  warnings: Warnings,
  cut: Cut,
})

const Source = z.object({ file: z.string(), line: z.int() })

export const AnalysisShape = z.object({
  trace: z.object({
    rootPath: z.string(),
    timestamp: z.string(),
    snapshot: z
      .string()
      .describe('Digest of everything that was found, before any of it was put into words.'),
  }),
  summary: z.array(z.string()),
  mermaid: z.string(),
  graph: z.object({
    nodes: z.array(
      z.object({ id: z.string(), kind: z.string(), name: z.string(), role: z.string(), source: Source }),
    ),
    edges: z.array(z.object({ from: z.string(), to: z.string(), label: z.string(), source: Source })),
    renamed: z.array(z.string()),
  }),
  suggestions: z.array(
    z.object({
      rule: z.string(),
      group: z.string(),
      severity: z.enum(SEVERITIES),
      subject: z.string(),
      file: z.string(),
      line: z.int(),
      value: z.number(),
    }),
  ),
  secrets: z.array(z.object({ file: z.string(), line: z.int(), kind: z.string(), place: z.string() })),
  warnings: Warnings,
  report: z.string().describe('The report as Markdown.'),
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
