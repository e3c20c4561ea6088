import { isRecord, type Json, type JsonObject } from '../../kernel/encoding/json.ts'

/**
 * Letters of other scripts that look like a Latin letter (confusables), by that letter. Both cases are listed when they
 * resemble different letters (capital eta looks like H, small eta like n); otherwise one case stands for both.
 */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: 'аαɑᴀ',
  b: 'вьβʙƅВΒЬ',
  c: 'сϲᴄҫς',
  d: 'ԁɗᴅժ',
  e: 'еεєҽᴇЕΕ℮',
  f: 'ғϝƒꜰ',
  g: 'ɡɢԌց',
  h: 'һнНΗհʜћ',
  i: 'іιıɪӏΙІⲓ',
  j: 'јϳᴊ',
  k: 'кκᴋԟКΚ',
  l: 'ӀʟǀⳑԼ',
  m: 'мᴍМΜ',
  n: 'ηпɴոΝ',
  o: 'оοσօᴏΟОⲟ',
  p: 'рρᴘРΡⲣ',
  q: 'ԛզ',
  r: 'гʀᴦΓ',
  s: 'ѕꜱʂտ',
  t: 'тτᴛТΤ',
  u: 'υμսᴜц',
  v: 'νѵᴠ',
  w: 'ωԝшᴡա',
  x: 'хχ×ХΧ',
  y: 'уγүʏУΥҮ',
  z: 'ζᴢΖ',
}

const lookalikeMap = (): Map<string, string> => {
  const listed = Object.entries(LOOKALIKES).flatMap(([latin, others]) =>
    [...others].map((other): [string, string] => [other, latin]),
  )
  const capitals = listed.map(([other, latin]): [string, string] => [other.toUpperCase(), latin])
  // Explicit entries override capitals that were derived from small letters.
  return new Map([...capitals, ...listed])
}

const LATIN = lookalikeMap()

const toLatin = (text: string): string =>
  text.replace(/[^\0-\x7f]/gu, (letter) => LATIN.get(letter) ?? letter)

/**
 * The UTS #39 skeleton of a name, with a smaller table: names that look alike have the same skeleton. Combining marks,
 * invisible characters and everything but letters and digits are removed. I, l and 1 count as one letter, o and 0 too.
 */
const confusableSkeleton = (name: string): string =>
  toLatin(
    toLatin(name)
      .normalize('NFKD')
      .replace(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, ''),
  )
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/[l1]/g, 'i')
    .replace(/0/g, 'o')

/** Member names that the belief tools must never send, by family. A name is forbidden when it contains one of these. */
export const FORBIDDEN_NAMES = {
  topology: [
    'dag_topology',
    'node_ids',
    'edge_weights',
    'adjacency_matrix',
    'adjacency_list',
    'adjacency',
    'topology',
    'dag_structure',
    'node_connections',
    'edge_list',
    'internal_edges',
    'node_internal_state',
    'belief_vector',
    'energy_allocation',
    'propagation_path',
  ],
  esv: [
    'esv_raw',
    'esv_matrix',
    'esv_checksum_internal',
    'ethical_gradient',
    'harm_potential_raw',
    'truth_confidence_internal',
    'moral_vector',
    'raw_tau',
    'raw_harm',
    'raw_chi',
    'ethical_potential_raw',
  ],
  energy: [
    'energy_matrix',
    'node_energies',
    'energy_distribution',
    'energy_redistribution_log',
    'governor_correction_delta',
    'thermodynamic_state',
    'entropy_internal',
    'energy_delta',
    'node_energy_allocation',
    'hamiltonian',
    'internal_energy',
  ],
  lineage: [
    'lineage_hash_chain',
    'lineage_chain',
    'full_lineage',
    'lineage_entries',
    'ledger_raw',
    'cascade_hash_internal',
    'parent_hash',
    'shard_id',
    'hash_chain',
    'state_snapshots',
  ],
  governor: [
    'governor_quorum_state',
    'consensus_votes',
    'drift_correction_vector',
    'node_energy_deltas',
    'quorum_members',
  ],
  meta: ['reflective_state', 'coherence_raw', 'meta_cognitive_variance', 'self_referential_state'],
  debug: [
    'internal_state',
    'debug_info',
    'substrate_state',
    'raw_state',
    'stack_trace',
    'backtrace',
    'panic_message',
    'internal_error',
  ],
} as const

const FORBIDDEN = new RegExp(Object.values(FORBIDDEN_NAMES).flat().map(confusableSkeleton).join('|'))

const looksForbidden = (text: string): boolean => FORBIDDEN.test(confusableSkeleton(text))

const MAX_CACHED = 1_024
/** Longer names are not ours. They are not cached, so that a caller cannot fill the memory. */
const MAX_CACHED_LENGTH = 64
const verdicts = new Map<string, boolean>()

// Cached, because our answers repeat the same few names and a skeleton is expensive to compute.
export const isForbidden = (name: string): boolean => {
  if (name.length > MAX_CACHED_LENGTH) return looksForbidden(name)
  const known = verdicts.get(name)
  if (known !== undefined) return known
  const verdict = looksForbidden(name)
  if (verdicts.size >= MAX_CACHED) verdicts.clear()
  verdicts.set(name, verdict)
  return verdict
}

interface Sanitized {
  readonly value: Json
  /** Paths of the removed members, such as `a.b[0].c`. For the log, not for the caller. */
  readonly removed: readonly string[]
}

/** Deeper than any answer of ours: a limit against stack exhaustion. */
const MAX_DEPTH = 128

/** Path and depth of a value. The depth includes JSON nested in texts. */
interface JsonLocation {
  readonly path: string
  readonly depth: number
}

const memberOf = ({ path, depth }: JsonLocation, key: string): JsonLocation => ({
  path: path === '' ? key : `${path}.${key}`,
  depth: depth + 1,
})

const itemOf = ({ path, depth }: JsonLocation, index: number): JsonLocation => ({
  path: `${path}[${index}]`,
  depth: depth + 1,
})

/** Whether nothing has to be removed. True for our own answers, which then need no copy. */
const isClean = (value: Json, depth: number): boolean => {
  if (depth > MAX_DEPTH) return false
  if (typeof value === 'string') return !maybeJson(value)
  if (Array.isArray(value)) return value.every((one) => isClean(one, depth + 1))
  if (!isRecord(value)) return true
  for (const key of Object.keys(value)) {
    if (isForbidden(key) || !isClean(value[key] ?? null, depth + 1)) return false
  }
  return true
}

/**
 * Second defence after the output schemas: removes every member with a forbidden name at any depth, also inside texts
 * that are JSON. Values are not checked: the text `energy_allocation` is allowed.
 */
export const sanitize = (value: Json): Sanitized =>
  isClean(value, 0) ? { value, removed: [] } : removeForbidden(value)

const removeForbidden = (value: Json): Sanitized => {
  const removed: string[] = []

  const cleanObject = (object: JsonObject, location: JsonLocation): Json =>
    Object.fromEntries(
      Object.entries(object).flatMap(([key, inner]) => {
        const here = memberOf(location, key)
        if (!isForbidden(key)) return [[key, clean(inner, here)]]
        removed.push(here.path)
        return []
      }),
    )

  const cleanText = (text: string, location: JsonLocation): string => {
    const inner = parseNested(text)
    if (inner === undefined) return text
    return JSON.stringify(
      clean(inner, { ...location, depth: location.depth + 1 }),
      null,
      text.includes('\n') ? 2 : 0,
    )
  }

  const clean = (inner: Json, location: JsonLocation): Json => {
    if (location.depth > MAX_DEPTH) {
      removed.push(location.path)
      return null
    }
    if (typeof inner === 'string') return cleanText(inner, location)
    if (Array.isArray(inner)) return inner.map((one, index) => clean(one, itemOf(location, index)))
    return isRecord(inner) ? cleanObject(inner, location) : inner
  }

  return { value: clean(value, { path: '', depth: 0 }), removed }
}

const maybeJson = (text: string): boolean => /^\s*["[{]/.test(text)

/** The parsed text, if it is JSON that mentions a forbidden name. */
const parseNested = (text: string): Json | undefined => {
  if (!maybeJson(text) || !mentionsForbidden(text)) return undefined
  try {
    const inner: Json = JSON.parse(text)
    return typeof inner === 'object' || typeof inner === 'string' ? inner : undefined
  } catch {
    return undefined
  }
}

// Checks the text and not the parsed value: of two members with the same name the parser keeps only the last.
const mentionsForbidden = (text: string): boolean =>
  looksForbidden(
    text.replace(/\\(?:u([0-9a-f]{4})|[^u])/gi, (_, code: string | undefined) =>
      code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16)),
    ),
  )
