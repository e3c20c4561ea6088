import { rm } from 'node:fs/promises'
import { afterAll, expect, it } from 'vitest'
import { makeFolder, sweep } from '../../../test/support/binary.ts'
import { asObject, makePacket } from '../../../test/support/packet-maker.ts'
import { Fault } from '../../kernel/fault.ts'
import { packetStore } from './store.ts'
import { verifiedStamps } from './verify-stored.ts'

afterAll(sweep)

it('says of a packet that is gone what a caller can do, and believes it again once it is back', async () => {
  const root = await makeFolder()
  const packet = makePacket({ 'manifest.json': '{}', 'docs.jsonl': '{"text":"a"}\n' })
  const store = packetStore(root)
  const put = () =>
    store.add(asObject(packet), async function* ({ digest }) {
      yield packet.blobs.get(digest) ?? new Uint8Array()
    })
  const folder = await put()
  await rm(folder, { recursive: true, force: true })
  const seals = verifiedStamps(root)
  await expect(seals.check(packet.digest, folder)).rejects.toBeInstanceOf(Fault)
  await put()
  await seals.check(packet.digest, folder)
})
