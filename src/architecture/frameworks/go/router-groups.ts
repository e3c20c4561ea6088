import type { Expression } from '../../source/source-unit.ts'

interface RouterGroup {
  readonly parent: Expression
  /** Outermost first. */
  readonly paths: readonly Expression[]
}

const MAX_CHAIN = 20

/** Calls that make a router from another one: `r.Group("/api").Group("/v1")`, `r.PathPrefix("/api").Subrouter()`. */
export const groupPath = (value: Expression | undefined, depth = 0): RouterGroup | undefined => {
  if (value?.kind !== 'call' || value.call.receiver === undefined || depth > MAX_CHAIN) return undefined
  const { name, receiver, args } = value.call
  const hasPath = name === 'Group' || name === 'PathPrefix'
  if (!hasPath && !/^(Subrouter|With|Use)$/.test(name)) return undefined
  const outer = groupPath(receiver, depth + 1) ?? { parent: receiver, paths: [] }
  const [path] = hasPath ? args : []
  return path === undefined ? outer : { ...outer, paths: [...outer.paths, path] }
}
