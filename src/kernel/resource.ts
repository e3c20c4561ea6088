import { escapeRegExp } from './text/escape-regexp.ts'
import type { CallContext } from './tool.ts'

/**
 * A resource that a client reads by URI. A `{variable}` makes the URI a template; a `{+variable}` may contain slashes.
 */
export interface Resource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
  /** How long a client may keep it, in milliseconds. */
  readonly ttlMs: number
  readonly read: (variables: Variables, call: CallContext) => ResourceBody | Promise<ResourceBody>
  /** Values a client may offer for a variable, best first. */
  readonly complete?: Completer
}

export type Variables = Readonly<Record<string, string>>
export type ResourceBody = string | Uint8Array
export type Completer = (argument: string, prefix: string) => readonly string[]

export const defineResource = (def: Omit<Resource, 'ttlMs'> & { readonly ttlMs?: number }): Resource => ({
  ttlMs: 0,
  ...def,
})

export const isTemplate = ({ uri }: Resource): boolean => uri.includes('{')

/**
 * The variables for which `template` expands to `uri`, or undefined. A variable matches one path segment, so that a
 * client cannot leave the template's branch; a `{+variable}` matches the rest, and `read` has to check it.
 */
export const matchTemplate = (template: string, uri: string): Variables | undefined => {
  const names: string[] = []
  const pattern = template.split(/\{(\+?\w+)\}/).map((part, at) => {
    if (at % 2 === 0) return escapeRegExp(part)
    names.push(part.replace('+', ''))
    return part.startsWith('+') ? '(.+)' : '([^/]+)'
  })
  const match = new RegExp(`^${pattern.join('')}$`).exec(uri)
  if (match === null) return undefined
  try {
    return Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(match[at + 1] ?? '')]))
  } catch {
    return undefined
  }
}
