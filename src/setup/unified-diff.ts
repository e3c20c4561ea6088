import { diffLines } from '../kernel/text/line-diff.ts'
import type { PlannedFile } from './plan.ts'
import { showTarget } from './target-file.ts'

const CONTEXT = 3

const NO_LINE_END = '\n\\ No newline at end of file'

/** The lines of a text; a last line without an end is marked, as `diff` does. */
const splitLines = (text: string): string[] => {
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return last === '' ? lines : [...lines, `${last}${NO_LINE_END}`]
}

const commonStart = (one: readonly string[], other: readonly string[]): number => {
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at++
  return at
}

interface Hunk {
  readonly from: number
  readonly lines: string[]
}

/** The changed lines with some lines around them, in groups. */
const hunksOf = (lines: readonly string[]): Hunk[] => {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((line) => !line.startsWith(' ')),
  )
  const hunks: Hunk[] = []
  for (const [at, line] of lines.entries()) {
    if (!near[at]) continue
    const last = hunks.at(-1)
    if (last !== undefined && near[at - 1]) last.lines.push(line)
    else hunks.push({ from: at, lines: [line] })
  }
  return hunks
}

const countOf = (lines: readonly string[], other: '+' | '-'): number =>
  lines.filter((line) => !line.startsWith(other)).length

/** Lines with their mark: removed, added, or in both. */
const markLines = (old: readonly string[], now: readonly string[]): string[] => {
  // One line each, also where the mark for a missing line end makes it two.
  const flat = (lines: readonly string[]) => lines.map((line) => line.replace('\n', '\0')).join('\n')
  return diffLines(flat(old), flat(now)).map((line) => (line.slice(0, 1) + line.slice(2)).replace('\0', '\n'))
}

/** The change of a file as a unified diff, which `git apply` takes. */
export const writeUnifiedDiff = ({ target, before, after }: PlannedFile): string => {
  const [old, now] = [splitLines(before ?? ''), splitLines(after)]
  const start = commonStart(old, now)
  const end = Math.min(
    commonStart([...old].reverse(), [...now].reverse()),
    Math.min(old.length, now.length) - start,
  )
  const [oldMiddle, nowMiddle] = [old.slice(start, old.length - end), now.slice(start, now.length - end)]
  const middle =
    oldMiddle.length === 0 ? nowMiddle.map((line) => `+${line}`) : markLines(oldMiddle, nowMiddle)
  const lines = [
    ...old.slice(0, start).map((line) => ` ${line}`),
    ...middle,
    ...old.slice(old.length - end).map((line) => ` ${line}`),
  ]
  const path = showTarget(target)
  const text = hunksOf(lines).flatMap(({ from, lines: part }) => {
    const [oldAt, newAt] = [countOf(lines.slice(0, from), '+'), countOf(lines.slice(0, from), '-')]
    const [oldCount, newCount] = [countOf(part, '+'), countOf(part, '-')]
    const place = (at: number, count: number) => `${count === 0 ? at : at + 1},${count}`
    return [`@@ -${place(oldAt, oldCount)} +${place(newAt, newCount)} @@`, ...part]
  })
  return [`--- ${before === undefined ? '/dev/null' : `a/${path}`}`, `+++ b/${path}`, ...text].join('\n')
}
