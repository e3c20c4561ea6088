/** The keys of an object that has no others than its type says. */
export const keysOf = <T extends object>(members: T): Extract<keyof T, string>[] => {
  const keys: Extract<keyof T, string>[] = []
  for (const key in members) keys.push(key)
  return keys
}
