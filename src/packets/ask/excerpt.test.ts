import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeExcerpt, questionStems } from './snippet.ts'

const TEXT = `---
title: Retries
tags: [retry, wait]
---

# Retries

The client repeats a request. It waits between two attempts.
After five attempts it gives up, and says which address failed.

\`\`\`sh
run --retry 5
\`\`\`
`

const excerpt = (question: string, text = TEXT) => makeExcerpt(text, questionStems(question))

describe('an excerpt', () => {
  it.each([
    ['how long does it wait between attempts?', /^It waits between two attempts\./],
    ['after how many attempts is an address called failed', /^After five attempts it gives up/],
    ['which flag of run sets retry', /^run --retry 5/],
  ])('begins with the sentence that matches: %s', (question, beginning) => {
    expect(excerpt(question)).toMatch(beginning)
  })

  it('begins with the text, not with the settings of the file, when no word matches', () => {
    expect(excerpt('zebra')).toMatch(/^# Retries/)
    expect(excerpt('tags title')).toMatch(/^# Retries/)
  })

  it('shows the settings of a file that has nothing else', () => {
    expect(excerpt('title', '---\ntitle: x\n---\n')).toMatch(/title: x/)
  })

  it('stays within the window that was found', () => {
    const start = TEXT.indexOf('After five')
    const window = { start, end: TEXT.length }
    expect(makeExcerpt(TEXT, questionStems('it waits between two'), window)).toMatch(/^After five/)
  })

  it('is a part of any text, of limited length', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 900 }),
        fc.string({ maxLength: 40 }),
        fc.nat(900),
        fc.nat(900),
        (text, question, a, b) => {
          const window = { start: Math.min(a, b, text.length), end: Math.min(Math.max(a, b), text.length) }
          const found = makeExcerpt(text, questionStems(question), window)
          expect(text).toContain(found.replace(/\.\.\.$/, ''))
          expect([...found].length).toBeLessThanOrEqual(303)
        },
      ),
      { numRuns: 300, seed: 19 },
    )
  })
})
