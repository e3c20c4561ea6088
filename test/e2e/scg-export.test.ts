import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeFolder, sweep } from '../support/binary.ts'
import { expectError, IN_MEMORY, ScgServer, stateOf, stopServers, TIME, WAYS } from './scg-client.ts'

afterEach(stopServers)
afterAll(sweep)

interface PublicEntry {
  readonly seq: number
  readonly tick: number
  readonly operation: string
  readonly timestamp: string
  readonly payload_hash: string
  readonly checksum: string
}

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
const HASH = expect.stringMatching(/^[0-9a-f]{64}$/)

let folder: string
let server: ScgServer

beforeEach(async () => {
  folder = await makeFolder()
  server = new ScgServer({ cwd: folder })
})

/** Leaves one entry of each kind. */
const populate = async () => {
  await server.must('node.create', { belief: 0.9, energy: 3, claim: 'the build is green' })
  await server.must('node.create', { belief: 0.1, energy: 3 })
  await server.must('node.mutate', { node_id: '0', delta: -0.1 })
  await server.must('edge.bind', { src: '0', dst: '1', weight: 1 })
  await server.must('edge.propagate', { edge_id: '0' })
}

const readExport = async (path: string): Promise<PublicEntry[]> => JSON.parse(await readFile(path, 'utf8'))

describe('an export', () => {
  test.each(Object.entries(WAYS))('%s writes the whole lineage and tells its checksum', async (_, way) => {
    await populate()
    const answer = stateOf(await way(server, 'lineage.export', { path: 'log.json' }))
    const bytes = await readFile(join(folder, 'log.json'))
    const { entries } = await server.must('lineage.replay')
    const head = entries.at(-1).checksum
    expect(answer).toEqual({ status: 'ok', path: 'log.json', checksum: sha256(bytes), count: 5, head })
    const text = bytes.toString('utf8')
    const written: PublicEntry[] = JSON.parse(text)
    expect(text).toBe(`${JSON.stringify(written, null, 2)}\n`)
    expect(written.map(({ seq, checksum, timestamp }) => ({ seq, checksum, timestamp }))).toEqual(entries)
  })

  test('holds checksums and no arguments', async () => {
    await populate()
    await server.must('lineage.export', { path: 'log.json' })
    const written = await readExport(join(folder, 'log.json'))
    const operations = ['node.create', 'node.create', 'node.mutate', 'edge.bind', 'edge.propagate']
    expect(written).toEqual(
      operations.map((operation, seq) => ({
        seq,
        operation,
        tick: operation === 'edge.propagate' ? 1 : 0,
        timestamp: expect.stringMatching(TIME),
        payload_hash: HASH,
        checksum: HASH,
      })),
    )
    expect(JSON.stringify(written)).not.toMatch(/green|belief|energy|weight/)
  })

  test('can be verified entry by entry from the genesis on', async () => {
    const { head: genesis, count } = await server.must('lineage.export', { path: 'empty.json' })
    expect([count, await readExport(join(folder, 'empty.json'))]).toEqual([0, []])
    await populate()
    const { head } = await server.must('lineage.export', { path: 'log.json' })
    const chain = (await readExport(join(folder, 'log.json'))).reduce((previous, entry) => {
      const { seq, tick, operation, timestamp, payload_hash, checksum } = entry
      const parts = ['SCG-LINEAGE-1', seq, tick, operation, timestamp, payload_hash, previous]
      expect(checksum).toBe(sha256(parts.join('\n')))
      return checksum
    }, genesis as string)
    expect(chain).toBe(head)
  })

  test('takes the place of an older one, and leaves nothing else behind', async () => {
    await server.must('lineage.export', { path: 'log.json' })
    await populate()
    await server.must('lineage.export', { path: 'log.json' })
    await server.must('lineage.export', { path: join(folder, 'log.json') })
    await mkdir(join(folder, 'deep'))
    await server.must('lineage.export', { path: './deep/../deep//log.json' })
    expect(await readExport(join(folder, 'log.json'))).toEqual(
      await readExport(join(folder, 'deep', 'log.json')),
    )
    expect((await readdir(folder)).sort()).toEqual(['deep', 'log.json'])
    expect(await readdir(join(folder, 'deep'))).toEqual(['log.json'])
  })

  test('may have the longest name a file can have', async () => {
    const path = 'n'.repeat(255)
    await server.must('lineage.export', { path })
    expect(await readdir(folder)).toEqual([path])
  })

  test('works as often at once as it is asked', async () => {
    await populate()
    const paths = ['same.json', 'same.json', 'same.json', 'other.json', 'same.json']
    const answers = await Promise.all(paths.map((path) => server.call('lineage.export', { path })))
    const sums = answers.map((answer) => stateOf(answer).checksum)
    expect(new Set(sums)).toEqual(new Set([sha256(await readFile(join(folder, 'same.json')))]))
    expect((await readdir(folder)).sort()).toEqual(['other.json', 'same.json'])
  })

  test('that was asked last is the one that stays', async () => {
    const asked = Array.from({ length: 20 }, () => {
      void server.call('node.create', { belief: 0.5, energy: 1 })
      return server.call('lineage.export', { path: 'log.json' })
    })
    const answer = (await Promise.all(asked)).map(stateOf)
    expect(answer.map(({ count }) => count)).toEqual(asked.map((_, index) => index + 1))
    expect(sha256(await readFile(join(folder, 'log.json')))).toBe(answer.at(-1)?.checksum)
  })

  test('stays within the root it was given', async () => {
    await mkdir(join(folder, 'exports'))
    const bound = new ScgServer({ args: [...IN_MEMORY, '--export-root', 'exports'], cwd: folder })
    await bound.must('lineage.export', { path: 'log.json' })
    for (const path of ['../log.json', join(folder, 'log.json')]) {
      expectError(await bound.call('lineage.export', { path }), 2000)
    }
    expect(await readdir(folder)).toEqual(['exports'])
    expect(await readdir(join(folder, 'exports'))).toEqual(['log.json'])
  })
})

describe('an export is refused and nothing happens', () => {
  const refused = async (...paths: readonly unknown[]) => {
    await populate()
    const before = [await server.must('governance.status'), await readdir(folder, { recursive: true })]
    for (const path of paths) expectError(await server.call('lineage.export', { path }), 2000)
    expect([await server.must('governance.status'), await readdir(folder, { recursive: true })]).toEqual(
      before,
    )
  }

  test('where git keeps its own', async () => {
    await mkdir(join(folder, '.git'))
    await writeFile(join(folder, '.git', 'config'), 'kept')
    await refused('.git', '.git/config', '.git/index.lock', 'deep/../.git/HEAD')
    expect(await readFile(join(folder, '.git', 'config'), 'utf8')).toBe('kept')
  })

  test('when the path is none', async () => {
    await refused('', '.', './', 'a\0b', '\0', 'p'.repeat(5_000), null, 7, [], {}, undefined)
    expectError(await server.call('lineage.export', {}), 2000)
  })

  test('when it leads outside', async () => {
    const outside = await makeFolder()
    await symlink(outside, join(folder, 'way-out'))
    await refused(
      '../log.json',
      '/etc/log.json',
      join(outside, 'log.json'),
      'way-out/log.json',
      'way-out/../log.json/../../log.json',
      `${folder}-neighbour/log.json`,
      '..',
      '/',
    )
    expect(await readdir(outside)).toEqual([])
  })

  test('when another file has the name', async () => {
    const texts = ['{}', '[]', '[\n  {\n    "seq": 0', 'kept', '']
    for (const [at, text] of texts.entries()) await writeFile(join(folder, `file-${at}`), text)
    await refused(...texts.map((_, at) => `file-${at}`))
    for (const [at, text] of texts.entries())
      expect(await readFile(join(folder, `file-${at}`), 'utf8')).toBe(text)
  })

  test('when its folder is not there, or is a file', async () => {
    await writeFile(join(folder, 'file'), 'kept')
    await refused('missing/log.json', 'missing/../also/missing/log.json', 'file/log.json')
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe('kept')
  })

  test('when something else is in its place', async () => {
    const outside = await makeFolder()
    await writeFile(join(outside, 'secret'), 'kept')
    await symlink(join(outside, 'secret'), join(folder, 'link'))
    await symlink(join(outside, 'not-there'), join(folder, 'dangling'))
    await mkdir(join(folder, 'folder'))
    await refused('folder', 'folder/', 'link', 'dangling')
    expect(await readdir(outside)).toEqual(['secret'])
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('kept')
  })

  test('when it would take the place of the log itself', async () => {
    const keeping = new ScgServer({ args: [], cwd: folder })
    await keeping.must('node.create', { belief: 0.5, energy: 1 })
    for (const name of ['lineage.db', 'lineage.db-wal', 'lineage.db-shm', 'new.json']) {
      expectError(await keeping.call('lineage.export', { path: `.warrant/${name}` }), 2000)
    }
    await keeping.must('node.create', { belief: 0.5, energy: 1 })
    await keeping.finish()
    const again = new ScgServer({ args: [], cwd: folder })
    expect(await again.must('governance.status')).toMatchObject({ node_count: 2, healthy: true })
  })

  test('with another code when the disk will not have it', async () => {
    const launch = ['/bin/sh', '-c', 'ulimit -f 0; exec "$0" "$@"', process.execPath]
    server = new ScgServer({ cwd: folder, launch })
    await populate()
    expectError(await server.call('lineage.export', { path: 'log.json' }), 1000)
    expect(await readdir(folder)).toEqual([])
    expect((await server.must('governance.status')).lineage_length).toBe(5)
  })
})
