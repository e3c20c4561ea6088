import { Fault } from '../kernel/fault.ts'
import { decodeStrict } from '../kernel/text/decode.ts'
import { unifiedDiff } from '../kernel/text/diff.ts'
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
  const text = applyEdits(judged, edits)
  const diff = unifiedDiff(file, judged.bom + judged.lines.join(''), text)
  if (stage === undefined) return { diff, worktree: text, index: undefined }
  const present = await readWorktree(file)
  const work = present && readLines(present)
  if (work === undefined) return 'it is not in the working tree as a UTF-8 file'
  const moved = moveEdits(edits, judged.lines, work.lines)
  if (moved === undefined) return 'it has changes that are not staged around the same lines'
  return { diff, worktree: applyEdits(work, moved), index: text }
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

const lineEnd = (line: string): string => /\r\n$|\n$|\r$/.exec(line)?.[0] ?? '\n'

/** The text after the edits, which are in its order and do not overlap. Inserted line breaks are those of the file. */
export const applyEdits = ({ bom, lines }: SourceLines, edits: readonly Edit[]): string => {
  const starts = [0]
  for (const [at, line] of lines.entries()) starts.push((starts[at] ?? 0) + line.length)
  const offsetOf = (line: number, column: number) => (starts[line - 1] ?? 0) + column - 1
  let text = lines.join('')
  for (const { range, text: inserted } of edits.toReversed()) {
    const [from, to] = [offsetOf(range.line, range.column), offsetOf(range.endLine, range.endColumn)]
    const end = lineEnd(lines[range.line - 1] ?? '')
    text = text.slice(0, from) + inserted.replace(/\r?\n/g, end) + text.slice(to)
  }
  return bom + text
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
