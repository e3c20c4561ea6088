import { describe, expect, it } from 'vitest'
import { makePem } from '../../test/support/private-key.ts'
import { createSigner, writeCheckpoint } from './checkpoint.ts'
import { openSignedCheckpoint } from './tlog/note.ts'

const openCheckpoint = (text: string, key: string) => {
  const opened = openSignedCheckpoint(text, [key])
  return opened && { origin: opened.origin, size: opened.size, root: opened.root }
}
const signer = createSigner('warrant/default', makePem())
const root = 'ab'.repeat(32)
const note = writeCheckpoint(signer, 42, root)

describe('a checkpoint', () => {
  it('has the form of a C2SP note', () => {
    const lines = note.split('\n')
    expect(lines.slice(0, 4)).toEqual([
      'warrant/default',
      '42',
      Buffer.from(root, 'hex').toString('base64'),
      '',
    ])
    expect(lines[4]).toMatch(/^\u2014 warrant\/default [A-Za-z0-9+/]+=*$/)
    expect(lines[5]).toBe('')
    expect(Buffer.from(lines[4]?.split(' ')[2] ?? '', 'base64')).toHaveLength(68)
  })

  it('is opened with the key that signed it', () => {
    expect(openCheckpoint(note, signer.verifier)).toEqual({ origin: 'warrant/default', size: 42, root })
    expect(openCheckpoint(writeCheckpoint(signer, 0, root), signer.verifier)?.size).toBe(0)
  })

  it('is not opened with another key, but with another name for the same key', () => {
    const secret = makePem()
    const other = createSigner('warrant/default', makePem())
    expect(openCheckpoint(note, other.verifier)).toBeUndefined()
    const renamed = createSigner('warrant/other', secret)
    expect(
      openCheckpoint(writeCheckpoint(createSigner('warrant/default', secret), 1, root), renamed.verifier),
    ).toMatchObject({ origin: 'warrant/default', size: 1 })
    expect(openCheckpoint(note, '')).toBeUndefined()
    expect(openCheckpoint(note, signer.verifier.replace('default', 'defaulu'))).toBeUndefined()
  })

  it('is not opened when a single byte of what it says is another', () => {
    for (let at = 0; at < note.indexOf('\n\n'); at += 1) {
      const changed = `${note.slice(0, at)}${note[at] === 'x' ? 'y' : 'x'}${note.slice(at + 1)}`
      expect(openCheckpoint(changed, signer.verifier)).toBeUndefined()
    }
  })

  it('may carry signatures of others too', () => {
    const witness = createSigner('witness', makePem())
    const [, line = ''] = witness.sign(note.slice(0, note.indexOf('\n\n') + 1)).split('\n\n')
    expect(openCheckpoint(`${note}${line}`, signer.verifier)?.size).toBe(42)
    expect(openCheckpoint(`${note}${line}`, witness.verifier)?.size).toBe(42)
  })
})
