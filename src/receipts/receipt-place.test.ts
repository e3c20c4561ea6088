import { beforeAll, describe, expect, it } from 'vitest'
import { makePem } from '../../test/support/private-key.ts'
import { createSigner } from '../lineage/checkpoint.ts'
import { DecisionRecorder } from '../lineage/decisions.ts'
import { DECISION_LOG, logOrigin } from '../lineage/origin.ts'
import { proveInclusion, rootAt } from '../lineage/proof.ts'
import { memoryLogs } from '../platform/log-stores/memory.ts'
import { sealStatement } from './envelope.ts'
import { readPlaceProof, verifyPlace, writePlaceProof } from './receipt-place.ts'
import { buildStatement } from './statement.ts'
import { signerFromPem } from './verifier-key.ts'
import { type VerifiedReceipt, verifyReceipt } from './verify-receipt.ts'

const pem = makePem()
const signer = signerFromPem(pem)

const FACTS = {
  repository: 'one',
  tree: 'a'.repeat(40),
  commit: undefined,
  version: '1',
  build: 'b',
  now: 0,
  passed: true,
  stage: 'PRE_COMMIT',
  scope: 'git:staged',
  policy: { uri: 'p', digest: `sha256:${'0'.repeat(64)}` },
  inputs: [],
  reasons: [],
  details: { kind: 'run' },
} as const

const receipts: VerifiedReceipt[] = []
let line = ''

beforeAll(async () => {
  const store = memoryLogs()
  const recorder = new DecisionRecorder({
    open: async () => store,
    salt: (seq) => String(seq).padStart(32, '0'),
    time: () => '2026-01-01T00:00:00.000Z',
    version: '1',
  })
  const call = { tool: 'gate_run', effect: 'write', outcome: 'answer', ms: 1, verdict: {} } as const
  for (const now of [0, 1, 2])
    await recorder.record({
      ...call,
      attach: async (place) => {
        const sealed = await sealStatement(buildStatement({ ...FACTS, now }, place), signer)
        receipts.push(verifyReceipt(sealed.line, { listed: [] }))
        return { digest: sealed.digest, envelope: sealed.line }
      },
    })
  const log = await store.find(DECISION_LOG)
  const [row] = (await log?.read(2, 1)) ?? []
  if (log === undefined || row === undefined) throw new Error('no entry')
  const { size, root } = await rootAt(log)
  const note = createSigner(await logOrigin(DECISION_LOG, log), pem).checkpoint(size, root)
  const { path } = await proveInclusion(log, 2, size)
  line = writePlaceProof(receipts[1]?.digest ?? '', row, { note, path }) ?? ''
})

const verify = (text: string, at = 1) => {
  const proof = readPlaceProof(text)
  const receipt = receipts[at]
  return proof && receipt && verifyPlace(receipt, proof, [])
}

describe('the proof of a place', () => {
  it('holds for the receipt that the entry records, and for no other', () => {
    expect(verify(line)).toMatchObject({ index: 2, size: 4 })
    expect(verify(line, 0)).toBeUndefined()
    expect(verify(line.replaceAll(receipts[1]?.digest ?? '-', receipts[0]?.digest ?? ''), 0)).toBeUndefined()
  })

  it('has nothing that could be changed', () => {
    const value = JSON.parse(line)
    const changed = (change: object) => verify(JSON.stringify({ ...value, ...change }))
    const origin = value.checkpoint.split('\n')[0]
    const root = Buffer.from(value.checkpoint.split('\n')[2], 'base64').toString('hex')
    expect(changed({})).toBeDefined()
    expect(changed({ path: value.path.toReversed() })).toBeUndefined()
    expect(changed({ path: value.path.slice(1) })).toBeUndefined()
    expect(changed({ path: [7] })).toBeUndefined()
    expect(changed({ entry: value.entry.replace('"seq":2', '"seq":1') })).toBeUndefined()
    expect(changed({ payload: { ...value.payload, salt: '1' } })).toBeUndefined()
    expect(changed({ payload: { ...value.payload, receipt: 'x' } })).toBeUndefined()
    expect(changed({ checkpoint: createSigner(origin, makePem()).checkpoint(4, root) })).toBeUndefined()
    expect(changed({ checkpoint: createSigner('warrant/other', pem).checkpoint(4, root) })).toBeUndefined()
    expect(changed({ checkpoint: createSigner(origin, pem).checkpoint(5, root) })).toBeUndefined()
    expect(readPlaceProof(receipts[1]?.line ?? '')).toBeUndefined()
    expect(readPlaceProof('{"receipt":1}')).toBeUndefined()
  })
})
