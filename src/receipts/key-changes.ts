import type { ListedKey } from './keys-file.ts'

interface KeyChange {
  readonly effect: string
  /** Whether receipts count that did not count before. */
  readonly weaker: boolean
  /** Whether a key is added, or trusted again. */
  readonly addsKey?: boolean
}

const limitsOf = ({ from = '', until = '', revoked = '' }: ListedKey): string => `${from}|${until}|${revoked}`

const timeOr = (day: string | undefined, none: number): number => (day === undefined ? none : Date.parse(day))

/** Whether a key counts at no time at which it did not count before. */
const isNarrower = (old: ListedKey, entry: ListedKey): boolean =>
  timeOr(entry.from, -Infinity) >= timeOr(old.from, -Infinity) &&
  timeOr(entry.until, Infinity) <= timeOr(old.until, Infinity) &&
  timeOr(entry.revoked, Infinity) <= timeOr(old.revoked, Infinity)

/** What a change of the keys file does. Every key that is added, or valid for longer, makes more receipts count. */
export const keyChanges = (base: readonly ListedKey[], after: readonly ListedKey[]): readonly KeyChange[] => {
  const before = new Map(base.map((entry) => [entry.key.id, entry]))
  const ids = new Set(after.map(({ key }) => key.id))
  const changed = after.flatMap((entry): KeyChange[] => {
    const { key, owner, role } = entry
    const old = before.get(key.id)
    const name = `${key.name} (${owner}, ${role})`
    // The first list asks for receipts where none was asked for.
    if (old === undefined)
      return [{ effect: `the key ${name} is added`, weaker: base.length > 0, addsKey: base.length > 0 }]
    if (limitsOf(old) === limitsOf(entry) && old.role === role) return []
    if (old.revokedWith !== undefined && entry.revoked === undefined && old.role === role)
      return [{ effect: `the key ${name} is added again`, weaker: true, addsKey: true }]
    const weaker = old.role !== role || !isNarrower(old, entry)
    return [{ effect: `the key ${name} has another role or time`, weaker }]
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
