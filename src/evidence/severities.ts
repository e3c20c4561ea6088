/** Apart from the schema, which takes a library to load: who only counts and filters needs the words alone. */

/** Least severe first: the place in the list is the rank. */
export const SEVERITIES = ['INFO', 'WARN', 'ERROR', 'CRITICAL'] as const

/** Surest first. */
export const CONFIDENCES = ['HIGH', 'MEDIUM', 'LOW'] as const
