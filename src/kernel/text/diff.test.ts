import { describe, expect, it } from 'vitest'
import { compareLines, diffLines, unifiedDiff } from './diff.ts'

const compare = (before: string, after: string) =>
  compareLines(before.split(''), after.split('')).map(({ old, now }) => [
    old.start,
    old.end,
    now.start,
    now.end,
  ])

describe('the changes of a text', () => {
  it.each<[string, string, string, [number, number, number, number][]]>([
    ['nothing', 'abc', 'abc', []],
    ['an inserted line', 'abc', 'abxc', [[2, 2, 2, 3]]],
    ['a deleted line', 'abc', 'ac', [[1, 2, 1, 1]]],
    ['a replaced line', 'abc', 'axc', [[1, 2, 1, 2]]],
    [
      'two places',
      'abcdefg',
      'xbcdeyg',
      [
        [0, 1, 0, 1],
        [5, 6, 5, 6],
      ],
    ],
    ['all of it', 'abc', 'xyz', [[0, 3, 0, 3]]],
    ['the first lines of an empty text', '', 'ab', [[0, 0, 0, 2]]],
  ])('are found: %s', (_, before, after, changes) => {
    expect(compare(before, after)).toEqual(changes)
  })

  it('lead from the one version to the other', () => {
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const text = () => Array.from({ length: random(30) }, () => 'abcde'[random(5)] ?? '')
    for (let round = 0; round < 2_000; round++) {
      const before = text()
      const after = random(2) === 0 ? text() : before.toSpliced(random(30), random(3), ...text().slice(0, 2))
      const applied = [...before]
      for (const { old, now } of compareLines(before, after).toReversed())
        applied.splice(old.start, old.end - old.start, ...after.slice(now.start, now.end))
      expect(applied).toEqual(after)
    }
  })
})

it('shows what was removed, added and kept', () => {
  expect(diffLines('a\nb\nc', 'a\nB\nc\nd')).toEqual(['  a', '- b', '+ B', '  c', '+ d'])
  expect(diffLines('', 'a')).toEqual(['- ', '+ a'])
  expect(diffLines('a\nb', 'a\nb')).toEqual(['  a', '  b'])
})

it('replaces a text with very many changes as a whole', () => {
  const long = 'x\n'.repeat(3_000)
  expect(diffLines('y', long)).toHaveLength(3_002)
})

it('writes the changed lines with those around them, and marks a last line without an end', () => {
  const lines = Array.from({ length: 20 }, (_, at) => `${at + 1}`)
  const changed = ['1', '3', '4', 'five', ...lines.slice(5, -1), 'end']
  expect(unifiedDiff('a.ts', lines.join('\n'), changed.join('\n'))).toBe(`--- a/a.ts
+++ b/a.ts
@@ -1,8 +1,7 @@
 1
-2
 3
 4
-5
+five
 6
 7
 8
@@ -17,4 +16,4 @@
 17
 18
 19
-20
\\ No newline at end of file
+end
\\ No newline at end of file`)
  expect(unifiedDiff('new', undefined, 'a\n')).toBe('--- /dev/null\n+++ b/new\n@@ -0,0 +1,1 @@\n+a')
})
