import { createHash } from 'node:crypto'
import { compareText } from '../../evidence/compare.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { gateFaults } from '../faults.ts'
import { comparePlaces, type GateFinding } from '../reports/report.ts'
import { listEffects, type PolicyChange } from '../rules/policy-change.ts'

/** The baseline is committed, so that every machine accepts the same findings. */
export const BASELINE_FILE = 'warrant.baseline.json'

const VERSION = 1
const FINGERPRINT = /^[0-9a-f]{32}$/

/** One accepted finding. Rule and file are for readers: only the fingerprint is compared. */
interface BaselineEntry {
  readonly fingerprint: string
  readonly ruleId: string
  readonly file: string
}

const isEntry = (value: unknown): value is BaselineEntry =>
  isRecord(value) &&
  typeof value.fingerprint === 'string' &&
  FINGERPRINT.test(value.fingerprint) &&
  typeof value.ruleId === 'string' &&
  typeof value.file === 'string'

/** A finding before it has a fingerprint, with the matched text. */
export type Unfingerprinted = Omit<GateFinding, 'fingerprint' | 'state'> & { readonly text: string }

const FINGERPRINT_LENGTH = 32

// Line numbers are left out and white space is collapsed, so that moved or indented code keeps its fingerprint.
const fingerprint = ({ ruleId, text }: Unfingerprinted, file: string, nth: number): string =>
  createHash('sha256')
    .update(JSON.stringify([ruleId, file, text.replace(/\s+/g, ' ').trim(), nth]))
    .digest('hex')
    .slice(0, FINGERPRINT_LENGTH)

const sortByPlace = (findings: readonly Unfingerprinted[]): Unfingerprinted[] => {
  const compare = (a: Unfingerprinted, b: Unfingerprinted) =>
    comparePlaces({ ...a, state: 'new', fingerprint: '' }, { ...b, state: 'new', fingerprint: '' })
  return [...findings].sort(compare)
}

/** Fingerprints of findings. Equal findings of a file are numbered in their order. */
export const fingerprintFindings = (
  findings: readonly Unfingerprinted[],
  fileOf: (file: string) => string = (file) => file,
): Map<Unfingerprinted, string> => {
  const seen = new Map<string, number>()
  const fingerprints = new Map<Unfingerprinted, string>()
  for (const finding of sortByPlace(findings)) {
    const file = fileOf(finding.file)
    const first = fingerprint(finding, file, 0)
    const nth = seen.get(first) ?? 0
    seen.set(first, nth + 1)
    fingerprints.set(finding, nth === 0 ? first : fingerprint(finding, file, nth))
  }
  return fingerprints
}

/** The findings whose fingerprint under one of the further names of their rule is in the baseline. */
export const knownByAlias = (
  findings: readonly Unfingerprinted[],
  known: ReadonlySet<string>,
  fileOf?: (file: string) => string,
): ReadonlySet<Unfingerprinted> => {
  const names = new Set(findings.flatMap(({ aliases }) => aliases ?? []))
  const found = [...names].flatMap((ruleId) => {
    const renamed = new Map(
      findings.filter(({ aliases }) => aliases?.includes(ruleId)).map((one) => [{ ...one, ruleId }, one]),
    )
    return [...fingerprintFindings([...renamed.keys()], fileOf)].flatMap(([one, print]) =>
      known.has(print) ? (renamed.get(one) ?? []) : [],
    )
  })
  return new Set(found)
}

export const writeBaseline = (findings: readonly GateFinding[]): string => {
  const entries = findings
    .filter(({ state }) => state !== 'suppressed')
    .map(({ fingerprint, ruleId, file }) => ({ fingerprint, ruleId, file }))
    .sort(
      (a, b) =>
        compareText(a.file, b.file) ||
        compareText(a.ruleId, b.ruleId) ||
        compareText(a.fingerprint, b.fingerprint),
    )
  return `${JSON.stringify({ version: VERSION, findings: entries }, null, 2)}\n`
}

export interface LoadedBaseline {
  readonly path: string
  readonly digest: string
  readonly known: ReadonlySet<string>
}

/** An unreadable baseline is a fault: ignoring it would report or accept the wrong findings. */
export const readBaseline = (path: string, text: string): LoadedBaseline => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw gateFaults.baseline_invalid(`${path} is not JSON`, { cause })
  }
  if (!isRecord(value) || value.version !== VERSION || !Array.isArray(value.findings)) {
    throw gateFaults.baseline_invalid(`${path} is not a baseline of version ${VERSION}`)
  }
  const unknown = value.findings.findIndex((entry) => !isEntry(entry))
  if (unknown >= 0) throw gateFaults.baseline_invalid(`${path}: findings.${unknown} is not a valid entry`)
  const entries: readonly BaselineEntry[] = value.findings.filter(isEntry)
  return { path, digest: digestJson(entries), known: new Set(entries.map(({ fingerprint }) => fingerprint)) }
}

const countMissing = (one: LoadedBaseline | undefined, other: LoadedBaseline | undefined): number =>
  [...(one?.known ?? [])].filter((fingerprint) => !other?.known.has(fingerprint)).length

const findings = (count: number, word: string): string[] =>
  count === 0 ? [] : [`accepts ${count} finding${count === 1 ? '' : 's'} ${word}`]

/** The findings that both versions accept; and what the change alters. */
export const joinBaselines = (
  base: LoadedBaseline | undefined,
  after: LoadedBaseline | undefined,
): { readonly baseline: LoadedBaseline | undefined; readonly changes: readonly PolicyChange[] } => {
  const [more, fewer] = [countMissing(after, base), countMissing(base, after)]
  const file = (after ?? base)?.path ?? BASELINE_FILE
  const effect = listEffects([...findings(more, 'more'), ...findings(fewer, 'less')])
  const known = [...(after?.known ?? [])].filter((fingerprint) => base?.known.has(fingerprint))
  return {
    baseline: after && { path: after.path, digest: digestJson(known), known: new Set(known) },
    changes: effect === '' ? [] : [{ file, effect, weaker: more > 0 }],
  }
}
