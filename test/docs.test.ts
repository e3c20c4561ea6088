import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FAULT_TABLES, renderDocs } from '../scripts/docs.ts'
import { allOptions } from '../src/cli/command/command.ts'
import { commands } from '../src/cli/table.ts'

const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '')

const textOf = (page: string): string => readFileSync(page, 'utf8')

/** Files and folders of this repository that a page links to. */
const linksOf = (page: string): readonly string[] =>
  [...textOf(page).matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) =>
    normalize(join(dirname(page), target as string)),
  )

/** Headings as GitHub turns them into anchors. */
const anchorsOf = (page: string): readonly string[] =>
  [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

/** What a page tells readers to type: the lines of shell blocks, and text in backticks. */
const typedIn = (page: string): readonly string[] => {
  const text = textOf(page)
  const blocks = [...text.matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```/gm)].flatMap(([, block]) =>
    (block as string).split('\n').map((line) => line.replace(/ # .*/, '')),
  )
  const spans = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, span]) => span as string,
  )
  return [...blocks, ...spans]
}

/** Unknown commands and options in a line that starts with `warrant`. */
const unknownWordsIn = (line: string): readonly string[] => {
  const all = commands()
  return [...line.matchAll(/(?:^|&& |\| )warrant ([a-z][a-z-]*)([^|&>]*)/g)].flatMap(([, name, rest]) => {
    const command = all.find((one) => one.name === name)
    if (command === undefined) return [`there is no command ${name}`]
    const known = allOptions(command).map(({ flag }) => flag)
    return [...(rest as string).matchAll(/(?:^| )--([a-z][a-z-]*)/g)]
      .map(([, flag]) => flag as string)
      .filter((flag) => !known.includes(flag))
      .map((flag) => `${name} has no --${flag}`)
  })
}

describe('the package', () => {
  it('holds every file that the README links to', () => {
    const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: readonly string[] }
    const isPacked = (path: string) =>
      ['LICENSE', 'README.md', ...files].some((one) => path === one || path.startsWith(`${one}/`))
    expect(linksOf('README.md').filter((path) => !isPacked(path))).toEqual([])
  })
})

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
      linksOf(page)
        .filter((target) => !existsSync(target))
        .map((target) => `${page} → ${target}`),
    )
    expect(dead).toEqual([])
  })

  it('can all be found from the README', () => {
    const reached = new Set(['README.md'])
    // Iterating over a set includes the elements that are added meanwhile.
    for (const page of reached) {
      if (!page.endsWith('.md')) continue
      for (const target of linksOf(page)) reached.add(target)
    }
    const folders = [...reached].filter((target) => target.endsWith('/'))
    const lost = pages.filter((page) => !reached.has(page) && !folders.some((one) => page.startsWith(one)))
    expect(lost).toEqual([])
  })

  it('link only to headings that exist', () => {
    const dead = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
        .map(([, target, anchor]) => [
          normalize(join(dirname(page), target || page.replace(/.*\//, ''))),
          anchor,
        ])
        .filter(([target, anchor]) => !anchorsOf(target as string).includes(anchor as string))
        .map(([target, anchor]) => `${page} → ${target}#${anchor}`),
    )
    expect(dead).toEqual([])
  })

  it('tell readers to type only commands and options that exist', () => {
    const wrong = pages
      .filter((page) => page !== 'CHANGELOG.md')
      .flatMap((page) =>
        typedIn(page).flatMap((line) => unknownWordsIn(line).map((why) => `${page}: ${line}: ${why}`)),
      )
    expect(wrong).toEqual([])
    expect(unknownWordsIn('warrant gate --stag CI && warrant gat')).toHaveLength(2)
  })

  it('name only npm scripts that exist, and start with two of them', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
    const named = pages.flatMap((page) =>
      typedIn(page).flatMap((line) =>
        [...line.matchAll(/\bnpm (?:run ([a-z][a-z:]*)|(start|test)\b)/g)].map(
          ([, run, short]) => (run ?? short) as string,
        ),
      ),
    )
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
    expect(typedIn('README.md')).toEqual(
      expect.arrayContaining(['npm ci && npm start', 'npm ci && npm test']),
    )
  })

  it('name only files of the project that exist', () => {
    // ARCHITECTURE.md names files below src/.
    const below = [...textOf('ARCHITECTURE.md').matchAll(/`([a-z]+\/[\w./-]+\.ts)`/g)].map(([, path]) => path)
    expect(below.length).toBeGreaterThan(40)
    expect(below.filter((path) => !existsSync(`src/${path}`) && !existsSync(`${path}`))).toEqual([])
    const missing = pages.flatMap((page) =>
      [...textOf(page).matchAll(/`((?:src|test|scripts|examples|spec)\/[\w./-]+\.\w+)`/g)]
        .map(([, path]) => path as string)
        .filter((path) => !existsSync(path))
        .map((path) => `${page}: ${path}`),
    )
    expect(missing).toEqual([])
  })

  it('draw only files that exist', () => {
    const drawings = [...textOf('ARCHITECTURE.md').matchAll(/^```mermaid\n([\s\S]*?)^```/gm)]
    const lines = drawings.flatMap(([, drawing]) => (drawing as string).split('\n'))
    const drawn = lines.flatMap((line) => {
      let folder: string | undefined
      return [...line.matchAll(/[\w./-]+\.ts\b/g)].flatMap(([name]) => {
        // A name without a folder is in the folder that the line named last.
        if (name.includes('/')) folder = dirname(name)
        else if (folder === undefined) return []
        return [name.includes('/') ? `src/${name}` : `src/${folder}/${name}`]
      })
    })
    expect(drawn.length).toBeGreaterThan(20)
    expect(drawn.filter((path) => !existsSync(path))).toEqual([])
  })

  it('keep decisions within forty lines', () => {
    const long = pages
      .filter((path) => path.startsWith('docs/adr/'))
      .filter((path) => readFileSync(path, 'utf8').split('\n').length > 41)
    expect(long).toEqual([])
  })
})
