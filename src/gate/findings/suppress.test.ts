import { describe, expect, it } from 'vitest'
import type { Comment, Match } from '../ports.ts'
import { suppress } from './suppress.ts'

const match = (ruleId: string, line: number): Match => ({
  ruleId,
  message: 'm',
  line,
  column: 1,
  endLine: line,
  endColumn: 5,
})
const comment = (text: string, line: number, alone = false): Comment => ({
  text,
  line,
  column: 1,
  endLine: line + text.split('\n').length - 1,
  alone,
})
const judge = (matches: readonly Match[], comments: readonly Comment[], active = ['a.one', 'a.two']) => {
  const { kept, suppressed, notices } = suppress({ matches, comments }, { active: new Set(active) })
  return {
    kept: kept.map(({ ruleId, line }) => [ruleId, line]),
    silenced: suppressed.map(({ match: { line }, by }) => [line, by.reason]),
    notices: notices.map(({ ruleId, line }) => [ruleId.replace('warrant.suppression-', ''), line]),
  }
}

describe('a suppression', () => {
  it.each([
    ['behind the code silences its line', comment('// warrant-ignore a.one: known', 3), 3],
    ['alone on its line silences the next', comment('# warrant-ignore a.one: known', 2, true), 3],
    ['for the next line silences that', comment('// warrant-ignore-next-line a.one: known', 2), 3],
    [
      'in a block comment counts from its end',
      comment('/*\n * warrant-ignore a.one: known\n */', 1, true),
      4,
    ],
  ])('%s', (_, one, line) => {
    expect(judge([match('a.one', line), match('a.one', 9)], [one])).toEqual({
      kept: [['a.one', 9]],
      silenced: [[line, 'known']],
      notices: [],
    })
  })

  it('of the file silences all of it', () => {
    const one = comment('/* warrant-ignore-file a.one, a.two: generated */', 1, true)
    expect(judge([match('a.one', 3), match('a.two', 9)], [one]).silenced).toEqual([
      [3, 'generated'],
      [9, 'generated'],
    ])
  })

  it('silences no other rule and no other line', () => {
    const one = comment('// warrant-ignore a.one: known', 3)
    expect(judge([match('a.two', 3), match('a.one', 4)], [one])).toEqual({
      kept: [
        ['a.two', 3],
        ['a.one', 4],
      ],
      silenced: [],
      notices: [['unused', 3]],
    })
  })

  it.each(['// warrant-ignore a.one', '// warrant-ignore a.one:', '/* warrant-ignore a.one: */'])(
    'without a reason (%s) silences nothing and is reported',
    (text) => {
      expect(judge([match('a.one', 3)], [comment(text, 3)])).toEqual({
        kept: [['a.one', 3]],
        silenced: [],
        notices: [['without-reason', 3]],
      })
    },
  )

  it('without a rule silences nothing and is reported', () => {
    expect(judge([match('a.one', 3)], [comment('// warrant-ignore: known', 3)])).toEqual({
      kept: [['a.one', 3]],
      silenced: [],
      notices: [['without-rule', 3]],
    })
  })

  it('that silences nothing is reported, unless its rule did not look', () => {
    const one = comment('// warrant-ignore a.one: known', 3)
    expect(judge([], [one]).notices).toEqual([['unused', 3]])
    expect(judge([], [one], ['a.two']).notices).toEqual([])
  })

  it('keeps its hands off words that only start the same', () => {
    expect(judge([], [comment('// warrant-ignored a.one: known; see my-warrant-ignore', 3)])).toEqual({
      kept: [],
      silenced: [],
      notices: [],
    })
  })

  it('of a rule silences those that say the same', () => {
    const found = { matches: [match('b.one', 3)], comments: [comment('// warrant-ignore a.one: known', 3)] }
    const equivalent = (a: string, b: string) => a.split('.')[1] === b.split('.')[1]
    const { kept, notices } = suppress(found, { active: new Set(['a.one', 'b.one']), equivalent })
    expect([kept, notices]).toEqual([[], []])
  })
})
