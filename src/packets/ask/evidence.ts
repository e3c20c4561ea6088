import type { Failure } from '../faults.ts'
import type { PassageTrust } from '../trust/trust.ts'
import { type AnswerOrigin, pickOrigin } from './answer-origin.ts'
import type { QueryResult } from './query.ts'
import { firstCharacters, flatten, type QueryHit } from './snippet.ts'

export interface EvidenceDigest extends AnswerOrigin {
  readonly ok: true
  readonly ref: string
  readonly question: string
  readonly digest: string
  readonly pinned_uri: string
  readonly evidence: readonly QueryHit[]
  readonly summary: string
  readonly trust: PassageTrust
  readonly warnings?: readonly string[]
}

const MIN_BUDGET = 64
const DEFAULT_BUDGET = 1200
const MAX_LINES = 6
const MIN_OVERLAP = 20
/** The summary cites the evidence without repeating it, so its lines are short. */
const LINE_TEXT = 60

export const clampBudget = (max: number | undefined): number =>
  Math.max(MIN_BUDGET, Math.trunc(max ?? DEFAULT_BUDGET) || MIN_BUDGET)

const length = (text: string): number => [...text].length

/** Length of the longest end of `a` that `b` begins with. */
const sharedEnd = (a: string, b: string): number => {
  for (let size = Math.min(a.length, b.length); size >= MIN_OVERLAP; size--) {
    if (a.endsWith(b.slice(0, size))) return size
  }
  return 0
}

type RangedHit = QueryHit & { readonly start: number; readonly end: number }
const isRanged = (hit: QueryHit): hit is RangedHit => hit.start !== null && hit.end !== null

const rangesOverlap = (a: RangedHit, b: RangedHit): boolean =>
  a.path === b.path && a.start <= b.end && b.start <= a.end

/** Joins two snippets of one file that overlap, because chunk windows overlap by design. */
const joinSnippets = (a: QueryHit, b: QueryHit): QueryHit | undefined => {
  if (a.path === b.path && (a.snippet.includes(b.snippet) || b.snippet.includes(a.snippet)))
    return a.snippet.length >= b.snippet.length ? a : { ...b, score: a.score }
  if (!isRanged(a) || !isRanged(b) || !rangesOverlap(a, b)) return undefined
  const [first, second] = a.start <= b.start ? [a, b] : [b, a]
  const shared = sharedEnd(first.snippet, second.snippet)
  if (shared === 0) return undefined
  return {
    ...a,
    start: first.start,
    end: Math.max(a.end, b.end),
    snippet: first.snippet + second.snippet.slice(shared),
  }
}

/** Every snippet on one line, overlapping ones joined, in the order of the results. */
const condense = (results: readonly QueryHit[]): readonly QueryHit[] => {
  const kept: QueryHit[] = []
  for (const result of results) {
    const flat = { ...result, snippet: flatten(result.snippet) }
    const at = kept.findIndex((one) => joinSnippets(one, flat) !== undefined)
    if (at === -1) kept.push(flat)
    else kept[at] = joinSnippets(kept[at] as QueryHit, flat) as QueryHit
  }
  return kept
}

const cutToBudget = (results: readonly QueryHit[], budget: number): readonly QueryHit[] => {
  let left = budget
  return results.flatMap((result) => {
    const snippet = left <= 0 ? '' : firstCharacters(result.snippet, left).trim()
    left -= length(snippet)
    return snippet === '' ? [] : [{ ...result, snippet }]
  })
}

const summaryLine = ({ path, start, end, snippet }: QueryHit): string => {
  const place = start === null ? '' : `:${start}${end === null || end === start ? '' : `-${end}`}`
  const head = firstCharacters(snippet, LINE_TEXT)
  return `- ${path || '-'}${place}: ${head.length === snippet.length ? head : `${head.trimEnd()}...`}`
}

interface DigestRequest {
  readonly ref: string
  readonly question: string
  /** Most characters of evidence. */
  readonly budget: number
}

/** Cuts the results of a query to a budget of characters. */
export const digestEvidence = (
  answer: QueryResult | Failure,
  { ref, question, budget }: DigestRequest,
): EvidenceDigest | QueryResult | Failure => {
  if (!answer.ok || !('results' in answer)) return answer
  const evidence = cutToBudget(condense(answer.results), budget)
  return {
    ok: true,
    ref,
    question,
    digest: answer.digest,
    pinned_uri: answer.pinned_uri,
    evidence,
    summary: evidence.slice(0, MAX_LINES).map(summaryLine).join('\n'),
    trust: answer.trust,
    ...pickOrigin(answer),
    ...(answer.warnings !== undefined && answer.warnings.length > 0 && { warnings: answer.warnings }),
  }
}
