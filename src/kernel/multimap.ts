/** Adds to the list under a key, which begins with the first. */
export const pushTo = <K, V>(lists: Map<K, V[]>, key: K, value: V): void => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
