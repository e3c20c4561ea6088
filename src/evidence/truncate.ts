/** Reserved for members that truncation adds, and for a count that gets longer. */
const RESERVED_BYTES = 64

/** The first items that fit into `bytes` together with the rest of the answer. */
const fitList = <T>(items: readonly T[], answer: unknown, bytes: number): T[] => {
  const sizes = items.map((item) => Buffer.byteLength(JSON.stringify(item)) + 1)
  const rest = Buffer.byteLength(JSON.stringify(answer)) - sizes.reduce((sum, size) => sum + size, 0)
  let room = bytes - rest - RESERVED_BYTES
  const over = sizes.findIndex((size) => {
    room -= size
    return room < 0
  })
  return items.slice(0, over === -1 ? items.length : over)
}

interface Snapshot<T> {
  readonly snapshot: { readonly findings: readonly T[] }
}

/** Truncates the list of findings and sets `truncated`. */
export const truncateSnapshot = <T, S extends Snapshot<T>>(answer: S, bytes: number) => {
  const findings = fitList(answer.snapshot.findings, answer, bytes)
  const truncated = findings.length < answer.snapshot.findings.length
  return truncated ? { ...answer, snapshot: { ...answer.snapshot, findings, truncated } } : answer
}

interface PagedAnswer {
  readonly pagination: { readonly has_more: boolean }
}

/** Shortens a page and sets `has_more`, so that the client continues as with any other page. */
export const truncatePage =
  <K extends string>(name: K) =>
  <A extends PagedAnswer & Readonly<Record<K, readonly unknown[]>>>(answer: A, bytes: number): A => {
    const items = fitList(answer[name], answer, bytes)
    if (items.length === answer[name].length) return answer
    return {
      ...answer,
      ...(name === 'findings' && { findings_count: items.length }),
      pagination: { ...answer.pagination, has_more: true },
      [name]: items,
    }
  }
