import type { Excerpt, GateFinding } from '../reports/report.ts'
import { comparePlaces } from '../reports/report.ts'
import { fingerprintFindings } from './baseline.ts'
import type { FindingDraft } from './collect.ts'
import { familiesInBaseline, familyKey } from './known.ts'

type BaselineInput = Omit<Parameters<typeof familiesInBaseline>[0], 'fingerprints'>

interface ClassifyInput extends BaselineInput {
  readonly drafts: readonly FindingDraft[]
  /** Families of findings on unchanged lines. */
  readonly unchanged?: ReadonlySet<string>
}

/** Adds fingerprint and state to every finding, and sorts them. */
export const classifyFindings = (evaluation: ClassifyInput) => {
  const fingerprints = fingerprintFindings(evaluation.drafts)
  const accepted = familiesInBaseline({ ...evaluation, fingerprints })
  const isKnown = (key: string) => accepted.has(key) || (evaluation.unchanged?.has(key) ?? false)
  const excerpts = new Map<GateFinding, Excerpt>()
  const findings = evaluation.drafts.map((draft): GateFinding => {
    const { excerpt, suppressed, text: _, ...rest } = draft
    const state = suppressed !== undefined ? 'suppressed' : isKnown(familyKey(draft)) ? 'known' : 'new'
    const finding: GateFinding = {
      ...rest,
      state,
      ...(suppressed !== undefined && { reason: suppressed }),
      fingerprint: fingerprints.get(draft) ?? '',
    }
    if (excerpt !== undefined) excerpts.set(finding, excerpt)
    return finding
  })
  return { findings: findings.sort(comparePlaces), excerpts }
}
