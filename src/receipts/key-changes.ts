import type { ListedKey } from './keys-file.ts'

interface KeyChange {
  readonly effect: string
  /** Whether receipts count that did not count before. */
  readonly weaker: boolean
}

const limitsOf = ({ from = '', until = '', revoked = '' }: ListedKey): string => `${from}|${until}|${revoked}`

/** What a change of the keys file does. Every key that is added, or valid for longer, makes more receipts count. */
export const keyChanges = (base: readonly ListedKey[], after: readonly ListedKey[]): readonly KeyChange[] => {
  const before = new Map(base.map((entry) => [entry.key.id, entry]))
  const ids = new Set(after.map(({ key }) => key.id))
  const changed = after.flatMap((entry): KeyChange[] => {
    const { key, owner, role } = entry
    const old = before.get(key.id)
    const name = `${key.name} (${owner}, ${role})`
    // The first list asks for receipts where none was asked for.
    if (old === undefined) return [{ effect: `the key ${name} is added`, weaker: base.length > 0 }]
    if (limitsOf(old) === limitsOf(entry) && old.role === role) return []
    const revoked = entry.revoked !== undefined && old.revoked === undefined
    const same = old.from === entry.from && old.until === entry.until && old.role === role
    return [{ effect: `the key ${name} has another role or time`, weaker: !(revoked && same) }]
  })
  const removed = base
    .filter(({ key }) => !ids.has(key.id))
    .map(
      ({ key, owner }): KeyChange => ({ effect: `the key ${key.name} (${owner}) is removed`, weaker: false }),
    )
  // Without a list, no receipt is asked for.
  const emptied = base.length > 0 && after.length === 0
  return emptied
    ? [{ effect: 'no key is left, so that no receipt is asked for', weaker: true }]
    : [...changed, ...removed]
}
