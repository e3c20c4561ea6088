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
const accepts = (id: string) => !id.startsWith('secrets.')
const judge = (matches: readonly Match[], comments: readonly Comment[], active = ['a.one', 'a.two']) => {
  const { kept, suppressed, notices } = suppress({ matches, comments }, { active: new Set(active), accepts })
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

  it('of a whole file, or of the next line in other words, is not one', () => {
    const all = ['// warrant-ignore-file a.one: generated', '// warrant-ignore-next-line a.one: known']
    for (const text of all) {
      const found = judge([match('a.one', 2)], [comment(text, 1, true)])
      expect(found).toEqual({ kept: [['a.one', 2]], silenced: [], notices: [] })
    }
  })

  it('cannot accept a secret, and says so once', () => {
    const one = comment('// warrant-ignore secrets.key: test', 3)
    expect(judge([match('secrets.key', 3), match('secrets.key', 3)], [one], ['secrets.key'])).toEqual({
      kept: [
        ['secrets.key', 3],
        ['secrets.key', 3],
      ],
      silenced: [],
      notices: [['refused', 3]],
    })
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

  it('may name a rule by another of its names', () => {
    const found = { matches: [match('b.one', 3)], comments: [comment('// warrant-ignore a.one: known', 3)] }
    const isSame = (a: string, b: string) => a.split('.')[1] === b.split('.')[1]
    const { kept, notices } = suppress(found, { active: new Set(['a.one', 'b.one']), accepts, isSame })
    expect([kept, notices]).toEqual([[], []])
  })
})
