import type { Digest } from '../../kernel/encoding/digest.ts'
import { Fault } from '../../kernel/fault.ts'
import { type Failure, fail, failWith, NAME_REGISTRY, schemeHint } from '../faults.ts'
import { parseReference, type Reference, sourceUri } from '../format/reference.ts'
import type { PolicyGuard } from '../trust/policy-guard.ts'
import { type AnswerOrigin, findLockedPacket, revokedWarning } from './answer-origin.ts'
import { type Candidate, candidateFilters, type LookupRequest, toCandidate } from './candidate.ts'
import { describePacketAt, type ResolvePorts, resolveNames } from './resolve-names.ts'

export interface LookupPorts extends ResolvePorts {
  readonly guard: PolicyGuard
}

export interface LookupResult extends AnswerOrigin {
  readonly ok: true
  readonly source_uri: string
  readonly count: number
  readonly candidates: readonly Candidate[]
  readonly selected: Candidate
  readonly warnings?: readonly string[]
}

const MAX_CANDIDATES = 3

/** One lookup while it runs. */
interface RunningLookup {
  readonly ports: LookupPorts
  readonly request: LookupRequest
  readonly signal: AbortSignal
}

const clampCount = (k: number | undefined): number =>
  Math.max(1, Math.min(Math.trunc(k ?? 3) || 1, MAX_CANDIDATES))

interface FoundPacket {
  readonly ref: Reference
  readonly digest: Digest
}

/** The candidates that the policy allows. A refused packet is left out, unless all are refused. */
const checkPolicy = async ({ ports, request, signal }: RunningLookup, found: readonly FoundPacket[]) => {
  const candidates: Candidate[] = []
  const warnings: string[] = []
  let refused: Fault | undefined
  for (const { ref, digest } of found) {
    const { host, repository } = ref
    try {
      warnings.push(...(await ports.guard.checkSource(ref, false)))
      const { known } = await describePacketAt(ports, { host, repository, digest }, signal)
      const checked = await ports.guard.checkTrust({ ref, digest, wanted: request.trust === true, signal })
      const revoked = await ports.revocation?.(digest)
      const candidate = toCandidate({ ref, digest, known, trust: checked.trust, revoked })
      candidates.push(candidate)
      if (revoked) warnings.push(revokedWarning(`${candidate.name}@${candidate.version}`, revoked))
      warnings.push(...checked.warnings)
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.code !== 'packet.policy') throw thrown
      refused ??= thrown
    }
  }
  if (candidates.length === 0 && refused !== undefined) throw refused
  return { candidates, warnings }
}

/** Looks into the lock of the project. */
const lookupLocked = async (
  lookup: RunningLookup,
  uri: string,
): Promise<LookupResult | Failure | undefined> => {
  const { ports, request, signal } = lookup
  const entry = await findLockedPacket(ports, parseReference(uri), signal)
  if (entry === undefined) return undefined
  const { ref, origin } = entry
  const checked = await checkPolicy(lookup, [{ ref, digest: ref.digest }])
  return choose(request, { uri, ...checked, origin })
}

const unnamed = (request: LookupRequest): Failure =>
  request.registry && candidateFilters(request).length > 0
    ? fail('invalid_lookup_input', 'no packet is named', {
        hint: 'Give name or ref.',
      })
    : fail('invalid_lookup_input', 'REGISTRY not set and no oci:// ref provided', {
        hint: schemeHint(request.ref) ?? NAME_REGISTRY,
      })

/**
 * Finds packets and pins them by digest. Filters are applied after the cache, so cached answers serve every
 * filter.
 */
export const lookupPackets = async (
  ports: LookupPorts,
  request: LookupRequest,
  signal: AbortSignal,
): Promise<LookupResult | Failure> => {
  try {
    const lookup = { ports, request, signal }
    const uri = sourceUri(request)
    if (uri === undefined) return unnamed(request)
    const answer = await lookupLocked(lookup, uri)
    if (answer !== undefined) return answer
    const ref = parseReference(uri)
    await ports.guard.checkSource(ref, false)
    const { digests, warnings, mark } = await resolveNames(lookup, uri)
    const found = digests.map((digest) => ({ ref, digest }))
    const checked = await checkPolicy(lookup, found)
    const { candidates } = checked
    return choose(request, { uri, candidates, warnings: [...warnings, ...checked.warnings], origin: mark })
  } catch (thrown) {
    return failWith('lookup_failed', thrown)
  }
}

interface LookupFindings {
  readonly uri: string
  readonly candidates: readonly Candidate[]
  readonly warnings: readonly string[]
  readonly origin?: AnswerOrigin | undefined
}

const choose = (
  request: LookupRequest,
  { uri, candidates: all, warnings, origin }: LookupFindings,
): LookupResult | Failure => {
  const filters = candidateFilters(request)
  const candidates = all
    .filter((candidate) => filters.every(({ passes }) => passes(candidate)))
    .slice(0, clampCount(request.k))
  const [selected] = candidates
  if (selected === undefined) {
    const shown = filters.map((filter) => filter.shown).join(', ')
    return fail(
      'no_match',
      shown === '' ? 'No matches for requested packet' : `No matches for filters: ${shown}`,
      { hint: 'Use fewer filters; without filters lookup returns all versions.' },
    )
  }
  const revoked = selected.revoked === undefined ? {} : { revoked: selected.revoked }
  const extra = warnings.length === 0 ? {} : { warnings: [...new Set(warnings)] }
  return {
    ok: true,
    source_uri: uri,
    count: candidates.length,
    candidates,
    selected,
    ...origin,
    ...revoked,
    ...extra,
  }
}
