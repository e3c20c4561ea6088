import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openResultCache } from './result-cache.ts'
import { resultKey, type StoredReport } from './scan-results.ts'

const folder = mkdtempSync(join(tmpdir(), 'warrant-results-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CLEAN: StoredReport = { outcome: 'scanned', matches: [], comments: [] }
const keys = Array.from({ length: 40 }, (_, at) => resultKey('p', 'r', `${at}.ts`, Buffer.from('x')))

describe('openResultCache', () => {
  it('answers with what was saved, and with nothing for another program, rule set, path or content', async () => {
    const path = join(folder, 'a/one')
    const first = await openResultCache(path)
    const match = { ruleId: 'a', message: 'b', line: 1, column: 1, endLine: 1, endColumn: 2 }
    for (const key of keys) first.put(key, key === keys[0] ? { ...CLEAN, matches: [match] } : CLEAN)
    await first.save()
    const second = await openResultCache(path)
    expect(second.get(keys[0] ?? '')?.matches).toEqual([match])
    expect(second.get(keys[1] ?? '')).toEqual(CLEAN)
    expect(second.hits).toBe(2)
    const own: readonly string[] = ['p', 'r', '0.ts', 'x']
    for (const at of own.keys()) {
      const [program, rules, file, text] = own.with(at, 'other')
      const key = resultKey(program ?? '', rules ?? '', file ?? '', Buffer.from(text ?? ''))
      expect(second.get(key)).toBeUndefined()
    }
  })

  it('takes damaged lines for missing results', async () => {
    const path = join(folder, 'damaged')
    writeFileSync(path, `${keys[0]} {"outcome":"scanned"}\n${keys[1]} {\nx\n\0\n${keys[2]}\n`)
    const cache = await openResultCache(path)
    expect(keys.slice(0, 3).map((key) => cache.get(key))).toEqual([undefined, undefined, CLEAN])
  })

  it('does not write for a few new results', async () => {
    const path = join(folder, 'few')
    const cache = await openResultCache(path)
    cache.put(keys[0] ?? '', CLEAN)
    await cache.save()
    expect(() => readFileSync(path)).toThrow()
  })
})
