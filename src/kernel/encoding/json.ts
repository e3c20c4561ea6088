/** A value that survives JSON unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** Letters that stand for themselves in JSON, and in JSON within a string. Most of what we write is nothing else. */
export const PLAIN_TEXT = /^[ !#-[\]-~]*$/

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
