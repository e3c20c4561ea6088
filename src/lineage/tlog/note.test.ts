import { describe, expect, it } from 'vitest'
import { makePem } from '../../../test/support/private-key.ts'
import { createSigner, writeCheckpoint } from '../checkpoint.ts'
import { cosignCheckpoint, cosignerKey, verifyCosignatures } from './cosignature.ts'
import { openSignedCheckpoint, parseNote, parseNoteKey } from './note.ts'

const secret = makePem()
const log = createSigner('warrant/log', secret)
/** The same key under another name, as a keys file lists it. */
const listed = createSigner('laptop.example/anna', secret)
const stranger = createSigner('warrant/log', makePem())
const root = 'ab'.repeat(32)
const note = writeCheckpoint(log, 42, root)

describe('a note', () => {
  it('of the specification has a valid key and a readable signature', () => {
    const key = parseNoteKey('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k')
    expect(key).toMatchObject({ name: 'example.com/foo', type: 1 })
    const text =
      'This is an example message.\n\n\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n'
    expect(parseNote(text)).toMatchObject({
      text: 'This is an example message.\n',
      signatures: [{ name: 'example.com/foo', id: '530d903a' }],
    })
  })

  it.each([
    ['no signature', 'text\n'],
    ['no last newline', note.trimEnd()],
    ['a control character', note.replace('42', '4\t2')],
    ['a return', note.replaceAll('\n', '\r\n')],
    ['an empty line after the signatures', `${note}\n`],
    ['a line that is no signature', `${note}hello\n`],
    ['a signature in another spelling of base64', note.replace(/=\n$/, '\n')],
    ['a key name with a plus', note.replace('\u2014 warrant/log', '\u2014 warrant+log')],
    ['too many signatures', note.replace(/\u2014.*\n/, (line) => line.repeat(101))],
    ['more text than any note has', `${'x'.repeat(300_000)}${note}`],
  ])('with %s is not read', (_, text) => {
    expect(parseNote(text)).toBeUndefined()
  })

  it.each([
    '',
    'name',
    'name+00000000+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
    log.verifier.replace('warrant/log', 'warrant/log2'),
    `${log.verifier}=`,
    `${log.verifier}\n`,
    log.verifier.slice(0, -4),
  ])('is verified by no key %j', (line) => {
    expect(parseNoteKey(line)).toBeUndefined()
    expect(openSignedCheckpoint(note, [line])).toBeUndefined()
  })
})

describe('a checkpoint', () => {
  it('is opened by the bytes of a key, under whatever name it signed', () => {
    expect(openSignedCheckpoint(note, [stranger.verifier, listed.verifier])).toEqual({
      origin: 'warrant/log',
      size: 42,
      root,
      signedBy: [listed.verifier],
    })
    expect(openSignedCheckpoint(note, [stranger.verifier])).toBeUndefined()
    expect(openSignedCheckpoint(note, [])).toBeUndefined()
  })

  it('is not opened when one signature of a known key is wrong, even beside a right one', () => {
    const other = writeCheckpoint(listed, 43, root)
    expect(openSignedCheckpoint(`${note}${other.split('\n\n')[1]}`, [log.verifier])).toBeUndefined()
  })

  it.each([
    ['a size with a leading zero', 'o\n042\n'],
    ['a size beyond what is exact', 'o\n99999999999999999999\n'],
    ['a negative size', 'o\n-1\n'],
    ['no origin', '\n42\n'],
  ])('with %s is none', (_, head) => {
    const text = log.sign(`${head}${Buffer.from(root, 'hex').toString('base64')}\n`)
    expect(openSignedCheckpoint(text, [log.verifier])).toBeUndefined()
  })

  it('has a root of 32 bytes, and no empty extension line', () => {
    expect(openSignedCheckpoint(log.sign('o\n42\nYWJj\n'), [log.verifier])).toBeUndefined()
    const text = `o\n42\n${Buffer.from(root, 'hex').toString('base64')}\n`
    expect(openSignedCheckpoint(log.sign(`${text}more\n`), [log.verifier])).toMatchObject({ size: 42 })
    expect(openSignedCheckpoint(log.sign(`${text}\nmore\n`), [log.verifier])).toBeUndefined()
  })
})

describe('a cosignature', () => {
  const witness = createSigner('witness.example/ci', makePem())
  const cosigned = cosignCheckpoint(witness, note, 1_700_000_000)

  it('is made beside the signature of the log, which stays valid', () => {
    expect(openSignedCheckpoint(cosigned, [log.verifier])).toMatchObject({ size: 42 })
    const found = { name: witness.name, time: 1_700_000_000 }
    for (const key of [cosignerKey(witness), witness.verifier])
      expect(verifyCosignatures(cosigned, [key])).toEqual([{ ...found, key }])
    expect(Buffer.from(cosigned.trimEnd().split(' ').at(-1) ?? '', 'base64')).toHaveLength(4 + 8 + 64)
  })

  it('is none of a log: the same key signs notes with another ID', () => {
    expect(openSignedCheckpoint(cosigned, [witness.verifier])).toBeUndefined()
    expect(verifyCosignatures(cosigned, [log.verifier])).toEqual([])
    expect(verifyCosignatures(note, [log.verifier])).toEqual([])
  })

  it('replaces the one that the same witness made before', () => {
    const again = cosignCheckpoint(witness, cosigned, 1_700_000_100)
    expect(verifyCosignatures(again, [witness.verifier])).toMatchObject([{ time: 1_700_000_100 }])
    expect(again.split('\n')).toHaveLength(cosigned.split('\n').length)
    const second = createSigner('witness.example/two', makePem())
    const both = cosignCheckpoint(second, again, 1_700_000_200)
    expect(verifyCosignatures(both, [second.verifier, witness.verifier])).toHaveLength(2)
  })

  it('does not hold with a byte changed in text, time or signature', () => {
    const end = cosigned.lastIndexOf(' ') + 1
    const bytes = Buffer.from(cosigned.slice(end), 'base64')
    for (let at = 4; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      const text = `${cosigned.slice(0, end)}${changed.toString('base64')}\n`
      expect(verifyCosignatures(text, [witness.verifier])).toBeUndefined()
    }
    expect(verifyCosignatures(cosigned.replace('42', '43'), [witness.verifier])).toBeUndefined()
  })
})
