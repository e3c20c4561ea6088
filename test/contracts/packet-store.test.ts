import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { safeName } from '../../src/packets/format/reference.ts'
import type { OpenBlob } from '../../src/packets/ports.ts'
import { draftName } from '../../src/platform/files/atomic-write.ts'
import { packetStore } from '../../src/platform/packets/store.ts'
import { BINARY, cleanEnvironment, makeFolder, sweep } from '../support/binary.ts'
import { asObject, type MadePacket, makeArtifact, makePacket } from '../support/packet-maker.ts'
import { killWriters, PacketWorkers } from './packet-workers.ts'

afterAll(sweep)

const packet = makePacket({
  'manifest.json': '{}',
  'docs.jsonl': '{"text":"a"}\n',
  'faiss/index.faiss': 'rows',
})

const serve = ({ blobs }: MadePacket): OpenBlob =>
  async function* ({ digest }) {
    yield blobs.get(digest) ?? new Uint8Array()
  }

const stored = async () => {
  const root = await makeFolder()
  const store = packetStore(root)
  const folder = await store.add(asObject(packet), serve(packet))
  return { root, store, folder }
}

const names = async (root: string) => (await readdir(join(root, 'cas')).catch(() => [])).sort()

describe('the store of packets', () => {
  it('keeps a packet under its digest, where older readers look for it', async () => {
    const { root, store, folder } = await stored()
    expect(folder).toBe(join(root, 'cas', safeName(packet.digest)))
    expect(await readFile(join(folder, 'payload/docs.jsonl'), 'utf8')).toBe('{"text":"a"}\n')
    expect(await readFile(join(folder, 'payload/faiss/index.faiss'), 'utf8')).toBe('rows')
    expect(await readFile(join(folder, 'oci-manifest.json'))).toEqual(packet.manifest)
    expect(await store.find(packet.digest)).toBe(folder)
    expect(await store.list()).toMatchObject([{ digest: packet.digest, files: 5 }])
    expect(await store.verify([packet.digest])).toEqual([{ digest: packet.digest, problems: [] }])
  })

  it.runIf(process.platform === 'linux')('is verified whole with few files open at a time', async () => {
    const root = await makeFolder()
    const store = packetStore(root)
    for (let at = 0; at < 40; at += 1) {
      const one = makePacket({ 'manifest.json': '{}', 'docs.jsonl': `{"text":"${at}"}\n` })
      await store.add(asObject(one), serve(one))
    }
    const limited = 'ulimit -n 64 && exec "$0" "$@"'
    const asked = ['packet', 'verify', '--json', '--root', root, '--packet-root', root]
    const { status, stdout } = spawnSync('sh', ['-c', limited, process.execPath, BINARY, ...asked], {
      encoding: 'utf8',
      env: cleanEnvironment({}),
    })
    const { verdicts } = JSON.parse(stdout)
    expect(verdicts).toHaveLength(40)
    expect(verdicts.flatMap(({ problems }: { problems: string[] }) => problems)).toEqual([])
    expect(status).toBe(0)
  })

  it('asks for nothing that it has', async () => {
    const { store } = await stored()
    await store.add(asObject(packet), () => {
      throw new Error('asked')
    })
  })

  it.each<[string, OpenBlob, string]>([
    [
      'other bytes',
      async function* ({ size }) {
        yield Buffer.alloc(size, 'x')
      },
      'packet.mismatch',
    ],
    [
      'too few bytes',
      async function* ({ size }) {
        yield Buffer.alloc(size - 1)
      },
      'packet.mismatch',
    ],
    [
      'bytes without end',
      async function* () {
        for (;;) yield Buffer.alloc(1024)
      },
      'packet.mismatch',
    ],
    [
      'an end in the middle',
      // biome-ignore lint/correctness/useYield: it fails before it has anything to give
      async function* () {
        throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
      },
      'packet_disk.failed',
    ],
  ])('takes in nothing of a packet that comes with %s', async (_, open, code) => {
    const root = await makeFolder()
    const store = packetStore(root)
    await expect(store.add(asObject(packet), open)).rejects.toMatchObject({ code })
    expect(await names(root)).toEqual([])
    expect(await store.find(packet.digest)).toBeUndefined()
  })

  it('refuses a manifest that is not that of the digest', async () => {
    const root = await makeFolder()
    const other = { ...asObject(packet), manifest: Buffer.from('{}') }
    await expect(packetStore(root).add(other, serve(packet))).rejects.toMatchObject({
      code: 'packet.mismatch',
    })
    expect(await names(root)).toEqual([])
  })

  it.each([
    ['../../escape', 'packet.unsafe_path'],
    ['/etc/escape', 'packet.unsafe_path'],
    ['payload/../../escape', 'packet.unsafe_path'],
    ['oci-manifest.json', 'packet.unsafe_path'],
    ['OCI-Manifest.json', 'packet.unsafe_path'],
  ])('has no place for a file called %s', (title, code) => {
    expect(() => asObject(makeArtifact({ [title]: 'x' }))).toThrow(expect.objectContaining({ code }))
  })

  it('gives one packet to two that store it at once', async () => {
    const root = await makeFolder()
    const both = [packetStore(root), packetStore(root)]
    const folders = await Promise.all(both.map((store) => store.add(asObject(packet), serve(packet))))
    expect(new Set(folders).size).toBe(1)
    expect(await names(root)).toEqual([safeName(packet.digest)])
    expect(await both[0]?.verify([packet.digest])).toMatchObject([{ problems: [] }])
  })

  it('does not trust a folder that cannot be verified, and replaces it', async () => {
    const root = await makeFolder()
    const place = join(root, 'cas', safeName(packet.digest))
    await mkdir(join(place, 'payload'), { recursive: true })
    await writeFile(join(place, 'payload/docs.jsonl'), 'forged')
    const store = packetStore(root)
    expect(await store.find(packet.digest)).toBeUndefined()
    await store.add(asObject(packet), serve(packet))
    expect(await store.verify([packet.digest])).toMatchObject([{ problems: [] }])
  })

  it.each<[string, (folder: string) => Promise<unknown>, RegExp]>([
    [
      'a changed byte',
      async (folder) => {
        await chmod(join(folder, 'payload/docs.jsonl'), 0o644)
        await writeFile(join(folder, 'payload/docs.jsonl'), '{"text":"b"}\n')
      },
      /payload\/docs.jsonl/,
    ],
    ['a lost file', (folder) => rm(join(folder, 'payload/faiss/index.faiss')), /index.faiss: is missing/],
    ['a stranger', (folder) => writeFile(join(folder, 'payload/more'), ''), /payload\/more: does not belong/],
    [
      'a link',
      async (folder) => {
        await rm(join(folder, 'payload/docs.jsonl'))
        await symlink('/etc/hostname', join(folder, 'payload/docs.jsonl'))
      },
      /docs.jsonl: is missing/,
    ],
    [
      'a pipe',
      async (folder) => {
        await rm(join(folder, 'payload/docs.jsonl'))
        execFileSync('mkfifo', [join(folder, 'payload/docs.jsonl')])
      },
      /docs.jsonl: is missing/,
    ],
    [
      'another manifest',
      async (folder) => {
        await rm(join(folder, 'oci-manifest.json'))
        await writeFile(join(folder, 'oci-manifest.json'), '{}')
      },
      /not the manifest/,
    ],
  ])('finds %s', async (_, damage, words) => {
    const { store, folder } = await stored()
    await damage(folder)
    const [verdict] = await store.verify([packet.digest])
    expect(verdict?.problems.join('\n')).toMatch(words)
  })

  it('lets go of packets, with their indexes, and of nothing else', async () => {
    const { root, store } = await stored()
    const other = makePacket({ 'docs.jsonl': '' })
    await store.add(asObject(other), serve(other))
    await mkdir(join(root, 'index', safeName(packet.digest), 'f'), { recursive: true })
    expect(await store.prune([packet.digest, `sha256:${'0'.repeat(64)}`])).toEqual([packet.digest])
    expect(await names(root)).toEqual([safeName(other.digest)])
    expect(await readdir(join(root, 'index'))).toEqual([])
    expect(await store.verify([packet.digest])).toMatchObject([{ problems: ['it is not here'] }])
  })
})

describe('the store of packets, killed', () => {
  const workers = new PacketWorkers()
  beforeAll(() => workers.build())
  afterAll(() => workers.remove())

  it('never shows a part of a packet, and goes on', async () => {
    const root = await makeFolder()
    await killWriters(workers, root, 8)
    await workers.run([root, 'last', '1'])
    expect((await names(root)).filter((name) => name.startsWith('.'))).toEqual([])
  })

  it('says so when there is no more space, and leaves nothing behind', async () => {
    const root = await makeFolder()
    const limited = ['/bin/sh', '-c', 'ulimit -f 100; exec "$0" "$@"']
    expect(await workers.run([root, 'full', '1', '500000'], { through: limited })).toEqual([
      'failed packet_disk.full',
    ])
    expect(await names(root)).toEqual([])
    expect(await workers.run([root, 'small', '1', '100'], { through: limited })).toHaveLength(1)
  })

  it('leaves the drafts of the living and of other machines alone, and no others', async () => {
    const { root, store } = await stored()
    const living = draftName()
    const [host = '', boot = '', space = '', pid = '', start = ''] = living.split('-').slice(1)
    const drafts = {
      living,
      'of another machine': ['.draft', '00', boot, space, pid, start, 'ab.tmp'].join('-'),
      'of the time before a restart': ['.draft', host, '0123', space, pid, start, 'ab.tmp'].join('-'),
      'of a number that is used again': ['.draft', host, boot, space, pid, '7', 'ab.tmp'].join('-'),
      'of the dead': ['.draft', host, boot, space, '4194303', start, 'ab.tmp'].join('-'),
    }
    for (const name of Object.values(drafts)) await mkdir(join(root, 'cas', name))
    await store.prune([])
    const left = await names(root)
    const kept = Object.entries(drafts).filter(([, name]) => left.includes(name))
    expect(kept.map(([whose]) => whose)).toEqual(['living', 'of another machine'])
  })
})
