import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markdownSpans } from './markdown-sections.ts'

const titles = (text: string) => markdownSpans(text).map(({ start, symbol }) => [start, symbol])

describe('Markdown', () => {
  it('has sections, and none inside code', () => {
    const text = '# One\n\ntext\n\n```sh\n# not\n```\n\n~~~\n``` \n# not\n~~~\n## Two ##\n#hash\n'
    expect(markdownSpans(text)).toEqual([
      { start: 1, symbol: 'One', headings: ['One'] },
      { start: 13, symbol: 'Two', headings: ['One', 'Two'] },
    ])
  })

  it('knows the sections around a section', () => {
    const text = '# A\n## B\n#### C\n### D\n## E\n# F\n### G\n'
    expect(markdownSpans(text).map(({ headings }) => headings?.join(' > '))).toEqual([
      'A',
      'A > B',
      'A > B > C',
      'A > B > D',
      'A > E',
      'F',
      'F > G',
    ])
  })

  it.each([
    ['Title\n=====\n\ntext', [[1, 'Title']]],
    ['text\n\nTwo\nlines\n---\n', [[3, 'Two lines']]],
    ['a\n\n   ===', []],
    ['Title\n   === ', [[1, 'Title']]],
    ['Title\n    ===', []],
    ['---\ntitle: x\n---\n\nReal\n----\n', [[5, 'Real']]],
    ['---\nnot: closed\n\nReal\n----\n', [[4, 'Real']]],
    ['- item\n---\n', []],
    ['text\n- item\n---\n', []],
    ['> quote\n---\n', []],
    ['1. item\n===\n', []],
    ['| a |\n---\n', []],
    ['<div>\nx\n---\n', []],
    ['    code\n---\n', []],
    ['a | b\n--- | ---\n', []],
    ['```\nTitle\n=====\n```\n', []],
    ['text\n\n---\n\nmore', []],
    [`${'word '.repeat(60)}\n---\n`, []],
    [
      '# A\nTitle\n-----\n',
      [
        [1, 'A'],
        [2, 'Title'],
      ],
    ],
  ])('of %j has the sections %j', (text, expected) => {
    expect(titles(text)).toEqual(expected)
  })

  it('gives short titles of ascending sections, whatever the text', () => {
    const line = fc.oneof(
      fc.constantFrom('---', '===', '', '```', '# A', '### B', '- x', '> y', `# ${'😀'.repeat(500)}`),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const spans = markdownSpans(lines.join('\n'))
        const starts = spans.map(({ start }) => start)
        expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b))
        for (const { headings = [] } of spans) {
          expect(headings.length).toBeGreaterThan(0)
          expect(headings.length).toBeLessThanOrEqual(6)
          for (const title of headings) expect([...title].length).toBeLessThanOrEqual(200)
        }
      }),
    )
  })
})
