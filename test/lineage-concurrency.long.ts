import { execFileSync } from 'node:child_process'
import { afterAll, expect, it } from 'vitest'
import type { LogStore } from '../src/lineage/store.ts'
import { postgresLogs } from '../src/platform/log-stores/postgres/log.ts'
import { sqliteLogs } from '../src/platform/log-stores/sqlite/log.ts'
import { makeDatabase } from './contracts/postgres-database.ts'
import { describeWith } from './services.ts'
import { sweep } from './support/binary.ts'
import { type Acknowledged, countEntries, loadLineage } from './support/lineage-load.ts'
import { Repo } from './support/repository.ts'
import { runJson } from './support/run.ts'

/** Ten stdio servers, two HTTP servers with three clients each, hooks and gate runs: one log. */
const MS = Number(process.env.WARRANT_LOAD_SECONDS ?? 300) * 1_000

afterAll(sweep)

const makeRepo = () => Repo.init().commit({ 'src/a.ts': 'export const a = 1\n' })

const expectAll = async (store: LogStore, seen: Acknowledged) => {
  const found = await countEntries(store)
  await store.close()
  expect(seen.strange).toEqual([])
  expect(found.writes.toSorted()).toEqual(seen.writes.toSorted())
  expect(found).toMatchObject({ begins: 1, checks: seen.checks, runs: seen.runs })
  expect(Math.min(found.writes.length, found.checks, found.runs)).toBeGreaterThan(10)
  process.stderr.write(`entries: ${found.writes.length} writes, ${found.checks} checks, ${found.runs} runs\n`)
}

it('loses no acknowledged entry of one repository', async () => {
  const repo = makeRepo()
  const seen = await loadLineage({ repos: [repo], stdio: 10, http: 2, ms: MS })
  await expectAll(sqliteLogs(repo.path('.warrant', 'lineage.db')), seen)
  expect(runJson(repo.folder, ['log', 'verify', '--graph', 'gate-decisions']).status).toBe(0)
})

describeWith('postgres', 'two clones with one database', (server) => {
  it('lose no acknowledged entry and have one log', async () => {
    const one = makeRepo()
    const other = new Repo()
    execFileSync('git', ['clone', '-q', one.folder, other.folder])
    const { address, remove } = await makeDatabase(server)
    const env = { WARRANT_STORE: address }
    const seen = await loadLineage({ repos: [one, other], stdio: 10, http: 2, ms: MS, env })
    await expectAll(postgresLogs(address), seen)
    for (const { folder } of [one, other])
      expect(runJson(folder, ['log', 'verify', '--graph', 'gate-decisions'], env).status).toBe(0)
    await remove()
  })
})
