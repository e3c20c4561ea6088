import { createHash } from 'node:crypto'
import { comparePlaces, type GateFinding } from '../reports/report.ts'

/** A finding before it has a fingerprint, with the matched text. */
export type Unfingerprinted = Omit<GateFinding, 'fingerprint' | 'state'> & {
  readonly text: string
  /** The names of the declarations around it. */
  readonly within?: string
}

const FINGERPRINT_LENGTH = 32

/** White space is collapsed, so that code which is indented anew stays the same. */
export const foldSpace = (text: string): string => text.replace(/\s+/g, ' ').trim()

// Line numbers are left out, so that code which moves within its declaration keeps its fingerprint.
const fingerprint = ({ ruleId, file, text, within = '' }: Unfingerprinted, nth: number): string =>
  createHash('sha256')
    .update(JSON.stringify([ruleId, file, within, foldSpace(text), nth]))
    .digest('hex')
    .slice(0, FINGERPRINT_LENGTH)

const sortByPlace = (findings: readonly Unfingerprinted[]): Unfingerprinted[] => {
  const compare = (a: Unfingerprinted, b: Unfingerprinted) =>
    comparePlaces({ ...a, state: 'new', fingerprint: '' }, { ...b, state: 'new', fingerprint: '' })
  return [...findings].sort(compare)
}

/** Fingerprints of findings. Equal findings of a declaration are numbered in their order. */
export const fingerprintFindings = (
  findings: readonly Unfingerprinted[],
): ReadonlyMap<Unfingerprinted, string> => {
  const seen = new Map<string, number>()
  const fingerprints = new Map<Unfingerprinted, string>()
  for (const finding of sortByPlace(findings)) {
    const first = fingerprint(finding, 0)
    const nth = seen.get(first) ?? 0
    seen.set(first, nth + 1)
    fingerprints.set(finding, nth === 0 ? first : fingerprint(finding, nth))
  }
  return fingerprints
}
