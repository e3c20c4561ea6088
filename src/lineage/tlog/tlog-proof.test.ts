import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTlogProof, writeTlogProof } from './tlog-proof.ts'
import {
  parseWitnessRequest,
  readAddCheckpoint,
  writeAddCheckpoint,
  writeWitnessRequest,
} from './witness-chain.ts'

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes))
const NOTE = `log.example\n7\n${Buffer.alloc(32).toString('base64')}\n\n\u2014 log.example AAAAAAA=\n`

describe('a proof', () => {
  it('has the form of the specification', () => {
    const path = ['00'.repeat(32), 'ff'.repeat(32)]
    const text = writeTlogProof({ index: 3, path, checkpoint: NOTE, extra: Buffer.from('more') })
    expect(text.split('\n').slice(0, 6)).toEqual([
      'c2sp.org/tlog-proof@v1',
      'extra bW9yZQ==',
      'index 3',
      Buffer.alloc(32).toString('base64'),
      Buffer.alloc(32, 255).toString('base64'),
      '',
    ])
    expect(text.endsWith(NOTE)).toBe(true)
  })

  it('is read as it was written', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat(),
        fc.array(hash, { maxLength: 63 }),
        fc.option(fc.uint8Array()),
        (index, hashes, bytes) => {
          const path = hashes.map((one) => one.toString('hex'))
          const extra = bytes === null ? {} : { extra: Buffer.from(bytes) }
          const proof = { index, path, checkpoint: NOTE, ...extra }
          expect(readTlogProof(writeTlogProof(proof))).toEqual(proof)
        },
      ),
    )
  })

  const good = writeTlogProof({ index: 3, path: ['00'.repeat(32)], checkpoint: NOTE })
  it.each([
    ['another version', good.replace('@v1', '@v2')],
    ['no index', good.replace(/index.*\n/, '')],
    ['an index with a leading zero', good.replace('index 3', 'index 03')],
    ['an index beyond what is exact', good.replace('index 3', 'index 99999999999999999')],
    ['a hash of another length', good.replace(/\nA{43}=/, '\nAAAA')],
    ['two extra lines', good.replace('index', 'extra AAAA\nextra AAAA\nindex')],
    ['extra data that is no base64', good.replace('index', 'extra A*\nindex')],
    ['no checkpoint', good.slice(0, good.indexOf('\n\n'))],
    ['a path of 64 hashes', good.replace(/A{43}=\n/, (line) => line.repeat(64))],
  ])('with %s is not read', (_, text) => {
    expect(readTlogProof(text)).toBeUndefined()
  })
})

describe('a request to a witness', () => {
  it('is the same as a line of JSON and as a body of add-checkpoint', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.array(hash, { maxLength: 63 }), (old, hashes) => {
        const proof = hashes.map((one) => one.toString('base64'))
        const request = { origin: 'log.example', old, proof, checkpoint: NOTE }
        expect(parseWitnessRequest(writeWitnessRequest(request))).toEqual(request)
        expect(readAddCheckpoint(writeAddCheckpoint(request))).toEqual(request)
      }),
    )
  })

  it.each([
    'null',
    '[]',
    '{',
    '{"origin":"a","old":-1,"proof":[],"checkpoint":""}',
    '{"origin":"a","old":1.5,"proof":[],"checkpoint":""}',
    '{"origin":"a","old":0,"proof":["AAAA"],"checkpoint":""}',
    '{"origin":"a","old":0,"proof":[{"toString":1}],"checkpoint":""}',
    '{"origin":1,"old":0,"proof":[],"checkpoint":""}',
    '{"origin":"a","old":0,"proof":"","checkpoint":""}',
  ])('is not %s', (line) => {
    expect(parseWitnessRequest(line)).toBeUndefined()
  })

  it.each(['', 'old 1\n', 'old 01\n\nx', 'old 1\nAAAA\n\nx', 'new 1\n\nx'])('is no body %j', (body) => {
    expect(readAddCheckpoint(body)).toBeUndefined()
  })
})
