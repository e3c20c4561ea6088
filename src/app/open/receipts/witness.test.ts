import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSigner } from '../../../lineage/checkpoint.ts'
import { DecisionRecorder } from '../../../lineage/decisions.ts'
import { DECISION_LOG, logOrigin } from '../../../lineage/origin.ts'
import { proveConsistency, rootAt } from '../../../lineage/proof.ts'
import {
  checkWitnessChain,
  parseWitnessRequest,
  writeWitnessRequest,
} from '../../../lineage/tlog/witness-chain.ts'
import { memoryLogs } from '../../../platform/log-stores/memory.ts'
import { signerFromPem } from '../../../receipts/verifier-key.ts'
import { compactPublished, compactWitnessed, KEPT_CHECKPOINTS, publishCheckpoint } from './witness.ts'

const PUSHES = 10_000

it('keeps the notes of 10,000 pushes short', () => {
  let published: { line: string; size: number }[] = []
  let witnessed: { line: string; size: number; cosigned: { key: string; time: number }[] }[] = []
  let most = 0
  for (let push = 1; push <= PUSHES; push += 1) {
    // Three entries and twenty minutes a push.
    const size = push * 3
    const { dropped, relinked } = compactPublished(
      published,
      witnessed.map((one) => one.size),
    )
    const left = new Set(dropped)
    published = published.filter(({ line }) => !left.has(line))
    for (const old of [size - 3, ...relinked]) published.push({ line: `${old}-${size}`, size })
    const gone = new Set(compactWitnessed(witnessed))
    witnessed = witnessed.filter(({ line }) => !gone.has(line))
    witnessed.push({ line: `w${size}`, size, cosigned: [{ key: 'ci', time: push * 1_200 }] })
    most = Math.max(most, published.length, witnessed.length)
  }
  // About 139 days; a line has at most 1.5 KB, so that the note has less than 1 MiB.
  expect(most).toBeLessThan(700)
  expect(published.at(-1)?.size).toBe(PUSHES * 3)
  expect(witnessed.slice(-KEPT_CHECKPOINTS).map(({ size }) => size)).toEqual(
    Array.from({ length: KEPT_CHECKPOINTS }, (_, at) => (PUSHES - KEPT_CHECKPOINTS + 1 + at) * 3),
  )
  const days = new Set(witnessed.map(({ cosigned }) => Math.floor((cosigned[0]?.time ?? 0) / 86_400)))
  expect(days.size).toBe(Math.floor((PUSHES * 1_200) / 86_400) + 1)
})

it('keeps every witnessed checkpoint connected with the newest one', async () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const signer = signerFromPem(pem)
  const store = memoryLogs()
  const recorder = new DecisionRecorder({
    open: async () => store,
    salt: (seq) => String(seq).padStart(32, '0'),
    time: () => '2026-01-01T00:00:00.000Z',
    version: '1',
  })
  const call = { tool: 'x', effect: 'write', outcome: 'answer', ms: 1, args: 'y' } as const
  await recorder.record(call)
  const log = await store.find(DECISION_LOG)
  if (log === undefined) throw new Error('no log')
  const origin = await logOrigin(DECISION_LOG, log)
  const own = createSigner(origin, pem)
  let lines: string[] = []
  const seen: { size: number; note: string }[] = []
  for (let push = 0; push <= 2 * (KEPT_CHECKPOINTS + 2); push += 1) {
    await recorder.record(call)
    const { size, root } = await rootAt(log)
    const { path } = await proveConsistency(log, size - 1, size)
    const proof = path.map((hash) => Buffer.from(hash, 'hex').toString('base64'))
    const checkpoint = own.checkpoint(size, root)
    lines.push(
      writeWitnessRequest({
        origin,
        old: push === 0 ? 0 : size - 1,
        proof: push === 0 ? [] : proof,
        checkpoint,
      }),
    )
    if (push % 40 === 3) seen.push({ size, note: checkpoint })
  }
  await recorder.record(call)
  const sizes = seen.map(({ size }) => size)
  const { added, dropped } = await publishCheckpoint(log, signer, lines, sizes)
  const left = new Set(dropped)
  lines = [...lines.filter((line) => !left.has(line)), ...added]
  expect(lines.length).toBeLessThan(KEPT_CHECKPOINTS + seen.length + 2)
  const requests = lines.flatMap((line) => parseWitnessRequest(line) ?? [])
  const others = seen.map(({ size, note }) => ({ origin, old: size, proof: [], checkpoint: note }))
  const first = { origin, size: 0, root: '' }
  expect(checkWitnessChain(first, [...requests, ...others], [signer.key.text])).toMatchObject({
    outcome: 'consistent',
    newest: { size: (await log.head()).size },
  })
})
