import { describe, expect, it } from 'vitest'
import { buildEvidence } from './build.ts'
import { linkEvidence, writeDocument } from './document.ts'
import { readDocument } from './read.ts'
import { readTrusted } from './read-trusted.ts'

const finding = { ruleId: 'r', severity: 'ERROR', code: 'c', message: 'm', file: 'ñ.ts', lines: 3 } as const
const input = { stage: 'CI', findings: [finding], platforms: {}, rulesets: [] } as const
const sealed = linkEvidence(buildEvidence(input, undefined, 0), undefined)
const text = writeDocument(sealed)
const read = (change: (text: string) => string = (same) => same) => readTrusted(Buffer.from(change(text)))

describe('evidence to follow on', () => {
  it('is taken when it is as it was sealed, and says what the whole reader says', () => {
    const whole = readDocument(Buffer.from(text))
    expect(whole.kind === 'valid' && whole.evidence).toEqual(read())
    expect(read()).toEqual(sealed)
  })

  it.each<[string, (text: string) => string]>([
    ['no JSON', () => '{'],
    ['a list', () => '[]'],
    ['another version', (all) => all.replace('"2.1"', '"2.0"')],
    ['a changed finding', (all) => all.replace('"m"', '"n"')],
    ['a changed ledger', (all) => all.replace(/"firstSeen": "[^"]+"/, '"firstSeen": "yesterday"')],
    ['no chain', (all) => all.replace('evidence_chain', 'other_chain')],
    ['a sequence that is none', (all) => all.replace(/"sequence": \d+/, '"sequence": "1"')],
    ['an intent', (all) => all.replace('"human_intent": null', '"human_intent": {}')],
  ])('is left to the whole reader with %s', (_, change) => {
    expect(read(change)).toBeUndefined()
  })
})
