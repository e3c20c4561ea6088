import { escapeInvisible } from '../../kernel/text/escape-text.ts'
import type { Revocation } from '../lock/packets-lock.ts'
import type { StaleAnswer } from '../resolutions.ts'

/** How the packet of an answer was found, and what is known against it. */
export interface AnswerOrigin extends Partial<StaleAnswer> {
  /** The entry of the project's lock that names the packet. */
  readonly locked?: { readonly file: string; readonly reference: string }
  readonly revoked?: Revocation
}

const MEMBERS = [
  'stale',
  'resolved_at',
  'age_seconds',
  'locked',
  'revoked',
] as const satisfies readonly (keyof AnswerOrigin)[]

export const pickOrigin = (answer: AnswerOrigin): AnswerOrigin =>
  Object.fromEntries(MEMBERS.flatMap((name) => (answer[name] === undefined ? [] : [[name, answer[name]]])))

export const revokedWarning = (what: string, { reason, revoked_at }: Revocation): string =>
  `${what} was revoked (${escapeInvisible(revoked_at)}): ${escapeInvisible(reason)}`

export const originWarnings = ({ revoked }: AnswerOrigin): readonly string[] =>
  revoked === undefined ? [] : [revokedWarning('this packet', revoked)]
