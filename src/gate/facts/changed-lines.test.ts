import { describe, expect, it } from 'vitest'
import type { ChangeSet, FileReading } from '../ports.ts'
import { compareLines, type LineRange, readChangedLines, touchesRange } from './changed-lines.ts'

const changed = (before: string, after: string) => compareLines(before.split(''), after.split(''))

/** The lines that no range covers, in order. */
const outside = (lines: readonly string[], ranges: readonly LineRange[]) =>
  lines.filter((_, at) => !ranges.some(({ first, last }) => at + 1 >= first && at + 1 <= last))

const isSubsequence = (part: readonly string[], whole: readonly string[]): boolean => {
  let at = 0
  for (const one of whole) if (one === part[at]) at++
  return at === part.length
}

describe('the lines that a change touches', () => {
  it.each<[string, string, string, [number, number][]]>([
    ['nothing', 'abc', 'abc', []],
    ['an inserted line', 'abc', 'abxc', [[3, 3]]],
    ['a deleted line', 'abc', 'ac', [[2, 1]]],
    ['a replaced line', 'abc', 'axc', [[2, 2]]],
    [
      'two places',
      'abcdefg',
      'xbcdeyg',
      [
        [1, 1],
        [6, 6],
      ],
    ],
    [
      'a line moved down',
      'abcdef',
      'acdebf',
      [
        [2, 1],
        [5, 5],
      ],
    ],
    ['all of it', 'abc', 'xyz', [[1, 3]]],
    ['the first lines of an empty file', '', 'ab', [[1, 2]]],
  ])('finds %s', (_, before, after, ranges) => {
    expect(changed(before, after)).toEqual(ranges.map(([first, last]) => ({ first, last })))
  })

  it('leaves out only lines that were there before, in the same order', () => {
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const text = () => Array.from({ length: random(30) }, () => 'abcde'[random(5)] ?? '')
    for (let round = 0; round < 2_000; round++) {
      const before = text()
      const after = random(2) === 0 ? text() : before.toSpliced(random(30), random(3), ...text().slice(0, 2))
      const ranges = compareLines(before, after)
      expect(isSubsequence(outside(after, ranges), before)).toBe(true)
      // Where nothing was inserted next to it, a deletion is still named.
      expect(ranges.length === 0).toBe(before.join() === after.join())
    }
  })

  it('calls everything between the ends of a very large edit a change', () => {
    const before = Array.from({ length: 5_000 }, (_, at) => `a${at}`)
    const after = before.map((line, at) => (at % 2 === 0 ? line : `b${at}`))
    expect(compareLines(before, after)).toEqual([{ first: 2, last: 5_000 }])
  })

  it('includes the lines next to a hunk, and both neighbours of deleted lines', () => {
    const at = (line: number, endLine = line) => ({ line, endLine })
    const hunk = [{ first: 5, last: 6 }]
    expect([3, 4, 5, 6, 7, 8].map((line) => touchesRange(at(line), hunk))).toEqual([
      false,
      true,
      true,
      true,
      true,
      false,
    ])
    expect(touchesRange(at(1, 20), hunk)).toBe(true)
    expect([3, 4, 5, 6].map((line) => touchesRange(at(line), [{ first: 5, last: 4 }]))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })
})

describe('the changed lines of files', () => {
  const read = async function* (files: Readonly<Record<string, string>>, paths: readonly string[]) {
    for (const path of paths)
      if (files[path] !== undefined) yield { path, bytes: Buffer.from(files[path]) } as FileReading
  }
  const ask = (before: Record<string, string>, after: Record<string, string>) => {
    const set = {
      changes: Object.keys(after).map((path) => ({ path, change: 'modified' })),
      read: (paths: readonly string[]) => read(after, paths),
      readBefore: (paths: readonly string[]) => read(before, paths),
    } as unknown as ChangeSet
    return readChangedLines(set, Object.keys(after), new AbortController().signal)
  }

  it('counts new files whole and files outside the change not at all', async () => {
    const isChanged = await ask({ 'a.ts': '1\n2\n3\n4' }, { 'a.ts': '1\n2\n3\nx', 'new.ts': '1' })
    expect(isChanged('a.ts', { line: 1, endLine: 1 })).toBe(false)
    expect(isChanged('a.ts', { line: 4, endLine: 4 })).toBe(true)
    expect(isChanged('new.ts', { line: 1, endLine: 1 })).toBe(true)
    expect(isChanged('other.ts', { line: 1, endLine: 1 })).toBe(false)
  })

  it('takes Windows line ends for the same, and a lone carriage return for another line', async () => {
    const windows = await ask({ 'a.go': 'a\nb\nc\n' }, { 'a.go': 'a\r\nb\r\nc\r\n' })
    expect(windows('a.go', { line: 2, endLine: 2 })).toBe(false)
    const uncovered = await ask({ 'a.go': '// a\rexec()\nb\n' }, { 'a.go': '// a\nexec()\nb\n' })
    expect(uncovered('a.go', { line: 2, endLine: 2 })).toBe(true)
  })
})
