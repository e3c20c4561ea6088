import { describe, expect, it } from 'vitest'
import {
  makePlainKey,
  makePlainReceipt,
  plainEnvelope,
  plainVerifier,
} from '../../../test/support/receipts.ts'
import { verifyReceiptProof } from './receipt-proof.ts'

const signer = makePlainKey('laptop')
const log = makePlainKey('warrant/gate-decisions/0011223344556677')
const witness = makePlainKey('witness.example/ci')
const place = { index: 5, size: 11, origin: log.name }
const { receipt, proof } = makePlainReceipt({ signer, log, witness }, place)
const keys = { key: plainVerifier(signer), logKey: plainVerifier(log) }
const whyNot = (text: string, ofProof: string, given: Parameters<typeof verifyReceiptProof>[2] = keys) => {
  const { good, outcome, ...rest } = verifyReceiptProof(text, ofProof, given)
  expect({ good, outcome }).toEqual({ good: false, outcome: 'invalid' })
  return 'why' in rest ? rest.why : undefined
}

const changeExtra = (change: (extra: { entry: string; payload: string }) => object): string =>
  proof.replace(/^extra (.*)$/m, (_, text) => {
    const changed = change(JSON.parse(Buffer.from(text, 'base64').toString()))
    return `extra ${Buffer.from(JSON.stringify(changed)).toString('base64')}`
  })

describe('a receipt with its proof', () => {
  it('is valid for the keys that signed receipt, checkpoint and cosignature', () => {
    const verdict = verifyReceiptProof(`${receipt}\n`, proof, {
      ...keys,
      witnesses: [plainVerifier(witness, 4)],
    })
    expect(verdict).toMatchObject({
      good: true,
      statement: { subject: [{ digest: { gitTree: 'ab'.repeat(20) } }] },
      entry: { seq: 5, operation: 'gate_run' },
      checkpoint: { origin: log.name, size: 11 },
      cosignatures: [{ name: witness.name, time: 1_800_000_000 }],
    })
  })

  it('needs one key where the machine that judged also wrote the log', () => {
    const own = { ...signer, name: log.name }
    const { receipt: text, proof: ofProof } = makePlainReceipt({ signer, log: own }, place)
    expect(verifyReceiptProof(text, ofProof, { key: keys.key })).toMatchObject({ good: true })
  })

  it('is not valid for other keys', () => {
    const other = plainVerifier(makePlainKey('laptop'))
    expect(whyNot(receipt, proof, { ...keys, key: other })).toContain('no valid signature of this key')
    expect(whyNot(receipt, proof, { key: keys.key })).toContain('no valid signature of the key of the log')
    expect(whyNot(receipt, proof, { ...keys, key: 'laptop' })).toContain('not a verifier key')
    expect(whyNot(receipt, proof, { ...keys, witnesses: [other] })).toContain('no valid cosignature')
  })

  it('is not valid with another receipt, entry, payload, index, path, origin or text', () => {
    const second = makePlainReceipt({ signer, log }, { ...place, index: 6 })
    const moved = makePlainReceipt({ signer, log }, { ...place, origin: 'warrant/another' })
    expect(whyNot(second.receipt, proof)).toContain('does not record this receipt')
    expect(whyNot(receipt, second.proof)).toContain('does not record this receipt')
    expect(whyNot(receipt, proof.replace('index 5', 'index 6'))).toContain('is not entry 6')
    expect(whyNot(receipt, proof.replace(/^index 5\n.*$/m, 'index 5'))).toContain('does not lead')
    expect(whyNot(receipt, proof.replace(/^extra.*\n/m, ''))).toContain('no entry and payload')
    expect(
      whyNot(
        receipt,
        changeExtra((one) => ({ ...one, payload: `${one.payload} ` })),
      ),
    ).toContain('hash')
    expect(
      whyNot(
        receipt,
        changeExtra((one) => ({ ...one, entry: `${one.entry} ` })),
      ),
    ).toContain('is not entry 5')
    expect(
      whyNot(
        receipt,
        changeExtra((one) => ({ ...one, entry: one.entry.replace('gate_run', 'other') })),
      ),
    ).toContain('does not lead')
    expect(whyNot(receipt, proof.replace('\n11\n', '\n12\n'))).toContain(
      'no valid signature of the key of the log',
    )
    expect(whyNot(`${receipt} `, proof)).toContain('does not record this receipt')
    expect(whyNot(receipt, 'c2sp.org/tlog-proof@v1')).toContain('not a tlog-proof')
    expect(verifyReceiptProof(moved.receipt, moved.proof, keys)).toMatchObject({ good: true })
  })

  it('is not valid when it names another place than the one it is recorded at', () => {
    for (const named of [
      { origin: 'warrant/another', index: place.index },
      { origin: place.origin, index: 4 },
    ]) {
      const liar = makePlainReceipt({ signer, log }, { ...place, named })
      expect(whyNot(liar.receipt, liar.proof)).toContain('names another log or another entry')
    }
  })

  it.each([
    ['no object', '[]'],
    ['no payload', '{"payloadType":"application/vnd.in-toto+json","signatures":[]}'],
    ['another type', plainEnvelope(signer, {}).replace('in-toto', 'out-toto')],
    ['no statement', plainEnvelope(signer, { _type: 'other' })],
    ['no signature', receipt.replace(/"signatures":.*/, '"signatures":[]}')],
    ['hostile signatures', receipt.replace(/"signatures":.*/, '"signatures":[null,1,{"sig":{}}]}')],
    ['base64 with other characters', receipt.replace('"sig":"', '"sig":"\\n')],
  ])('is not valid: %s', (_, text) => {
    whyNot(text, proof)
  })

  it('is not valid with one byte changed', () => {
    const passed: string[] = []
    for (const [name, text] of Object.entries({ receipt, proof }))
      for (let at = 0; at < text.length; at += 5) {
        const changed = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`
        const given = name === 'receipt' ? ([changed, proof] as const) : ([receipt, changed] as const)
        if (verifyReceiptProof(...given, { ...keys, witnesses: [plainVerifier(witness)] }).good)
          passed.push(`${name} ${at}`)
      }
    expect(passed).toEqual([])
  })
})
