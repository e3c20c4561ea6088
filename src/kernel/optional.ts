/** What `optional` keeps of `T`: a member that may be undefined becomes optional. */
type Given<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** The members that are not undefined: `{ path, ...optional({ line }) }` has no member `line` where there is none. */
export const optional = <T extends object>(members: T): Given<T> => {
  const given: Partial<T> = {}
  for (const name in members) if (members[name] !== undefined) given[name] = members[name]
  return given as Given<T> & Partial<T>
}
