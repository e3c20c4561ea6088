import { describe, expect, it } from 'vitest'
import { GitIndex } from './hidden-files.ts'

const oid = 'a'.repeat(40)
const index = (...records: [mode: string, path: string, stage?: number][]) =>
  new GitIndex(
    Buffer.from(records.map(([mode, path, stage = 0]) => `${mode} ${oid} ${stage}\t${path}\0`).join('')),
  )

describe('the index as git lists it', () => {
  it.each<[string, string[], string[], string[]]>([
    ['by the end of their names', ['.go'], [], ['a/b.go', 'ä.GO']],
    ['by their first folder', ['.none'], ['ios/'], ['ios/a', 'IOS/b.go2']],
    ['once when both fit', ['.swift'], ['apps/ios/'], ['apps/ios/c.swift']],
    ['and not by a name that only looks alike', ['xgo'], ['os/'], []],
    ['by their end behind a tab', ['.rs'], ['ios/x'], ['tab\tios/x.rs']],
  ])('finds files %s', (_, ends, starts, found) => {
    const all = index(
      ['100644', 'a/b.go'],
      ['100755', 'ä.GO'],
      ['100644', 'ios/a'],
      ['100644', 'IOS/b.go2'],
      ['100644', 'apps/ios/c.swift'],
      ['120000', 'link.go'],
      ['160000', 'ios/submodule'],
      ['100644', 'tab\tios/x'],
      ['100644', 'tab\tios/x.rs'],
    )
    expect([...all.find(ends, starts)]).toEqual(found)
  })

  it('knows the blob of a path that is merged, and of no other', () => {
    const all = index(['100644', 'ä'], ['100644', 'both', 2], ['100644', 'both', 3])
    expect([all.blob('ä'), all.blob('both'), all.blob('b')]).toEqual([oid, undefined, undefined])
  })

  it('names a file that is not merged as often as it is there', () => {
    const all = index(['100644', 'a.go', 2], ['100644', 'a.go', 3])
    expect([...all.find(['.go'])]).toEqual(['a.go', 'a.go'])
  })
})
