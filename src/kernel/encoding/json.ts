/** A value that survives JSON unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** Text without characters that JSON escapes, also when nested in a JSON string. Most texts are of this kind. */
export const PLAIN_TEXT = /^[ !#-[\]-~]*$/

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** The value of a JSON text; undefined when it is not JSON. */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
