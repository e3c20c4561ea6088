import type { GateReport } from './report.ts'

const listed = (counts: Readonly<Record<string, number>> | undefined): string[] =>
  Object.entries(counts ?? {})
    .filter(([, number]) => number > 0)
    .map(([name, number]) => `${number} ${name.replace('_', ' ')}`)

/** Which packs read how many files, and which files were not judged. */
export const fileLine = ({ files: { packs, skipped } }: GateReport): string[] => {
  const read = listed(packs)
  const unread = listed(skipped)
  const parts = [
    ...(read.length === 0 ? [] : [`files by pack: ${read.join(', ')}`]),
    ...(unread.length === 0 ? [] : [`not judged: ${unread.join(', ')}`]),
  ]
  return parts.length === 0 ? [] : [parts.join('; ')]
}
