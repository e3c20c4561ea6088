import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { digestBytes } from '../../src/kernel/encoding/hash.ts'
import { PacketBuilder } from '../../src/packets/build/build.ts'
import { INDEX_TYPE, MANIFEST_TYPE } from '../../src/packets/format/artifact.ts'
import { memorySource } from '../../src/packets/format/faiss.ts'
import { parseReference } from '../../src/packets/format/reference.ts'
import { publishPacket } from '../../src/packets/transfer/publish.ts'
import { locatePacket, pullPacket } from '../../src/packets/transfer/pull.ts'
import { draftPacket, packetFolder } from '../../src/platform/packets/folder.ts'
import { readEachSource } from '../../src/platform/packets/source.ts'
import { packetStore } from '../../src/platform/packets/store.ts'
import { OciClient } from '../../src/platform/registry/client.ts'
import { DEFAULT_OCI, OciHttp } from '../../src/platform/registry/http.ts'
import type { FindCredentials } from '../../src/platform/registry/login.ts'
import { OciPusher } from '../../src/platform/registry/push.ts'
import { describeWith } from '../services.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import { localEmbedder } from '../support/local-embedder.ts'
import { type MadePacket, makePacket } from '../support/packet-maker.ts'
import { openGuard, openTestPackets } from '../support/packet-setup.ts'

afterAll(sweep)

const noAbort = new AbortController().signal

const speaker = (
  host: string,
  credentials: FindCredentials = async () => undefined,
  chunkBytes = 1_000_000,
) => {
  const http = new OciHttp({ ...DEFAULT_OCI, trusted: [host], backoffMs: 1, credentials, chunkBytes })
  return { client: new OciClient(http), pusher: new OciPusher(http) }
}

const pushAll = async (
  pusher: OciPusher,
  where: string,
  { blobs, manifest }: MadePacket,
  ...names: string[]
) => {
  const at = parseReference(where)
  const sent = []
  for (const [digest, bytes] of blobs) {
    const blob = { digest, size: bytes.length }
    sent.push(await pusher.pushBlob({ at, blob, source: memorySource(bytes), signal: noAbort }))
  }
  for (const name of names) await pusher.pushManifest(at, name, manifest, noAbort)
  return sent
}

const packet = makePacket({ 'docs.jsonl': '{"text":"a"}\n', 'vectors.f16.bin': Buffer.alloc(2_500_000, 7) })

describeWith('registry', 'a real registry', (host) => {
  const { client, pusher } = speaker(host)

  it('takes a packet once and gives it back to the byte', async () => {
    const where = `${host}/team/roundtrip`
    expect(await pushAll(pusher, where, packet, '1.0.0', 'latest')).toEqual(['sent', 'sent', 'sent', 'sent'])
    expect(await pushAll(pusher, where, packet, '1.0.1')).toEqual(['there', 'there', 'there', 'there'])
    const store = packetStore(await makeFolder())
    const ports = { registry: client, store, guard: openGuard(client), maxBytes: 1e9 }
    const { digest, located } = await pullPacket(ports, { ref: parseReference(where), signal: noAbort })
    expect(digest).toBe(packet.digest)
    expect(located.metadata?.packet).toEqual({ name: 'demo', version: '1.0.0' })
    expect(await store.verify([digest])).toEqual([{ digest, problems: [] }])
    expect([...(await client.tags(parseReference(where), noAbort))].sort()).toEqual([
      '1.0.0',
      '1.0.1',
      'latest',
    ])
    const pinned = await locatePacket({
      registry: client,
      ref: parseReference(`${where}@${digest}`),
      signal: noAbort,
    })
    expect(pinned.digest).toBe(digest)
  })

  it('says what it does not have', async () => {
    await expect(client.resolve(parseReference(`${host}/no/such`), noAbort)).rejects.toMatchObject({
      code: 'registry.missing',
    })
    await expect(client.tags(parseReference(`${host}/no/such`), noAbort)).rejects.toMatchObject({
      code: 'registry.missing',
    })
  })

  it('does not take a manifest without its blobs, nor bytes under another digest', async () => {
    const at = parseReference(`${host}/team/broken`)
    await expect(pusher.pushManifest(at, 'x', packet.manifest, noAbort)).rejects.toThrow(
      'MANIFEST_BLOB_UNKNOWN',
    )
    const wrong = { digest: digestBytes('other'), size: 3 }
    await expect(
      pusher.pushBlob({ at, blob: wrong, source: memorySource(Buffer.from('abc')), signal: noAbort }),
    ).rejects.toThrow('DIGEST_INVALID')
  })

  it('tells by a tag what refers to a packet, for it knows no better way', async () => {
    const where = `${host}/team/referrers`
    await pushAll(pusher, where, packet, '1.0.0')
    const at = parseReference(where)
    expect(await client.referrers(at, packet.digest, noAbort)).toEqual([])
    const size = packet.manifest.length
    const list = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: INDEX_TYPE,
        manifests: [{ mediaType: MANIFEST_TYPE, artifactType: 'x/sig', digest: packet.digest, size }],
      }),
    )
    const tag = packet.digest.replace(':', '-')
    await fetch(`http://${host}/v2/team/referrers/manifests/${tag}`, {
      method: 'PUT',
      headers: { 'content-type': INDEX_TYPE },
      body: list,
    })
    expect(await client.referrers(at, packet.digest, noAbort)).toMatchObject([{ artifactType: 'x/sig' }])
    expect(await client.tags(at, noAbort)).toEqual(['1.0.0'])
  })
})

describeWith('registry', 'a handbook on a real registry', (host) => {
  it('is built, published, found and asked, and nothing is sent twice', async () => {
    const folder = join(await makeFolder(), 'handbook', '1.0.0')
    const { output, commit } = await draftPacket(folder)
    const options = { name: 'handbook', version: '1.0.0', builderVersion: '0', embedder: localEmbedder }
    const builder = new PacketBuilder(options, output)
    readEachSource(fileURLToPath(new URL('../../docs', import.meta.url)), (file) => builder.add(file))
    expect((await builder.finish(noAbort)).chunks).toBeGreaterThan(20)
    await commit()
    const { pusher } = speaker(host)
    const publish = () =>
      publishPacket(pusher, packetFolder(folder), { registry: `oci://${host}/team` }, noAbort)
    const first = await publish()
    expect(first).toMatchObject({ ref: `${host}/team/handbook:1.0.0`, sent: 11, there: 0 })
    expect(await publish()).toEqual({ ...first, sent: 0, there: 11 })

    const { packets, close } = openTestPackets(await makeFolder(), host)
    const found = await packets.lookup({ name: 'team/handbook' }, noAbort)
    expect(found).toMatchObject({
      ok: true,
      count: 1,
      selected: { pinned_uri: first.pinned_uri, version: '1.0.0' },
    })
    const ref = first.pinned_uri
    const answer = await packets.query({ ref, q: 'what does a dialect do with faults' }, noAbort)
    expect(answer).toMatchObject({ ok: true, mode: 'hybrid' })
    expect(answer).toHaveProperty('results.0.path', expect.stringContaining('.md'))
    expect(await packets.evidence({ ref, question: 'lineage format' }, noAbort)).toMatchObject({ ok: true })
    await close()
  })
})

describeWith('registryAuth', 'a real registry with passwords', (value) => {
  const { username, password, host } = new URL(`http://${value}`)
  const where = `${host}/team/private`
  const known: FindCredentials = async (asked) =>
    asked === host ? { kind: 'password', user: username, password } : undefined

  it('lets in who knows the password', async () => {
    const { client, pusher } = speaker(host, known)
    await pushAll(pusher, where, packet, '1.0.0')
    expect((await client.resolve(parseReference(`${where}:1.0.0`), noAbort)).digest).toBe(packet.digest)
  })

  it.each<[string, FindCredentials]>([
    ['nobody', async () => undefined],
    ['somebody else', async () => ({ kind: 'password', user: 'warrant', password: 'wrong' })],
  ])('keeps %s out', async (_, credentials) => {
    const { client, pusher } = speaker(host, credentials)
    const denied = { code: 'registry.denied' }
    await expect(client.resolve(parseReference(where), noAbort)).rejects.toMatchObject(denied)
    await expect(client.tags(parseReference(where), noAbort)).rejects.toMatchObject(denied)
    await expect(pushAll(pusher, where, packet)).rejects.toMatchObject(denied)
  })
})
