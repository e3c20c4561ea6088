import { describe, expect, it } from 'vitest'
import { type Coverage, readCobertura, readLcov } from './coverage.ts'
import { type CheckReader, CheckUnreadable } from './reader.ts'

const ROOT = '/srv/repo'

const cover = (reader: CheckReader, text: string): Coverage => {
  const bytes = new TextEncoder().encode(text)
  const { coverage } = reader({ bytes, root: ROOT, folder: ROOT, exitCode: 0, limits: { results: 10 } })
  if (coverage === undefined) throw new Error('no coverage')
  return coverage
}

const LCOV = `TN:
SF:src/b.ts
FN:1,f
FNF:1
DA:1,5
DA:2,0
DA:3,0
BRDA:1,0,0,1
BRDA:1,0,1,-
LF:3
LH:1
end_of_record
SF:${ROOT}/src/a.ts
DA:1,1
end_of_record
SF:src/b.ts
DA:2,1
BRDA:1,0,1,2
end_of_record
SF:/usr/lib/x.js
DA:1,0
end_of_record
`

const COBERTURA = `<?xml version="1.0" ?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage line-rate="0.5"><sources><source>/elsewhere</source><source>${ROOT}/src</source></sources>
<packages><package name="."><classes>
<class name="b" filename="b.ts"><methods><method name="f"><lines><line number="1" hits="5"/></lines></method></methods>
<lines><line number="1" hits="5" branch="true" condition-coverage="50% (1/2)"/><line number="2" hits="0"/></lines></class>
<class name="b$1" filename="b.ts"><lines><line number="3" hits="1"/></lines></class>
</classes></package></packages></coverage>`

describe('coverage', () => {
  it('is read from a tracefile of lcov, records of one file added up', () => {
    const { files, outside } = cover(readLcov, LCOV)
    expect([...files.keys()]).toEqual(['src/a.ts', 'src/b.ts'])
    expect([...(files.get('src/b.ts')?.lines ?? [])]).toEqual([
      [1, 5],
      [2, 1],
      [3, 0],
    ])
    expect(files.get('src/b.ts')?.branches).toEqual({ found: 2, taken: 2 })
    expect(outside).toBe(1)
  })

  it('is read from Cobertura XML, below the source that is in the repository', () => {
    const { files } = cover(readCobertura, COBERTURA)
    expect([...files.keys()]).toEqual(['src/b.ts'])
    expect([...(files.get('src/b.ts')?.lines ?? [])]).toEqual([
      [1, 5],
      [2, 0],
      [3, 1],
    ])
    expect(files.get('src/b.ts')?.branches).toEqual({ found: 2, taken: 1 })
  })

  it.each([
    [readLcov, '', /no file/],
    [readLcov, '<html>', /not a tracefile/],
    [readLcov, 'SF:a.ts\nDA:1,1\n', /middle of a record/],
    [readLcov, 'SF:a.ts\nDA:x,1\nend_of_record\n', /without a number/],
    [readLcov, 'DA:1,1\n', /not a tracefile/],
    [readCobertura, '<coverage></coverage>', /no file/],
    [readCobertura, '<testsuites/>', /its root is <testsuites>/],
    [readCobertura, COBERTURA.replace('dtd">', 'dtd" [<!ENTITY a "b">]>'), /document type declaration/],
    [readCobertura, COBERTURA.replace('hits="0"', ''), /without a count/],
  ])('is refused: %#', (reader, text, reason) => {
    expect(() => cover(reader, text)).toThrow(CheckUnreadable)
    expect(() => cover(reader, text)).toThrow(reason)
  })
})
