import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { rememberAllowed } from '../../src/app/open/checks/open.ts'
import { CHECKS_FILE } from '../../src/gate/checks/check.ts'
import { CHECK_READERS } from '../../src/gate/checks/readers/check-readers.ts'
import { MAX_OUTPUT_BYTES } from '../../src/gate/checks/readers/reader.ts'
import { gateJson } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

const STAGES = 'stages: [PRE_COMMIT]'

it('a check that writes a gigabyte fills neither memory nor disk', async () => {
  const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('warrant-check-'))
  const before = folders()
  const checks = `checks:
  pipe: { run: head -c 1000000000 /dev/zero, reads: lines, ${STAGES} }
  errors: { run: 'head -c 1000000000 /dev/zero >&2', reads: exit, ${STAGES} }
  file: { run: 'head -c 1000000000 /dev/zero > $OUT; sleep 60', reads: sarif, ${STAGES} }
`
  const repo = Repo.init().commit({ [CHECKS_FILE]: checks })
  await rememberAllowed(repo.folder, checks)
  const { checks: rows } = gateJson(repo.stage({ 'a.txt': 'a\n' }))
  expect(rows?.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['pipe', 'unreadable'],
    ['errors', 'clean'],
    ['file', 'unreadable'],
  ])
  expect(folders()).toEqual(before)
}, 300_000)

it('reads a SARIF file of 100 MB one result at a time, and keeps the worst', async () => {
  const result = (level: string) =>
    JSON.stringify({
      ruleId: 'R1',
      level,
      message: { text: 'something is wrong here' },
      locations: [{ physicalLocation: { artifactLocation: { uri: 'src/a.ts' }, region: { startLine: 3 } } }],
    })
  const million = Buffer.from(`${Array(7_000).fill(result('note')).join(',')},`)
  const count = Math.ceil(100_000_000 / million.length)
  const bytes = Buffer.concat([
    Buffer.from('{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":['),
    ...Array(count).fill(million),
    Buffer.from(`${result('error')}]}]}`),
  ])
  expect(bytes.length).toBeLessThan(MAX_OUTPUT_BYTES)
  const read = await CHECK_READERS.sarif()
  const before = process.memoryUsage().rss
  const output = read({ bytes, root: '/r', folder: '/r', exitCode: 1, limits: { results: 10 } })
  expect(output.results.map(({ level }) => level)).toEqual([...Array(9).fill('note'), 'error'])
  expect(output.omitted).toBe(count * 7_000 + 1 - 10)
  expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
})
