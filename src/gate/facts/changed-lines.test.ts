import { describe, expect, it } from 'vitest'
import type { ChangeSet, FileReading } from '../ports.ts'
import { readChangedLines, touchesRange } from './changed-lines.ts'

describe('the lines that a change touches', () => {
  it('includes the lines next to a hunk, and both neighbours of deleted lines', () => {
    const at = (line: number, endLine = line) => ({ line, endLine })
    const hunk = [{ start: 4, end: 6 }]
    expect([3, 4, 5, 6, 7, 8].map((line) => touchesRange(at(line), hunk))).toEqual([
      false,
      true,
      true,
      true,
      true,
      false,
    ])
    expect(touchesRange(at(1, 20), hunk)).toBe(true)
    expect([3, 4, 5, 6].map((line) => touchesRange(at(line), [{ start: 4, end: 4 }]))).toEqual([
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
