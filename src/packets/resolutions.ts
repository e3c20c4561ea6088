import type { Digest } from '../kernel/encoding/digest.ts'
import { Fault } from '../kernel/fault.ts'
import type { Reference } from './format/reference.ts'

/** What a tag resolved to when its registry was reached the last time. */
interface LastResolution {
  readonly digest: Digest
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly ageMs: number
}

/**
 * Remembers resolutions for the time when a registry cannot be reached. It lies outside of packet folders: one that
 * came with a repository must not say which packet a name stands for.
 */
export interface ResolutionMemory {
  last(ref: Reference): Promise<LastResolution | undefined>
  keep(ref: Reference, digest: Digest): Promise<void>
}

/** Remembers what a reference resolved to, and that its repository had this packet. */
export const keepResolution = async (
  memory: ResolutionMemory | undefined,
  ref: Reference,
  digest: Digest,
): Promise<void> => {
  const { host, repository } = ref
  await memory?.keep({ host, repository, digest }, digest)
  if (ref.digest === undefined) await memory?.keep(ref, digest)
}

/** What an answer says when it was given by an earlier resolution. */
export interface StaleAnswer {
  readonly stale: true
  /** When the tag was resolved. */
  readonly resolved_at: string
  readonly age_seconds: number
}

/** The registry gave no answer. One that answered "no such tag", "denied" or "failing" was reached. */
const UNREACHABLE = ['registry.unreachable', 'registry.slow']

const formatAge = (seconds: number): string => {
  if (seconds < 120) return `${seconds} seconds`
  if (seconds < 7200) return `${Math.floor(seconds / 60)} minutes`
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} hours` : `${Math.floor(seconds / 86_400)} days`
}

/** The last resolution of a tag, where `thrown` says that the registry could not be reached; else throws it again. */
export const recallResolution = async (
  memory: ResolutionMemory | undefined,
  ref: Reference,
  thrown: unknown,
) => {
  const unreachable = thrown instanceof Fault && UNREACHABLE.includes(thrown.code) ? thrown : undefined
  const last = unreachable && ref.digest === undefined ? await memory?.last(ref) : undefined
  if (unreachable === undefined || last === undefined) throw thrown
  const mark: StaleAnswer = {
    stale: true,
    resolved_at: new Date(last.at).toISOString(),
    age_seconds: Math.floor(last.ageMs / 1000),
  }
  const warning = `${unreachable.message}: answered from what ${ref.tag ?? 'latest'} was ${formatAge(mark.age_seconds)} ago (${mark.resolved_at}); it may have moved since`
  return { digest: last.digest, mark, warning }
}
