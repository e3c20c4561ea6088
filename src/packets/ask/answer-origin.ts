import type { StaleAnswer } from '../resolutions.ts'

/** How the packet of an answer was found, where that limits what the answer is worth. */
export type AnswerOrigin = Partial<StaleAnswer>

const MEMBERS = ['stale', 'resolved_at', 'age_seconds'] as const satisfies readonly (keyof AnswerOrigin)[]

export const pickOrigin = (answer: AnswerOrigin): AnswerOrigin =>
  Object.fromEntries(MEMBERS.flatMap((name) => (answer[name] === undefined ? [] : [[name, answer[name]]])))
