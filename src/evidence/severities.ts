/** Separate from `schema.ts`, so that code that needs only the names does not load zod. */

/** Least severe first: the index is the rank. */
export const SEVERITIES = ['INFO', 'WARN', 'ERROR', 'CRITICAL'] as const

/** Highest first. */
export const CONFIDENCES = ['HIGH', 'MEDIUM', 'LOW'] as const
