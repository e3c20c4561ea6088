import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { CheckOutput } from '../../gate/checks/readers/reader.ts'
import { checkCache } from './check-cache.ts'

const OUTPUT: CheckOutput = {
  tool: { name: 'tsc', version: '1' },
  results: [{ rule: 'r', level: 'error', message: 'm', file: 'a.ts' }],
  coverage: {
    files: new Map([['a.ts', { lines: new Map([[3, 1]]), branches: { found: 2, taken: 1 } }]]),
    outside: 1,
  },
}

const open = () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'warrant-cache-')), 'results')
  return { folder, cache: checkCache(() => folder) }
}

it('keeps what was read, and nothing under another key', async () => {
  const { cache } = open()
  expect(await cache.read('k')).toBeUndefined()
  await cache.write('k', OUTPUT)
  expect(await cache.read('k')).toEqual(OUTPUT)
  expect(await cache.read('other')).toBeUndefined()
})

it('ignores an entry that is damaged, cut, or copied from another key', async () => {
  const { folder, cache } = open()
  await cache.write('k', OUTPUT)
  const [name = ''] = readdirSync(folder)
  const text = readFileSync(join(folder, name), 'utf8')
  for (const damaged of [text.replace('error', 'note'), text.slice(0, -5), '', 'x'.repeat(99)]) {
    writeFileSync(join(folder, name), damaged)
    expect(await cache.read('k')).toBeUndefined()
  }
  await cache.write('clean', { results: [] })
  const other = readdirSync(folder).find((one) => one !== name) ?? ''
  writeFileSync(join(folder, name), readFileSync(join(folder, other)))
  expect(await cache.read('k')).toBeUndefined()
})
