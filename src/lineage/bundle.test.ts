import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { verifyBundle } from './bundle.ts'
import { entryChecksum, genesisChecksum } from './chain.ts'
import { createSigner, writeCheckpoint } from './checkpoint.ts'
import { verifyChain } from './verify.ts'

const GENESIS = '{"sigma":0.1,"version":1}'
const { privateKey } = generateKeyPairSync('ed25519')
const signer = createSigner('warrant/test', privateKey.export({ format: 'pem', type: 'pkcs8' }).toString())

const makeEntries = (count: number, operation = 'node.create') => {
  let previous = genesisChecksum(GENESIS)
  return Array.from({ length: count }, (_, seq) => {
    const timestamp = `2026-01-01T00:00:0${seq}.000Z`
    const bare = { operation, payload_hash: 'ab'.repeat(32), seq, tick: 0, timestamp }
    previous = entryChecksum(bare, previous)
    return { checksum: previous, ...bare }
  })
}

const noteOf = async (entries: readonly object[]) => {
  const chain = await verifyChain(GENESIS, entries)
  if (chain.outcome !== 'intact') throw new Error(chain.why)
  return writeCheckpoint(signer, chain.size, chain.root)
}

const makeBundle = async (count = 5) => {
  const entries = makeEntries(count)
  return { genesis: GENESIS, checkpoint: await noteOf(entries), verifier: signer.verifier, entries }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

describe('a bundle', () => {
  it('is bad, and nothing worse, when its members cannot even be made into words', async () => {
    const bundle = await makeBundle(1)
    const odd = { toString: 1, valueOf: 1 }
    for (const member of ['checkpoint', 'verifier'])
      expect(await verifyBundle({ ...bundle, [member]: odd })).toMatchObject({ good: false })
    expect(await verifyBundle({ ...bundle, entries: [{ ...bundle.entries[0], seq: odd }] })).toMatchObject({
      good: false,
      chain: { outcome: 'broken', at: 0, why: 'entry 0 has a sequence number that is not a number' },
    })
  })

  it('holds with the key it brings and with one that came another way', async () => {
    const bundle = await makeBundle()
    expect(await verifyBundle(bundle)).toMatchObject({ good: true, key: 'from the bundle', matches: true })
    expect(await verifyBundle(bundle, { verifier: signer.verifier })).toMatchObject({
      good: true,
      key: 'given',
    })
  })

  it.each([1, 2, 4, 16])('does not hold with any one byte changed by %i', async (mask) => {
    const bytes = Buffer.from(JSON.stringify(await makeBundle()))
    const passed: string[] = []
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (bytes[at] ?? 0) ^ mask
      const { good } = await verifyBundle(parse(changed.toString()))
      if (good) passed.push(changed.toString().slice(Math.max(0, at - 20), at + 20))
    }
    expect(passed).toEqual([])
  })

  it.each([null, 5, 'text', {}, { genesis: GENESIS }, { genesis: 1, entries: [] }, { entries: [] }])(
    'is not %j',
    async (value) => {
      expect(await verifyBundle(value)).toMatchObject({ good: false, outcome: 'unreadable' })
    },
  )
})

describe('an older checkpoint', () => {
  const since = async (count: number, older: string) =>
    (await verifyBundle(await makeBundle(count), { verifier: signer.verifier, older })).since

  it('tells a log that grew from one that was cut, rewritten or never signed', async () => {
    const older = await noteOf(makeEntries(3))
    expect(await since(5, older)).toEqual({ outcome: 'grown', from: 3 })
    expect(await since(3, older)).toEqual({ outcome: 'grown', from: 3 })
    expect(await since(2, older)).toEqual({ outcome: 'truncated', from: 3 })
    expect(await since(5, await noteOf(makeEntries(3, 'edge.bind')))).toEqual({ outcome: 'forked', from: 3 })
    expect(await since(5, older.replace('\n3\n', '\n2\n'))).toEqual({ outcome: 'unsigned' })
  })

  it('makes a bundle that is whole in itself not good', async () => {
    const older = await noteOf(makeEntries(3))
    expect(await verifyBundle(await makeBundle(2), { older })).toMatchObject({ good: false, matches: true })
  })
})
