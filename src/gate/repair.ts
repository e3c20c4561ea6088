import { Fault } from '../kernel/fault.ts'
import { decodeStrict } from '../kernel/text/decode.ts'
import type { FileReading } from './ports.ts'
import type { Edit, GateFinding, GateRun, Region } from './reports/report.ts'

interface RepairPorts {
  /** The files as they were judged. */
  readonly readJudged: (paths: readonly string[]) => AsyncIterable<FileReading>
  /** A file of the working tree. A link on the way to it is a fault. */
  readonly readWorktree: (path: string) => Promise<Uint8Array | undefined>
  /** Replaces a file of the working tree. */
  readonly write: (path: string, text: string) => Promise<void>
  /** Replaces the content of a file in the index; undefined when the working tree was judged. */
  readonly stage: ((path: string, text: string) => Promise<void>) | undefined
}

export interface RepairedFiles {
  readonly repaired: readonly { readonly file: string; readonly edits: number; readonly diff: string }[]
  readonly refused: readonly { readonly file: string; readonly why: string }[]
  /** Edits that overlap others: a further run applies them. */
  readonly left: number
}

const BOM = '\ufeff'

interface SourceLines {
  readonly bom: string
  readonly lines: readonly string[]
}

/** Undefined when the bytes are not UTF-8, so that writing them would change more than the edits. */
const readLines = (bytes: Uint8Array): SourceLines | undefined => {
  try {
    const text = decodeStrict(bytes)
    const bom = text.startsWith(BOM) ? BOM : ''
    return { bom, lines: splitWithEnds(text.slice(bom.length)) }
  } catch {
    return undefined
  }
}

/** Whether the lines of an edit are still those that were judged. */
const isUnchanged = (
  { lines }: SourceLines,
  { edit, region }: { readonly edit: Edit; readonly region: NonNullable<GateFinding['region']> },
  excerpt: { readonly first: number; readonly lines: readonly string[] } | undefined,
): boolean => {
  const numbers = Array.from({ length: region.endLine - region.line + 1 }, (_, at) => region.line + at)
  return (
    edit.range.line === region.line &&
    numbers.every((line) => excerpt?.lines[line - excerpt.first] === lines[line - 1]?.replace(/[\r\n]+$/, ''))
  )
}

const applied = ({ bom, lines }: SourceLines, edits: readonly Edit[]) => {
  const replaced = replaceLines(lines, edits)
  return { replaced, text: bom + joinReplaced(lines, replaced) }
}

/** The edited versions of one file, or why there are none. */
const planFile = async (
  {
    file,
    bytes,
    edits,
  }: { readonly file: string; readonly bytes: Uint8Array; readonly edits: readonly Edit[] },
  { readWorktree, stage }: RepairPorts,
) => {
  const judged = readLines(bytes)
  if (judged === undefined) return 'it is not UTF-8'
  const { replaced, text } = applied(judged, edits)
  const diff = writeDiff(file, judged.lines, replaced)
  if (stage === undefined) return { diff, worktree: text, index: undefined }
  const present = await readWorktree(file)
  const work = present && readLines(present)
  if (work === undefined) return 'it is not in the working tree as a UTF-8 file'
  const moved = moveEdits(edits, judged.lines, work.lines)
  if (moved === undefined) return 'it has changes that are not staged around the same lines'
  return { diff, worktree: applied(work, moved).text, index: text }
}

/** Applies the safe edits of the judged findings. A dry run only says what would change. */
export const repairFiles = async (
  { report, excerpts }: Pick<GateRun, 'report' | 'excerpts'>,
  ports: RepairPorts,
  dryRun: boolean,
): Promise<RepairedFiles> => {
  const safe = report.findings.flatMap((finding) => {
    const { edit, region, state, file } = finding
    const isSafe = state === 'new' && edit?.safe === true && region !== undefined
    return isSafe ? [{ file, edit, region, excerpt: excerpts.get(finding) }] : []
  })
  const files = [...new Set(safe.map(({ file }) => file))]
  const repaired: { file: string; edits: number; diff: string }[] = []
  const refused: { file: string; why: string }[] = []
  let left = 0
  for await (const { path: file, bytes } of ports.readJudged(files)) {
    const wanted = safe.filter((one) => one.file === file)
    const lines = bytes && readLines(bytes)
    const current = lines ? wanted.filter((one) => isUnchanged(lines, one, one.excerpt)) : wanted
    const { picked, left: overlapping } = pickEdits(current.map(({ edit }) => edit))
    left += overlapping
    if (bytes === undefined || picked.length === 0) {
      refused.push({ file, why: 'it changed after it was judged, or cannot be read' })
      continue
    }
    const plan = await planFile({ file, bytes, edits: picked }, ports).catch((cause: unknown) => {
      if (cause instanceof Fault) return cause.message
      throw cause
    })
    if (typeof plan === 'string') {
      refused.push({ file, why: plan })
      continue
    }
    if (!dryRun) {
      await ports.write(file, plan.worktree)
      if (plan.index !== undefined) await ports.stage?.(file, plan.index)
    }
    repaired.push({ file, edits: picked.length, diff: plan.diff })
  }
  return { repaired, refused, left }
}

/** Lines that edits replace. Lines keep their ends. */
interface ReplacedLines {
  /** Index of the first line. */
  readonly start: number
  readonly old: readonly string[]
  readonly now: readonly string[]
}

/** Lines with their ends. */
export const splitWithEnds = (text: string): readonly string[] =>
  text === '' ? [] : text.split(/(?<=\r\n|\n|\r(?!\n))/)

const comparePositions = (a: Region, b: Region): number =>
  a.line - b.line || a.column - b.column || a.endLine - b.endLine || a.endColumn - b.endColumn

const startsBefore = (range: Region, end: Region | undefined): boolean =>
  end !== undefined &&
  (range.line < end.endLine || (range.line === end.endLine && range.column < end.endColumn))

const isSame = (a: Edit, b: Edit | undefined): boolean =>
  b !== undefined && a.text === b.text && comparePositions(a.range, b.range) === 0

/** Edits in the order of the text. Of two that overlap, the first counts; equal ones are one. */
export const pickEdits = (edits: readonly Edit[]): { readonly picked: Edit[]; readonly left: number } => {
  const picked: Edit[] = []
  let left = 0
  for (const edit of edits.toSorted((a, b) => comparePositions(a.range, b.range))) {
    if (isSame(edit, picked.at(-1))) continue
    if (startsBefore(edit.range, picked.at(-1)?.range)) left += 1
    else picked.push(edit)
  }
  return { picked, left }
}

/** Edits that share a line are applied together. */
const groupByLine = (edits: readonly Edit[]): Edit[][] => {
  const groups: Edit[][] = []
  for (const edit of edits) {
    const last = groups.at(-1)
    if (last !== undefined && edit.range.line <= (last.at(-1)?.range.endLine ?? 0)) last.push(edit)
    else groups.push([edit])
  }
  return groups
}

const lineEnd = (line: string): string => /\r\n$|\n$|\r$/.exec(line)?.[0] ?? '\n'

/** Without the lines at both ends that stay as they are. */
const trimEqual = ({ start, old, now }: ReplacedLines): ReplacedLines => {
  const shorter = Math.min(old.length, now.length)
  let first = 0
  while (first < shorter && old[first] === now[first]) first++
  let last = 0
  while (last < shorter - first && old.at(-1 - last) === now.at(-1 - last)) last++
  return {
    start: start + first,
    old: old.slice(first, old.length - last),
    now: now.slice(first, now.length - last),
  }
}

/** Replaces the ranges of the edits, which must not overlap. Inserted line breaks are those of the file. */
export const replaceLines = (lines: readonly string[], edits: readonly Edit[]): readonly ReplacedLines[] =>
  groupByLine(edits).map((group) => {
    const start = (group[0]?.range.line ?? 1) - 1
    const end = Math.min(lines.length, group.at(-1)?.range.endLine ?? 1)
    const old = lines.slice(start, end)
    const offsetOf = (line: number, column: number): number =>
      old.slice(0, line - 1 - start).join('').length + column - 1
    let text = old.join('')
    for (const { range, text: inserted } of group.toReversed()) {
      const [from, to] = [offsetOf(range.line, range.column), offsetOf(range.endLine, range.endColumn)]
      text = text.slice(0, from) + inserted.replace(/\r?\n/g, lineEnd(old[0] ?? '')) + text.slice(to)
    }
    return trimEqual({ start, old, now: splitWithEnds(text) })
  })

export const joinReplaced = (lines: readonly string[], replaced: readonly ReplacedLines[]): string => {
  const parts: string[] = []
  let at = 0
  for (const { start, old, now } of replaced) {
    parts.push(...lines.slice(at, start), ...now)
    at = start + old.length
  }
  return [...parts, ...lines.slice(at)].join('')
}

const CONTEXT = 3

const diffLine = (sign: string, line: string): string =>
  `${sign}${line.replace(/\r?\n$|\r$/, '')}${/[\r\n]$/.test(line) ? '' : '\n\\ No newline at end of file'}`

const rangeText = (start: number, length: number): string => `${length === 0 ? start : start + 1},${length}`

/** The replaced lines as a unified diff, which `git apply` and `patch -p1` read. */
export const writeDiff = (
  path: string,
  lines: readonly string[],
  replaced: readonly ReplacedLines[],
): string => {
  const output = [`--- a/${path}`, `+++ b/${path}`]
  let shift = 0
  for (let at = 0; at < replaced.length; ) {
    const hunk = [replaced[at++]].flatMap((one) => one ?? [])
    const endOf = () => (hunk.at(-1)?.start ?? 0) + (hunk.at(-1)?.old.length ?? 0)
    while ((replaced[at]?.start ?? Number.POSITIVE_INFINITY) <= endOf() + 2 * CONTEXT)
      hunk.push(...[replaced[at++]].flatMap((one) => one ?? []))
    const first = Math.max(0, (hunk[0]?.start ?? 0) - CONTEXT)
    const last = Math.min(lines.length, endOf() + CONTEXT)
    const body: string[] = []
    let next = first
    let grown = 0
    for (const { start, old, now } of hunk) {
      body.push(...lines.slice(next, start).map((line) => diffLine(' ', line)))
      body.push(...old.map((line) => diffLine('-', line)), ...now.map((line) => diffLine('+', line)))
      next = start + old.length
      grown += now.length - old.length
    }
    body.push(...lines.slice(next, last).map((line) => diffLine(' ', line)))
    const length = last - first
    output.push(`@@ -${rangeText(first, length)} +${rangeText(first + shift, length + grown)} @@`, ...body)
    shift += grown
  }
  return output.join('\n')
}

const withoutEnd = (line: string | undefined): string | undefined => line?.replace(/\r?\n$|\r$/, '')

/**
 * The same edits in another version of the file. Undefined when a line of an edit is between the first and the last
 * line in which the versions differ: which line it is there is not certain.
 */
export const moveEdits = (
  edits: readonly Edit[],
  from: readonly string[],
  to: readonly string[],
): readonly Edit[] | undefined => {
  const shorter = Math.min(from.length, to.length)
  let start = 0
  while (start < shorter && withoutEnd(from[start]) === withoutEnd(to[start])) start++
  let end = 0
  while (end < shorter - start && withoutEnd(from.at(-1 - end)) === withoutEnd(to.at(-1 - end))) end++
  const shift = to.length - from.length
  const moved = edits.map(({ range, ...rest }) => {
    const lastLine = range.endColumn === 1 && range.endLine > range.line ? range.endLine - 1 : range.endLine
    if (lastLine <= start) return { ...rest, range }
    if (range.line <= from.length - end) return undefined
    return { ...rest, range: { ...range, line: range.line + shift, endLine: range.endLine + shift } }
  })
  return moved.every((one) => one !== undefined) ? moved : undefined
}
