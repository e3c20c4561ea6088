import { packetStore } from '../../src/platform/packets/store.ts'
import { asObject, makePacket } from '../support/packet-maker.ts'

// Stores packets one after the other, saying so, until it is killed or done.
const [root = '', label = '', count = '1', size = '200000'] = process.argv.slice(2)
const store = packetStore(root)
for (let i = 0; i < Number(count); i++) {
  const packet = makePacket({
    'docs.jsonl': Buffer.alloc(Number(size), `${label} ${i} `),
    'faiss/index.faiss': Buffer.alloc(Number(size), `index ${i}`),
  })
  try {
    await store.add(asObject(packet), async function* ({ digest }) {
      const bytes = packet.blobs.get(digest) ?? new Uint8Array()
      for (let at = 0; at < bytes.length; at += 4096) yield bytes.subarray(at, at + 4096)
    })
    process.stdout.write(`stored ${packet.digest}\n`)
  } catch (cause) {
    process.stdout.write(`failed ${(cause as { code?: string }).code}\n`)
  }
}
