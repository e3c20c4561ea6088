import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DEFAULT_CONFIG } from '../../src/beliefs/graph/graph.ts'
import { GraphStore } from '../../src/beliefs/log/graph-store.ts'
import { fixedTimestamps } from '../../src/beliefs/log/timestamps.ts'
import { storeFaults, UNREADABLE_STORE } from '../../src/lineage/faults.ts'
import type { LogStore } from '../../src/lineage/store.ts'
import { memoryLogs } from '../../src/platform/log-stores/memory.ts'
import { fileFault, readSqlite } from '../../src/platform/log-stores/sqlite/faults.ts'
import { fixedSalts } from '../../src/platform/system/salts.ts'
import { BINARY, makeFolder, Program, sweep } from '../support/binary.ts'
import { failingLogs } from '../support/failing-logs.ts'
import { request } from '../support/messages.ts'

afterAll(sweep)

const FAIL_OPEN = new URL('../support/fail-open.mjs', import.meta.url).href

const open = (store: LogStore) =>
  GraphStore.open({
    store,
    name: 'g',
    config: DEFAULT_CONFIG,
    clockMode: 'deterministic',
    timestamps: fixedTimestamps,
    salt: fixedSalts,
    logger: { write: () => {} },
    snapshotEvery: 1_000,
  })

const create = ({ replica }: GraphStore) =>
  replica.submit({ op: 'node.create', args: { belief: 0.5, energy: 1 } })

/** A store with a graph of three nodes that reads fail on, as often as `failures` says. */
const failingGraph = async () => {
  const sound = memoryLogs()
  const first = await open(sound)
  for (let n = 0; n < 3; n += 1) await create(first)
  const failures = { left: 0, made: 0 }
  const store = failingLogs(sound, () => {
    if (failures.left === 0) return undefined
    failures.left -= 1
    failures.made += 1
    return storeFaults.damaged(UNREADABLE_STORE)
  })
  return { store, failures }
}

describe('a read of the log that fails', () => {
  it('once does not stop writing', async () => {
    const { store, failures } = await failingGraph()
    const graph = await open(store)
    failures.left = 1
    expect(await create(graph)).toMatchObject({ seq: 3 })
    expect(failures.made).toBe(1)
    expect(graph.replica.quarantine).toBeNull()
  })

  it('for a while stops writing; the next start reads all again, and puts the end of the quarantine on record', async () => {
    const { store, failures } = await failingGraph()
    const graph = await open(store)
    failures.left = 1_000
    await expect(create(graph)).rejects.toMatchObject({ code: 'replica.quarantined' })
    failures.left = 0
    expect(await graph.log.quarantine()).toBe(UNREADABLE_STORE)
    const next = await open(store)
    await next.liftReadFailure()
    expect(await next.log.quarantine()).toBeNull()
    expect(await create(next)).toMatchObject({ seq: 4 })
    const [repair] = await next.log.read(3, 1)
    expect(JSON.parse(repair?.entry ?? '')).toMatchObject({ operation: 'lineage.repair' })
  })

  it('is tried again where SQLite calls it damage, and nowhere else', () => {
    const reading = (errcode: number, times: number) => {
      let calls = 0
      const read = () => {
        calls += 1
        if (calls <= times) throw Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR', errcode })
        return calls
      }
      return () => readSqlite(read)
    }
    expect(reading(11, 1)()).toBe(2)
    expect(reading(522, 1)()).toBe(2)
    expect(reading(11, 2)).toThrow(expect.objectContaining({ code: 'store.damaged' }))
    expect(reading(10, 1)).toThrow(expect.objectContaining({ code: 'store.unreachable' }))
  })

  it.each([
    ['EMFILE', 'store.unreachable', 'unavailable'],
    ['EIO', 'store.unreachable', 'unavailable'],
    ['EACCES', 'store.unreachable', 'unavailable'],
    ['ENOSPC', 'store.full', 'exhausted'],
    ['ENOTDIR', 'store.address', 'invalid'],
  ])('with %s is a fault of the store, and of the request only for a wrong path', (code, fault, kind) => {
    const cause = Object.assign(new Error('x'), { code })
    expect(fileFault(cause, '/a/lineage.db')).toMatchObject({ code: fault, kind })
  })
})

describe('a program', () => {
  it('that cannot read its own package.json says so in one line', async () => {
    const folder = await makeFolder()
    mkdirSync(join(folder, 'dist', 'bin'), { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    cpSync(BINARY, join(folder, 'dist', 'bin', 'warrant.js'))
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(folder, 'dist', 'bin', 'warrant.js')],
      {
        encoding: 'utf8',
      },
    )
    expect({ status, stdout }).toEqual({ status: 70, stdout: '' })
    expect(stderr).toMatch(/^warrant: .*package\.json cannot be read\. .*\n$/)
  })

  it('that may not open its database answers that it is not available, not that the request is wrong', async () => {
    const folder = await makeFolder()
    const program = new Program([], { binary: 'scg-mcp-server', cwd: folder, node: ['--import', FAIL_OPEN] })
    program.send(request(1, 'node.create', { belief: 0.5, energy: 1 }))
    const [answer] = await program.answers(1)
    expect(answer).toMatchObject({ error: { code: 1000, data: { code_string: 'INTERNAL_ERROR' } } })
    await program.finish()
  })
})
