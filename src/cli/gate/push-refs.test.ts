import { describe, expect, it } from 'vitest'
import { parsePushedRefs } from './push-refs.ts'

const A = 'a'.repeat(40)
const ZEROS = '0'.repeat(40)

describe('the refs of a push', () => {
  it('are read as git writes them: new, deleted, and named by an expression', () => {
    const text = `refs/heads/x ${A} refs/heads/y ${ZEROS}\n(delete) ${ZEROS} refs/tags/v ${A}\nHEAD@{1 day ago} ${A} refs/heads/z ${A}\n`
    expect(parsePushedRefs(text)).toEqual([
      { localRef: 'refs/heads/x', localId: A, remoteRef: 'refs/heads/y', remoteId: undefined },
      { localRef: '(delete)', localId: undefined, remoteRef: 'refs/tags/v', remoteId: A },
      { localRef: 'HEAD@{1 day ago}', localId: A, remoteRef: 'refs/heads/z', remoteId: A },
    ])
    expect(parsePushedRefs('\n')).toEqual([])
  })

  it.each([
    'hello',
    `refs/heads/x ${A} refs/heads/y`,
    `refs/heads/x ${A}b refs/heads/y ${A}`,
    `x main y ${A}`,
  ])('are not %j', (line) => {
    expect(() => parsePushedRefs(`${line}\n`)).toThrow('something other')
  })
})
