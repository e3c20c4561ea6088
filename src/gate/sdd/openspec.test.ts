import { describe, expect, it } from 'vitest'
import { findChange, isChangeId, isCompatible, parseVersion, readValidation } from './openspec.ts'

const report = (totals: object, more: object = {}): string => JSON.stringify({ summary: { totals, ...more } })
const ended = (exitCode: number, stdout: string) => ({ exitCode, stdout, stderr: '', cut: undefined })

describe('the version of OpenSpec', () => {
  it.each([
    ['v1.1.1', true],
    ['OpenSpec CLI v1.2.0', true],
    ['1.1.9', true],
    ['2.0.0', true],
    ['1.10.0', true],
    ['1.0.99', false],
    ['0.99.99', false],
    ['unknown', false],
    ['1.1', false],
  ])('%s: good enough is %s', (words, good) => {
    const version = parseVersion(words)
    expect(version !== undefined && isCompatible(version)).toBe(good)
  })
})

describe('a change id', () => {
  it.each(['add-login', 'añadir-búsqueda', 'v2.1', 'A_b', '.hidden', '2026 plan'])('may be %j', (id) => {
    expect(isChangeId(id)).toBe(true)
  })

  it.each([
    '',
    '.',
    '..',
    '...',
    '../x',
    'a/b',
    'a\\b',
    '/etc',
    'a\0b',
    'a\nb',
    'a\u202eb',
    '-x',
    'archive',
    'ARCHIVE',
    'x.',
    'x ',
    'C:',
    'x'.repeat(129),
  ])('may not be %j', (id) => {
    expect(isChangeId(id)).toBe(false)
  })

  it('that may not be never reaches a path', async () => {
    const asked: string[] = []
    const files = {
      exists: async (path: string) => asked.push(path) > 0,
      names: async (path: string) => [path, String(asked.push(path))],
    }
    expect(await findChange('../../etc', files)).toBe('missing')
    expect(asked).toEqual([])
  })
})

describe('a change', () => {
  const files = (...paths: readonly string[]) => ({
    exists: async (path: string) => paths.some((one) => one === path || one.startsWith(`${path}/`)),
    names: async (folder: string) =>
      paths.filter((one) => one.startsWith(`${folder}/`)).map((one) => one.slice(folder.length + 1)),
  })
  const ARCHIVE = 'openspec/changes/archive'

  it.each([
    ['open', ['openspec/changes/a']],
    ['missing', ['openspec/changes/b']],
    ['archived', [`${ARCHIVE}/a`]],
    ['archived', [`${ARCHIVE}/a`, 'openspec/changes/a']],
    ['archived', [`${ARCHIVE}/2026-01-31-a`]],
    ['open', [`${ARCHIVE}/2026-01-31-a`, 'openspec/changes/a']],
    ['missing', [`${ARCHIVE}/2026-01-31-not-a`]],
  ] as const)('is %s with %j', async (state, paths) => {
    expect(await findChange('a', files(...paths))).toBe(state)
  })
})

describe('what the validator said', () => {
  it('is fine only when everything in it is', () => {
    const fine = readValidation(ended(0, report({ items: 4, passed: 4, failed: 0 })), '/r')
    expect(fine).toMatchObject({ ok: true, totals: { items: 4, passed: 4, failed: 0 } })
    expect(readValidation(ended(0, report({ items: 4, passed: 3, failed: 1 })), '/r').ok).toBe(false)
    expect(readValidation(ended(1, report({ items: 4, passed: 4, failed: 0 })), '/r').ok).toBe(false)
    const levels = report({ items: 1, passed: 1, failed: 0 }, { byLevel: { ERROR: 1, WARNING: 2 } })
    expect(readValidation(ended(0, levels), '/r')).toMatchObject({
      ok: false,
      issues: { errors: 1, warnings: 2 },
    })
  })

  it('counts the issues that are only listed', () => {
    const items = [{ issues: [{ level: 'WARNING' }, { level: 'ERROR' }] }, { issues: 'none' }, null]
    const text = JSON.stringify({ items, summary: { totals: { items: 3, passed: 3, failed: 0 } } })
    expect(readValidation(ended(0, text), '/r').issues).toEqual({ errors: 1, warnings: 1, infos: 0 })
  })

  it.each([
    ['nothing', ''],
    ['words', 'All good!'],
    ['another document', '{}'],
    ['a list', '[]'],
    ['no totals', '{"summary":{}}'],
    ['totals of another kind', report({ passed: '4', failed: '0' })],
    ['negative counts', report({ passed: -1, failed: 0 })],
    ['half a document', '{"summary":{"totals":{"passed":1'],
  ])('proves nothing when it is %s', (_, stdout) => {
    expect(readValidation(ended(0, stdout), '/r')).toMatchObject({ ok: false, unreadable: 'format' })
  })

  it('proves nothing when it was cut short, however it looks', () => {
    const good = report({ items: 1, passed: 1, failed: 0 })
    for (const cut of ['time', 'size'] as const) {
      const result = { ...ended(0, good), cut }
      expect(readValidation(result, '/r')).toMatchObject({ ok: false, unreadable: cut })
    }
    expect(readValidation(undefined, '/r')).toMatchObject({ ok: false, unreadable: 'start' })
  })

  it('is shown without the place of the repository, and not at any length', () => {
    const text = `${'/home/me/repo/x '.repeat(1_000)}`
    const { stdout } = readValidation(ended(1, text), '/home/me/repo')
    expect(stdout).not.toContain('/home/me')
    expect(stdout.length).toBeLessThanOrEqual(4_096)
  })
})
