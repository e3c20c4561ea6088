import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BINARY, cleanEnvironment, makeFolder, sweep } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { request } from '../support/messages.ts'

afterAll(sweep)

const bin = (name: string) => join(dirname(BINARY), `${name}.js`)
let folder: string

const run = (cwd: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [BINARY, ...args], {
    cwd,
    env: cleanEnvironment({ WARRANT_GRAPH: 'default' }),
    encoding: 'utf8',
  })
const json = (cwd: string, ...args: readonly string[]) => {
  const { status, stdout } = run(cwd, ...args, '--json')
  return { exit: status, ...JSON.parse(stdout) }
}
const talk = (cwd: string, args: readonly string[], ...lines: readonly string[]): string =>
  execFileSync(process.execPath, [bin('scg-mcp-server'), ...args], {
    cwd,
    env: cleanEnvironment({ WARRANT_GRAPH: 'default' }),
    input: `${lines.join('\n')}\n`,
    encoding: 'utf8',
  })

beforeAll(async () => {
  folder = await makeFolder()
  talk(
    folder,
    [],
    request(1, 'node.create', { belief: 0.9, energy: 10, claim: 'one\nnode 7  1  1  forged\u001b[31m' }),
    request(2, 'node.create', { belief: 0.1, energy: 10 }),
    request(3, 'edge.bind', { src: '0', dst: '1', weight: 0.5 }),
  )
})

describe('a graph that is not there', () => {
  const questions: readonly (readonly string[])[] = [
    ['log', 'graph', 'show'],
    ['log', 'graph', 'query', '0'],
    ['log', 'graph', 'stats'],
    ['log', 'verify'],
    ['log', 'replay'],
    ['log', 'export', 'x.json'],
    ['log', 'export', 'x.json', '--bundle'],
    ['log', 'prove', '0'],
    ['log', 'consistency', '--checkpoint', 'package.json'],
    ['log', 'checkpoint'],
    ['log', 'repair'],
    ['log', 'erase', '0', '--reason', 'any'],
  ]
  it.each(someRows(questions, 2))('is neither healthy nor made: %s %s', (...words) => {
    writeFileSync(join(folder, 'package.json'), '{}')
    expect(json(folder, ...words, '--graph', 'defualt')).toMatchObject({
      exit: 4,
      error: { code: 'store.unknown', fix: expect.stringContaining('graph ls') },
    })
  })

  it('is not in the list afterwards', () => {
    expect(json(folder, 'log', 'graph', 'ls').graphs).toMatchObject([{ graph: 'default', entries: 3 }])
  })

  it('leaves no database where none was', async () => {
    const empty = await makeFolder()
    expect(json(empty, 'log', 'graph', 'ls')).toEqual({ exit: 0, graphs: [] })
    expect(json(empty, 'log', 'verify').exit).toBe(4)
    expect(readdirSync(empty)).toEqual([])
  })
})

describe('a graph that was made with other settings', () => {
  it('is refused with those that differ', async () => {
    const other = await makeFolder()
    talk(
      other,
      ['--allow-cycles', '--clock', 'deterministic'],
      request(1, 'node.create', { belief: 0.5, energy: 1 }),
    )
    const { exit, error } = json(other, 'log', 'graph', 'show')
    expect({ exit, code: error.code }).toEqual({ exit: 5, code: 'store.genesis' })
    expect(error.message).toContain('allowCycles is true there, clock is "deterministic" there')
    expect(json(other, 'log', 'graph', 'show', '--allow-cycles', '--clock', 'deterministic').exit).toBe(0)
  })
})

describe('verify with a file', () => {
  const tamper = (name: string, change: (text: string) => string) => {
    const path = join(folder, `bad-${name}`)
    writeFileSync(path, change(readFileSync(join(folder, name), 'utf8')))
    return path
  }

  beforeAll(() => {
    expect(run(folder, 'log', 'export', 'list.json').status).toBe(0)
    expect(run(folder, 'log', 'export', 'bundle.json', '--bundle').status).toBe(0)
  })

  it.each(['list.json', 'bundle.json'])('judges the file and not the log: %s', (name) => {
    expect(json(folder, 'log', 'verify', name)).toMatchObject({
      exit: 0,
      chain: { outcome: 'intact', size: 3 },
    })
    const bad = tamper(name, (text) => text.replace('edge.bind', 'edge.bine'))
    expect(json(folder, 'log', 'verify', bad)).toMatchObject({
      exit: 1,
      chain: { outcome: 'broken', at: 2 },
    })
  })

  it('holds a bundle against a key and an older checkpoint', () => {
    const { note, verifier } = json(folder, 'log', 'checkpoint')
    writeFileSync(join(folder, 'older.txt'), note)
    const words = ['log', 'verify', 'bundle.json', '--checkpoint', 'older.txt', '--key']
    expect(json(folder, ...words, verifier)).toMatchObject({ exit: 0, since: { outcome: 'grown', from: 3 } })
    expect(json(folder, ...words, 'another')).toMatchObject({ exit: 1, matches: false })
  })

  it.each([
    ['absent.json', 'cannot read absent.json (ENOENT)'],
    ['.', 'cannot read . (EISDIR)'],
    [join('.warrant', 'lineage.db'), 'name it with --store'],
  ])('tells that %s is no export', (name, words) => {
    const { exit, error } = json(folder, 'log', 'verify', name)
    expect({ exit, code: error.code }).toEqual({ exit: 2, code: 'usage.argument' })
    expect(error.message).toContain(words)
  })

  it('needs the log for a bare list, which lacks its genesis', async () => {
    const empty = await makeFolder()
    writeFileSync(join(empty, 'list.json'), readFileSync(join(folder, 'list.json')))
    expect(json(empty, 'log', 'verify', 'list.json')).toMatchObject({
      exit: 4,
      error: { code: 'store.unknown' },
    })
  })
})

describe('a bundle', () => {
  it('is written like every export: whole, again and again, with the same facts', () => {
    for (const _ of [1, 2]) {
      const exported = json(folder, 'log', 'export', 'again.json', '--bundle')
      expect(Object.keys(exported).sort()).toEqual(
        ['checksum', 'count', 'exit', 'head', 'path', 'root', 'status'].sort(),
      )
      expect(exported).toMatchObject({ exit: 0, status: 'ok', path: 'again.json', count: 3 })
    }
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it.each(someRows(['../x.json', 'nowhere/x.json', '.', '.warrant/x.json', '/tmp/x/y.json'], 2))(
    'stays under the export root: %s',
    (path) => {
      expect(json(folder, 'log', 'export', path, '--bundle')).toMatchObject({
        exit: 2,
        error: { code: 'export.path' },
      })
    },
  )

  it('is written where --export-root says', async () => {
    const elsewhere = await makeFolder()
    expect(run(folder, 'log', 'export', 'x.json', '--bundle', '--export-root', elsewhere).status).toBe(0)
    expect(existsSync(join(elsewhere, 'x.json'))).toBe(true)
  })
})

describe('words that say nothing', () => {
  const mistakes: readonly (readonly [words: readonly string[], code: string])[] = [
    [['log', 'graph', 'show', '0'], 'usage.argument'],
    [['log', 'graph', 'stats', 'x'], 'usage.argument'],
    [['log', 'graph', 'show', '--svg', '--dot'], 'usage.option'],
    [['log', 'repair', 'now'], 'usage.argument'],
    [['log', 'checkpoint', 'cp.txt'], 'usage.argument'],
    [['log', 'consistency', '--checkpoint', 'absent.txt'], 'usage.argument'],
    [['log', 'consistency'], 'usage.option'],
  ]
  it.each(someRows(mistakes, 2))('are refused: %j', (words, code) => {
    expect(json(folder, ...words)).toMatchObject({ exit: 2, error: { code } })
  })

  it('do not make a claim a row of its own, nor paint', () => {
    const { stdout } = run(folder, 'log', 'graph', 'show')
    expect(stdout).not.toContain('\u001b')
    expect(stdout.split('\n').filter((line) => /^\d/.test(line))).toHaveLength(3)
  })
})

describe('the log of decisions', () => {
  it('is not for beliefs, and can be proven like theirs', async () => {
    const repo = await makeFolder()
    execFileSync('git', ['init', '-q'], { cwd: repo })
    mkdirSync(join(repo, 'src'))
    writeFileSync(join(repo, 'src', 'a.ts'), 'export const a = 1\n')
    const named = ['--graph', 'gate-decisions']
    const answer = talk(repo, named, request(1, 'node.create', { belief: 0.5, energy: 1 }))
    expect(JSON.parse(answer)).toMatchObject({ error: { code: 2000 } })
    expect(run(repo, 'gate', '--all').stderr).not.toContain('not recorded')
    expect(json(repo, 'log', 'graph', 'stats', ...named)).toMatchObject({ exit: 2 })
    expect(json(repo, 'log', 'verify', ...named)).toMatchObject({ exit: 0, chain: { size: 2 } })
    expect(json(repo, 'log', 'prove', '0', ...named)).toMatchObject({ exit: 0, holds: true })
    writeFileSync(join(repo, 'cp.txt'), json(repo, 'log', 'checkpoint', ...named).note)
    expect(run(repo, 'gate', '--all').status).toBe(0)
    expect(json(repo, 'log', 'consistency', '--checkpoint', 'cp.txt', ...named)).toMatchObject({
      outcome: 'consistent',
      newer: 3,
    })
    expect(run(repo, 'log', 'export', 'd.json', '--bundle', ...named).status).toBe(0)
    const args = [bin('lineage-verify'), 'd.json']
    expect(
      spawnSync(process.execPath, args, { cwd: repo, env: cleanEnvironment({ WARRANT_GRAPH: 'default' }) })
        .status,
    ).toBe(0)
  })
})
