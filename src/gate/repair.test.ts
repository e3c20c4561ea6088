import { describe, expect, it } from 'vitest'
import { rewriteMatch } from '../platform/scanner/rewrite.ts'
import { applyEdits, moveEdits, pickEdits, splitWithEnds } from './repair.ts'
import type { Edit } from './reports/report.ts'

const edit = (line: number, column: number, endColumn: number, text: string, endLine = line): Edit => ({
  range: { line, column, endLine, endColumn },
  text,
  safe: true,
})
const apply = (text: string, ...edits: Edit[]) =>
  applyEdits({ bom: '', lines: splitWithEnds(text) }, pickEdits(edits).picked)

describe('edits', () => {
  it.each<[string, string, Edit[], string]>([
    ['a range of a line', 'a\nbcd\ne\n', [edit(2, 2, 3, 'X')], 'a\nbXd\ne\n'],
    ['a whole line', 'a\nb\nc\n', [edit(2, 1, 1, '', 3)], 'a\nc\n'],
    ['the last line, without an end', 'a\nb', [edit(2, 1, 1, '', 3)], 'a\n'],
    ['two ranges of a line', 'abc\n', [edit(1, 3, 4, 'Z'), edit(1, 1, 2, 'X')], 'XbZ\n'],
    ['several lines', 'a(\n1,\n2)\n', [edit(1, 2, 3, '[1, 2]', 3)], 'a[1, 2]\n'],
    ['Windows lines', 'a\r\nb\r\nc\r\n', [edit(2, 1, 2, 'x\ny')], 'a\r\nx\r\ny\r\nc\r\n'],
    ['lines that end with a carriage return', 'a\rb\rc', [edit(2, 1, 2, 'x')], 'a\rx\rc'],
  ])('replace %s', (_, text, edits, expected) => {
    expect(apply(text, ...edits)).toBe(expected)
  })

  it('that overlap an earlier one wait for the next run; equal ones are one', () => {
    const [outer, inner] = [edit(1, 1, 5, 'x'), edit(1, 3, 4, 'y')]
    expect(pickEdits([inner, outer, outer])).toEqual({ picked: [outer], left: 1 })
  })

  it('move to another version of the file outside of what differs there, and nowhere else', () => {
    const [index, work] = [splitWithEnds('a\nb\nc\nd\n'), splitWithEnds('a\r\nx\r\ny\r\nc\r\nd\r\n')]
    expect(moveEdits([edit(1, 1, 2, '')], index, work)).toEqual([edit(1, 1, 2, '')])
    expect(moveEdits([edit(4, 1, 2, '')], index, work)).toEqual([edit(5, 1, 2, '')])
    expect(moveEdits([edit(1, 1, 1, '', 2)], index, work)).toEqual([edit(1, 1, 1, '', 2)])
    expect(moveEdits([edit(2, 1, 2, '')], index, work)).toBeUndefined()
    expect(moveEdits([edit(1, 1, 2, '', 4)], index, work)).toBeUndefined()
  })
})

describe('the template of a rule', () => {
  const request = { grammar: 'TypeScript', matcher: { rule: { pattern: '$F.only($$$ARGS)' } } }
  it('is filled with what the rule matched', async () => {
    const text = "it.only('a', () => {\n  run() // $F\n})"
    expect(await rewriteMatch({ ...request, text, template: '$F($$$ARGS)' })).toBe(
      "it('a', () => {\n  run() // $F\n})",
    )
  })
  it.each([
    ['the text is something else', 'it(1)', '$F($$$ARGS)', 'TypeScript'],
    ['a value is missing', 'it.only(1)', '$G($$$ARGS)', 'TypeScript'],
    ['the grammar may hang', 'it.only(1)', '$F($$$ARGS)', 'python'],
    ['the text is long', `it.only(${'1,'.repeat(9_000)}1)`, '$F($$$ARGS)', 'TypeScript'],
  ])('gives no edit where %s', async (_, text, template, grammar) => {
    expect(await rewriteMatch({ ...request, grammar, text, template })).toBeUndefined()
  })
})
