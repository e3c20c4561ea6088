/** Lines from `start` up to `end`, which is not among them; counted from 0. */
interface Span {
  readonly start: number
  readonly end: number
}

/** Lines that were replaced, and the lines that came instead; either may be none. */
interface LineChange {
  readonly old: Span
  readonly now: Span
}

/** More edits than this make everything between the first and the last one a change. */
const MAX_EDITS = 2_000

/** Lines as numbers, equal for equal lines. */
const internLines = (before: readonly string[], after: readonly string[]): [Int32Array, Int32Array] => {
  const numbers = new Map<string, number>()
  const intern = (lines: readonly string[]) =>
    Int32Array.from(lines, (line) => {
      const known = numbers.get(line)
      if (known === undefined) numbers.set(line, numbers.size)
      return known ?? numbers.size - 1
    })
  return [intern(before), intern(after)]
}

/** The furthest reaching paths of Myers' algorithm, one array for each number of edits; undefined above MAX_EDITS. */
const tracePaths = (before: Int32Array, after: Int32Array): Int32Array[] | undefined => {
  const [rows, columns] = [before.length, after.length]
  const most = Math.min(rows + columns, MAX_EDITS)
  const trace: Int32Array[] = []
  let reached = new Int32Array(2)
  for (let edits = 0; edits <= most; edits++) {
    // Diagonal k is at index k + edits + 1, with one unused place at either end.
    const next = new Int32Array(2 * edits + 3)
    for (let k = -edits; k <= edits; k += 2) {
      const [left, right] = [reached[k + edits - 1] ?? 0, reached[k + edits + 1] ?? 0]
      const down = k === -edits || (k !== edits && left < right)
      let x = edits === 0 ? 0 : down ? right : left + 1
      while (x < rows && x - k < columns && before[x] === after[x - k]) x++
      next[k + edits + 1] = x
      if (x >= rows && x - k >= columns) return [...trace, next]
    }
    trace.push(next)
    reached = next
  }
  return undefined
}

/** The edits of the paths, one line each, joined where no line is between them. `start` lines before are equal. */
const walkBack = (trace: readonly Int32Array[], [rows, columns]: [number, number], start: number) => {
  const changes: LineChange[] = []
  let [x, y] = [rows, columns]
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const reached = trace[edits - 1] ?? new Int32Array()
    const k = x - y
    const [left, right] = [reached[k + edits - 1] ?? 0, reached[k + edits + 1] ?? 0]
    const down = k === -edits || (k !== edits && left < right)
    x = down ? right : left
    y = x - (down ? k + 1 : k - 1)
    const old = { start: start + x, end: start + (down ? x : x + 1) }
    const now = { start: start + y, end: start + (down ? y + 1 : y) }
    const next = changes[0]
    if (next?.old.start !== old.end || next.now.start !== now.end) changes.unshift({ old, now })
    else changes[0] = { old: { ...next.old, start: old.start }, now: { ...next.now, start: now.start } }
  }
  return changes
}

/** The changes between two versions of a text, in their order. */
export const compareLines = (before: readonly string[], after: readonly string[]): readonly LineChange[] => {
  const [old, now] = internLines(before, after)
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start++
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  const [oldEnd, nowEnd] = [old.length - end, now.length - end]
  if (start === oldEnd && start === nowEnd) return []
  const whole = [{ old: { start, end: oldEnd }, now: { start, end: nowEnd } }]
  if (start === oldEnd || start === nowEnd) return whole
  const trace = tracePaths(old.subarray(start, oldEnd), now.subarray(start, nowEnd))
  return trace === undefined ? whole : walkBack(trace, [oldEnd - start, nowEnd - start], start)
}

/** The old lines of a span with the changes in it, each marked: `-` only before, `+` only after, a blank in both. */
const markLines = (
  [before, after]: readonly [readonly string[], readonly string[]],
  changes: readonly LineChange[],
  { start, end }: Span,
  mark: (sign: string, line: string) => string,
): readonly string[] => {
  const marked: string[] = []
  const add = (sign: string, lines: readonly string[]) => {
    for (const line of lines) marked.push(mark(sign, line))
  }
  let next = start
  for (const { old, now } of changes) {
    add(' ', before.slice(next, old.start))
    add('-', before.slice(old.start, old.end))
    add('+', after.slice(now.start, now.end))
    next = old.end
  }
  add(' ', before.slice(next, end))
  return marked
}

/** All lines of two texts, each after its mark. */
export const diffLines = (before: string, after: string): readonly string[] => {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const all = { start: 0, end: old.length }
  return markLines([old, now], compareLines(old, now), all, (sign, line) => `${sign} ${line}`)
}

const CONTEXT = 3

/** A line with its end; a last line without an end is marked, as `diff` does. */
const markLine = (sign: string, line: string): string =>
  line.endsWith('\n') ? `${sign}${line.slice(0, -1)}` : `${sign}${line}\n\\ No newline at end of file`

const splitLines = (text: string): readonly string[] => (text === '' ? [] : text.split(/(?<=\n)/))

const spanText = ({ start, end }: Span): string => `${start === end ? start : start + 1},${end - start}`

/** The change of a file as a unified diff, which `git apply` and `patch -p1` take. Undefined `before`: a new file. */
export const unifiedDiff = (path: string, before: string | undefined, after: string): string => {
  const [old, now] = [splitLines(before ?? ''), splitLines(after)]
  const hunks: LineChange[][] = []
  for (const change of compareLines(old, now)) {
    const last = hunks.at(-1)
    if (last !== undefined && change.old.start <= (last.at(-1)?.old.end ?? 0) + 2 * CONTEXT) last.push(change)
    else hunks.push([change])
  }
  const text = hunks.flatMap((changes) => {
    const [first, last] = [changes[0], changes.at(-1)]
    if (first === undefined || last === undefined) return []
    const above = Math.min(CONTEXT, first.old.start)
    const below = Math.min(CONTEXT, old.length - last.old.end)
    const from = { start: first.old.start - above, end: last.old.end + below }
    const to = { start: first.now.start - above, end: last.now.end + below }
    return [`@@ -${spanText(from)} +${spanText(to)} @@`, ...markLines([old, now], changes, from, markLine)]
  })
  return [`--- ${before === undefined ? '/dev/null' : `a/${path}`}`, `+++ b/${path}`, ...text].join('\n')
}
