import { type Failure, fail } from '../faults.ts'
import { type AnswerOrigin, pickOrigin } from './answer-origin.ts'
import type { Candidate, LookupRequest } from './candidate.ts'
import type { LookupResult } from './lookup.ts'
import type { QueryResult } from './query.ts'
import { firstCharacters } from './snippet.ts'

export interface PlanRequest {
  readonly intent: string
  readonly constraints?: Readonly<Record<string, unknown>> | undefined
  readonly name_hint?: string | undefined
  readonly version?: string | undefined
  readonly registry?: string | undefined
}

interface PlanPorts {
  readonly lookup: (request: LookupRequest) => Promise<LookupResult | Failure>
  readonly query: (ref: string, q: string, k: number) => Promise<QueryResult | Failure>
}

type IntentMode = 'lookup' | 'query'

interface PlanStep {
  readonly pinned_uri: string
  readonly entrypoint: string
  readonly args_template: Readonly<Record<string, unknown>>
  readonly why?: string
}

export interface PacketPlan extends AnswerOrigin {
  readonly ok: true
  readonly intent_mode: IntentMode
  readonly selected: readonly PlanStep[]
  readonly fallbacks: readonly PlanStep[]
  readonly constraints_applied: Readonly<Record<string, unknown>>
}

// Whole words only: "stage" contains "tag", and "show" contains "how".
const LOOKUP_WORDS =
  /\b(?:lookup|metadata|catalogs?|latest|versions?|entrypoints?|capabilit(?:y|ies)|tags?|alias(?:es)?)\b/
const QUERY_WORDS = /\b(?:search(?:es|ing)?|questions?|answers?|snippets?|contexts?|where|how|why|what)\b/
const LOOKUP_KEYS = ['kind', 'capability', 'os', 'arch', 'version', 'alias']
const MODES: readonly string[] = ['lookup', 'query']

const nonEmptyText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

const isMode = (value: string | undefined): value is IntentMode =>
  value !== undefined && MODES.includes(value)

/** Whether the intent asks for a lookup or a query. When unclear a lookup, which costs less. */
export const intentMode = (intent: string, constraints: Readonly<Record<string, unknown>>): IntentMode => {
  const asked = [nonEmptyText(constraints.mode), nonEmptyText(constraints.entrypoint)?.toLowerCase()].find(
    isMode,
  )
  if (asked !== undefined) return asked
  const text = intent.toLowerCase()
  const forLookup =
    (LOOKUP_WORDS.test(text) ? 2 : 0) + LOOKUP_KEYS.filter((key) => Boolean(constraints[key])).length
  return (QUERY_WORDS.test(text) ? 1 : 0) > forLookup ? 'query' : 'lookup'
}

const packetName = ({ intent, name_hint }: PlanRequest, constraints: Readonly<Record<string, unknown>>) =>
  nonEmptyText(name_hint) ??
  nonEmptyText(constraints.name) ??
  nonEmptyText(/packet:\s*(\S+)/i.exec(intent)?.[1]?.replace(/^[,.]+|[,.]+$/g, ''))

interface Ranked {
  readonly candidate: Candidate
  readonly score: number
}

const scoreCandidate = (candidate: Candidate, entrypoint: string | undefined, intent: string): number => {
  const kind = candidate.kind.toLowerCase()
  return (
    (entrypoint !== undefined && candidate.entrypoints.includes(entrypoint) ? 5 : 0) +
    (kind !== '' && intent.includes(kind) ? 2 : 0) +
    candidate.capabilities.filter((one) => intent.includes(one.toLowerCase())).length
  )
}

/** A stable sort: equal scores keep the order of lookup, the aliased version first, then the newest. */
const byRank = (a: Ranked, b: Ranked): number => b.score - a.score

/** Breaks a tie of the two best packets by how many passages each has for the intent. */
const breakTie = async (
  ranked: readonly Ranked[],
  intent: string,
  { query }: PlanPorts,
): Promise<Ranked[]> => {
  const queried = await Promise.all(
    ranked.slice(0, 2).map(async ({ candidate, score }) => {
      const answer = await query(candidate.pinned_uri, intent, 3)
      return { candidate, score: score + ('results' in answer && answer.ok ? answer.results.length : 0) }
    }),
  )
  return [...queried, ...ranked.slice(2)].sort(byRank)
}

const planStep = (candidate: Candidate, mode: IntentMode, entrypoint: string | undefined): PlanStep => {
  const { pinned_uri, entrypoints } = candidate
  if (mode === 'lookup') return { pinned_uri, entrypoint: 'lookup', args_template: { ref: pinned_uri, k: 3 } }
  const own = entrypoint !== undefined && entrypoints.includes(entrypoint) ? entrypoint : entrypoints[0]
  return { pinned_uri, entrypoint: own ?? 'query', args_template: { ref: pinned_uri, q: '{question}', k: 5 } }
}

const explainChoice = (
  { name, version, capabilities }: Candidate,
  mode: IntentMode,
  intent: string,
): string => {
  const known = capabilities.slice(0, 3).join(', ') || 'no capabilities'
  return `selected ${name}@${version} for ${mode} intent '${firstCharacters(intent, 64)}' with capabilities [${known}]`
}

const asStrings = (value: unknown): string | readonly string[] | undefined =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : nonEmptyText(value)

/** Plans which packets to use for an intent, the best first, as calls that can be made unchanged. */
export const planIntent = async (ports: PlanPorts, request: PlanRequest): Promise<PacketPlan | Failure> => {
  const constraints = request.constraints ?? {}
  const { intent } = request
  const name = packetName(request, constraints)
  if (name === undefined)
    return fail('name_hint_required', 'provide name_hint or constraints.name for deterministic planning', {
      hint: 'Name the packet in name_hint, with --name, or as packet:NAME in the intent.',
    })
  const entrypoint = nonEmptyText(constraints.entrypoint)
  const found = await ports.lookup({
    name,
    version: nonEmptyText(request.version) ?? nonEmptyText(constraints.version),
    alias: nonEmptyText(constraints.alias) ?? 'latest',
    entrypoint,
    kind: nonEmptyText(constraints.kind),
    capability: asStrings(constraints.capability),
    os_name: nonEmptyText(constraints.os),
    arch: nonEmptyText(constraints.arch),
    registry: request.registry,
    k: 3,
  })
  if (!found.ok) return found
  const mode = intentMode(intent, constraints)
  const lower = intent.toLowerCase()
  const scored = found.candidates.map((candidate) => ({
    candidate,
    score: scoreCandidate(candidate, entrypoint, lower),
  }))
  const ranked = scored.sort(byRank)
  const tied = mode === 'query' && ranked.length > 1 && ranked[0]?.score === ranked[1]?.score
  const final = tied ? await breakTie(ranked, intent, ports) : ranked
  const steps = final.map(({ candidate }) => ({ candidate, step: planStep(candidate, mode, entrypoint) }))
  return {
    ok: true,
    intent_mode: mode,
    selected: steps
      .slice(0, 2)
      .map(({ candidate, step }) => ({ ...step, why: explainChoice(candidate, mode, intent) })),
    fallbacks: steps.slice(2, 4).map(({ step }) => step),
    constraints_applied: constraints,
    ...pickOrigin(found),
  }
}
