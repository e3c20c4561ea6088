import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FAULT_TABLES, renderDocs } from '../scripts/docs.ts'

const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '')

describe('the docs', () => {
  it.each(Object.entries(renderDocs()))('%s is what the code says (else: npm run docs)', (path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('list every table of faults', () => {
    const sources = execFileSync(
      'git',
      ['grep', '-hoE', "defineFaults\\('[a-z_]+'", '--', 'src/*.ts', ':!*.test.ts'],
      {
        encoding: 'utf8',
      },
    )
    const rooms = sources.match(/'[a-z_]+'/g)?.map((word) => word.slice(1, -1))
    const listed = FAULT_TABLES.map((table) => Object.values(table)[0]?.code.split('.')[0])
    expect([...listed].sort()).toEqual([...(rooms ?? [])].sort())
  })

  it('link only to what exists', () => {
    const dead = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)]
        .map(([, target]) => normalize(join(dirname(page), target as string)))
        .filter((target) => !existsSync(target))
        .map((target) => `${page} → ${target}`),
    )
    expect(dead).toEqual([])
  })

  it('name only tests that exist in the threat model', () => {
    const named = readFileSync('docs/threat-model.md', 'utf8').matchAll(/`((?:src|test)\/[\w./-]+)`/g)
    const missing = [...named].map(([, path]) => path as string).filter((path) => !existsSync(path))
    expect(missing).toEqual([])
  })

  it('keep decisions within forty lines', () => {
    const long = pages
      .filter((path) => path.startsWith('docs/adr/'))
      .filter((path) => readFileSync(path, 'utf8').split('\n').length > 41)
    expect(long).toEqual([])
  })
})
