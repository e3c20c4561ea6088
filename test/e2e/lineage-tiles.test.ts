import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DECISION_GENESIS } from '../../src/lineage/decisions.ts'
import { LogWriter } from '../../src/lineage/log-writer.ts'
import { sqliteLogs } from '../../src/platform/log-stores/sqlite/log.ts'
import { BINARY, cleanEnvironment, makeFolder, startHttp, sweep } from '../support/binary.ts'
import { makePlainKey, plainCosign, plainVerifier } from '../support/receipts.ts'
import {
  folderResources,
  isPlainPrefix,
  openPlainCheckpoint,
  readPlainLog,
  webResources,
} from '../support/tile-reader.ts'

afterAll(sweep)

let folder: string
let state: string
const at = (...names: readonly string[]) => join(folder, ...names)
const env = () => cleanEnvironment({ XDG_STATE_HOME: state })

const warrant = (...args: readonly string[]) => {
  const { status, stdout } = spawnSync(process.execPath, [BINARY, ...args, '--json'], {
    cwd: folder,
    env: env(),
    encoding: 'utf8',
  })
  return { status, value: JSON.parse(stdout) }
}
const publish = (dir: string, ...more: readonly string[]) => warrant('log', 'publish', dir, ...more)

/** Adds entries as the gate does, without running it a thousand times. */
const growTo = async (size: number) => {
  const store = sqliteLogs(at('.warrant', 'lineage.db'))
  const log = await store.open('gate-decisions', DECISION_GENESIS)
  const writer = await LogWriter.open(log, String, (await log.head()).size)
  const drafts = Array.from({ length: size - writer.size }, (_, index) => ({
    operation: index % 2 === 0 ? 'gate_run' : 'ai_gate_check',
    tick: 0,
    timestamp: '2026-01-01T00:00:00.000Z',
    payload: (salt: string) => JSON.stringify({ private: 'kept here', salt }),
  }))
  await writer.commit(writer.prepare(drafts))
  await store.close()
}

const filesBelow = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(path.length + 1))
    .sort()
const checkpointIn = (dir: string) => readFileSync(at(dir, 'checkpoint'), 'utf8')

beforeAll(async () => {
  folder = await makeFolder()
  state = await makeFolder()
  mkdirSync(at('.warrant'))
})

describe('a published log', () => {
  let older: string
  let key: string

  it('is verified by a reader that knows only the specifications', async () => {
    expect(publish('site')).toMatchObject({ status: 4, value: { error: { code: 'store.unknown' } } })
    expect(existsSync(at('site'))).toBe(false)
    await growTo(300)
    const { status, value } = publish('site')
    expect({ status, value }).toMatchObject({ status: 0, value: { size: 300, written: 5 } })
    key = value.verifier
    older = checkpointIn('site')
    const head = openPlainCheckpoint(older, key)
    expect(head.origin).toMatch(/^warrant\/gate-decisions\/[0-9a-f]{16}$/)
    const entries = await readPlainLog(folderResources(at('site')), head)
    expect(JSON.parse(entries[299] ?? '')).toMatchObject({ seq: 299, operation: 'ai_gate_check' })
    // Payloads stay private.
    for (const file of filesBelow(at('site')))
      expect(readFileSync(at('site', file)).includes('kept here')).toBe(false)
  })

  it('grows by what is new, keeps its older checkpoint consistent, and is not written twice', async () => {
    await growTo(700)
    expect(publish('site').value).toMatchObject({ size: 700 })
    const read = folderResources(at('site'))
    const newer = openPlainCheckpoint(checkpointIn('site'), key)
    await readPlainLog(read, newer)
    expect(await isPlainPrefix(read, openPlainCheckpoint(older, key), newer)).toBe(true)
    expect(filesBelow(at('site'))).toEqual([
      'checkpoint',
      'tile/0/000',
      'tile/0/001',
      'tile/0/002.p/188',
      'tile/1/000.p/1',
      'tile/1/000.p/2',
      'tile/entries/000',
      'tile/entries/001',
      'tile/entries/002.p/188',
    ])
    expect(publish('site').value).toMatchObject({ size: 700, written: 0 })
    // A second folder gets the same bytes.
    publish('second')
    for (const file of filesBelow(at('second')))
      expect(readFileSync(at('second', file))).toEqual(readFileSync(at('site', file)))
  })

  it('carries cosignatures that a reader and a second publication keep', async () => {
    const witness = makePlainKey('witness.example/ci')
    writeFileSync(at('second', 'checkpoint'), plainCosign(witness, checkpointIn('second'), 1_800_000_000))
    expect(publish('second').value).toMatchObject({ written: 0 })
    expect(openPlainCheckpoint(checkpointIn('second'), key, [plainVerifier(witness, 4)])).toMatchObject({
      size: 700,
    })
  })

  it('is served with the same bytes over HTTP', async () => {
    const server = await startHttp([], { cwd: folder, env: { XDG_STATE_HOME: state } })
    const types = new Map<string, string>()
    const read = webResources(
      (path) => server.fetch(`/tiles/${path}`),
      (path, { headers }) =>
        types.set(path, `${headers.get('content-type')}; ${headers.get('cache-control')}`),
    )
    const note = (await read('checkpoint'))?.toString() ?? ''
    expect(note).toBe(checkpointIn('site'))
    await readPlainLog(read, openPlainCheckpoint(note, key))
    for (const file of filesBelow(at('site')))
      expect(await read(file), file).toEqual(readFileSync(at('site', file)))
    expect(types.get('checkpoint')).toBe('text/plain; charset=utf-8; no-cache')
    types.delete('checkpoint')
    expect(new Set(types.values())).toEqual(
      new Set(['application/octet-stream; max-age=31536000, immutable']),
    )
    for (const path of [
      'tile/0/003',
      'tile/0/002',
      'tile/1/000',
      'tile/0/000.p/0',
      'tile/0/%30',
      'tile',
      'tile/../checkpoint',
      'other',
    ])
      expect((await server.fetch(`/tiles/${path}`, { redirect: 'error' })).status, path).toBe(
        path === 'tile/../checkpoint' ? 200 : 404,
      )
    const head = await server.fetch('/tiles/tile/0/000', { method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe('8192')
    expect((await server.fetch('/tiles/checkpoint', { method: 'POST' })).status).toBe(405)
    await growTo(701)
    const grown = openPlainCheckpoint((await read('checkpoint'))?.toString() ?? '', key)
    expect(await isPlainPrefix(read, openPlainCheckpoint(note, key), grown)).toBe(true)
    server.child.kill('SIGTERM')
    await server.finish()
  })

  it('is left alone where something else is in the way', async () => {
    const outside = await makeFolder()
    mkdirSync(at('linked'))
    symlinkSync(outside, at('linked', 'tile'))
    symlinkSync(outside, at('direct'))
    expect(publish('linked')).toMatchObject({ value: { error: { code: 'place.folder' } } })
    expect(publish('direct')).toMatchObject({ value: { error: { code: 'place.link' } } })
    expect(readdirSync(outside)).toEqual([])
    mkdirSync(at('other'))
    writeFileSync(at('other', 'checkpoint'), 'another\n1\n\n')
    expect(publish('other')).toMatchObject({ value: { error: { code: 'publish.occupied' } } })
    // An interrupted publication leaves the older checkpoint with its tiles.
    cpSync(at('site'), at('broken'), { recursive: true })
    rmSync(at('broken', 'tile', 'entries'), { recursive: true })
    writeFileSync(at('broken', 'tile', 'entries'), '')
    await growTo(702)
    expect(publish('broken').status).not.toBe(0)
    expect(openPlainCheckpoint(checkpointIn('broken'), key)).toMatchObject({ size: 700 })
  })

  it('is not replaced by a log that was cut or rewritten, whether this machine remembers it or not', async () => {
    expect(publish('site').value).toMatchObject({ size: 702 })
    const before = checkpointIn('site')
    rmSync(at('.warrant'), { recursive: true })
    mkdirSync(at('.warrant'))
    await growTo(400)
    const remembered = publish('site')
    expect(remembered).toMatchObject({ value: { error: { code: 'store.changed' } } })
    // The same without what this machine saw, but with its key.
    for (const name of readdirSync(join(state, 'warrant')))
      if (name !== 'signing.key') rmSync(join(state, 'warrant', name), { recursive: true })
    const { value } = publish('site')
    expect(value.error.code).toBe('store.changed')
    expect(value.error.message).toMatch(
      /the log was cut: 702 [0-9a-f]{64} is published, the log has 400 [0-9a-f]{64}/,
    )
    expect(checkpointIn('site')).toBe(before)
  })
})
