import { rmSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { sqliteLogs } from '../../src/platform/log-stores/sqlite/log.ts'
import { sweep } from '../support/binary.ts'
import { countEntries, loadLineage } from '../support/lineage-load.ts'
import { Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

afterAll(sweep)

it('has one entry for each acknowledged call of servers, hooks and commands that write at once', async () => {
  const repo = Repo.init().commit({ 'src/a.ts': 'export const a = 1\n' })
  const seen = await loadLineage({ repos: [repo], stdio: 3, http: 1, ms: 5_000 })
  expect(seen.strange).toEqual([])
  const store = sqliteLogs(repo.path('.warrant', 'lineage.db'))
  const found = await countEntries(store)
  await store.close()
  expect(found.writes.toSorted()).toEqual(seen.writes.toSorted())
  expect(found).toMatchObject({ begins: 1, checks: seen.checks, runs: seen.runs })
  expect(Math.min(found.writes.length, found.checks, found.runs)).toBeGreaterThan(0)
  expect(runJson(repo.folder, ['log', 'verify', '--graph', 'gate-decisions']).status).toBe(0)
  rmSync(repo.folder, { recursive: true, force: true })
}, 120_000)
