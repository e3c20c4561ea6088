import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createRepositoryFile } from '../../src/platform/files/output-file.ts'
import { removeFile } from '../../src/platform/files/remove-file.ts'
import { makeState } from '../../src/platform/files/state-folder.ts'
import { packetFolder } from '../../src/platform/packets/folder.ts'
import { readSources } from '../../src/platform/packets/source.ts'
import { makeFolder, Program, sweep } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { Repo } from '../support/repository.ts'

/** A repository may bring links under the very names we write. None of them is written or read through. */

afterAll(sweep)

const SECRET = 'OUTSIDE-THE-REPOSITORY'
const INIT = ['init', '--yes', '--clients', 'none']

interface Grounds {
  readonly root: string
  readonly outside: string
  /** Puts a link into the repository that leads out of it. */
  plant(name: string, target?: string): void
  /** What lies outside by now; it must stay `{ 'kept.txt': SECRET }`. */
  around(): Record<string, string>
}

const hostileRepository = async (files: Readonly<Record<string, string>> = {}): Promise<Grounds> => {
  const root = Repo.init().commit({ 'a.ts': 'export const a = 1\n', ...files }).folder
  const outside = await makeFolder()
  writeFileSync(join(outside, 'kept.txt'), SECRET)
  return {
    root,
    outside,
    plant: (name, target = '') => {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      symlinkSync(join(outside, target), join(root, name))
    },
    around: () =>
      Object.fromEntries(
        readdirSync(outside, { recursive: true, encoding: 'utf8' })
          .sort()
          .map((name) => [
            name,
            lstatSync(join(outside, name)).isFile() ? readFileSync(join(outside, name), 'utf8') : '',
          ]),
      ),
  }
}
const UNTOUCHED = { 'kept.txt': SECRET }

const run = (cwd: string, ...args: readonly string[]) => new Program(args, { cwd }).finish()

const call = (name: string, args: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })

/** Everything a command said, which must not hold a byte from outside. */
const said = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => stdout + stderr

describe('A link in the place of', () => {
  it.each([
    ['the database of decisions', '.warrant/lineage.db', 'new.db'],
    ['the journal of that database', '.warrant/lineage.db-wal', 'kept.txt'],
  ])('%s is not written through when the gate records its decision', async (_, name, target) => {
    const hostile = await hostileRepository()
    hostile.plant(name, target)
    const ending = await run(hostile.root, 'gate', '--all')
    expect(ending.stderr).toMatch(/not recorded: .* is a symlink/)
    expect(ending.code).toBe(8)
    expect(hostile.around()).toEqual(UNTOUCHED)
  })

  it('the state folder stops the belief tools and is named by doctor', async () => {
    const hostile = await hostileRepository()
    hostile.plant('.warrant')
    const program = new Program(['mcp', '--toolsets', 'beliefs'], { cwd: hostile.root })
    program.send(call('node_create', { belief: 0.5, energy: 1 }))
    const [answer] = await program.answers(1)
    expect(answer).toMatchObject({
      result: { isError: true, _meta: { 'warrant/fault': { kind: 'refused', code: 'place.link' } } },
    })
    expect(JSON.stringify(answer)).not.toContain(hostile.outside)
    await program.finish()
    expect(said(await run(hostile.root, 'doctor'))).toContain('.warrant is a symlink')
    expect(hostile.around()).toEqual(UNTOUCHED)
  })

  it('the key of the log is not taken for one', async () => {
    const hostile = await hostileRepository()
    expect((await run(hostile.root, 'gate', '--all')).code).toBe(0)
    hostile.plant('.warrant/lineage.key', 'kept.txt')
    const ending = await run(hostile.root, 'log', 'checkpoint', '--graph', 'gate-decisions')
    // It is signed with the key of this machine.
    expect(ending.code).toBe(0)
    expect(said(ending)).not.toContain(SECRET)
    expect(hostile.around()).toEqual(UNTOUCHED)
  })

  it('the evidence is replaced, and what it led to stays', async () => {
    const hostile = await hostileRepository()
    hostile.plant('.ai_evidence.json', 'kept.txt')
    expect((await run(hostile.root, 'gate', '--all')).code).toBe(0)
    expect(lstatSync(join(hostile.root, '.ai_evidence.json')).isFile()).toBe(true)
    expect(hostile.around()).toEqual(UNTOUCHED)
  })

  it('a report is replaced as well', async () => {
    const hostile = await hostileRepository()
    hostile.plant('out.sarif', 'kept.txt')
    expect((await run(hostile.root, 'gate', '--all', '--sarif', '--output', 'out.sarif')).code).toBe(0)
    expect(JSON.parse(readFileSync(join(hostile.root, 'out.sarif'), 'utf8'))).toHaveProperty('runs')
    expect(hostile.around()).toEqual(UNTOUCHED)
  })

  it('a folder keeps reports from being written into it', async () => {
    const hostile = await hostileRepository()
    hostile.plant('docs')
    expect(await run(hostile.root, 'report', '--out', 'docs/r.md')).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('cannot write the report to docs/r.md'),
    })
    expect(await run(hostile.root, 'gate', '--all', '--json', '--output', 'docs/g.json')).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('cannot write \\"docs/g.json\\": the repository has no such folder'),
    })
    expect(hostile.around()).toEqual(UNTOUCHED)
  })

  it.each(['.warrant', '.warrant/rules'])(
    'the rules of the repository brings in no rule and stops the gate: %s',
    async (name) => {
      const hostile = await hostileRepository()
      writeFileSync(join(hostile.outside, 'r.yml'), `${SECRET}: [`)
      hostile.plant(name)
      const ending = await run(hostile.root, 'gate', '--all')
      expect(said(ending)).not.toContain(SECRET)
      expect(ending.stderr).toContain(`${name} is a symbolic link`)
      expect(ending.code).toBe(2)
      expect(hostile.around()).toEqual({ ...UNTOUCHED, 'r.yml': `${SECRET}: [` })
    },
  )

  it('the folder of specifications is neither filled nor emptied', async () => {
    const hostile = await hostileRepository()
    hostile.plant('openspec')
    await expect(createRepositoryFile(hostile.root, 'openspec/specs/.gitkeep', '')).rejects.toThrow(
      /repository/,
    )
    expect(await removeFile(hostile.root, 'openspec/kept.txt')).toBe(false)
    expect(hostile.around()).toEqual(UNTOUCHED)
    expect(await createRepositoryFile(hostile.root, 'specs/deep/x', 'y')).toBe(true)
    expect(await createRepositoryFile(hostile.root, 'specs/deep/x', 'z')).toBe(false)
    expect(await removeFile(hostile.root, 'specs/deep/x')).toBe(true)
    expect(existsSync(join(hostile.root, 'specs'))).toBe(false)
  })
})

describe('Settings that came with a repository', () => {
  const keys = ['root', 'stateDir', 'packetRoot', 'exportRoot', 'store']
  it.each(keys.map((key, row) => [key, row] as const))('do not lead out of it: %s', async (key, row) => {
    const hostile = await hostileRepository()
    // Every value for every key: the long run.
    for (const value of someRows(['/', '..', '../elsewhere', hostile.outside], 4, row % 4)) {
      writeFileSync(join(hostile.root, 'warrant.json'), JSON.stringify({ [key]: value }))
      expect(await run(hostile.root, 'config')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('leads out of the current folder'),
      })
    }
    // Named, it is the operator's word.
    expect((await run(hostile.root, 'config', '--config', 'warrant.json')).code).toBe(0)
  })

  const PLACES: readonly (readonly [key: string, afar: unknown, near: unknown])[] = [
    ['embeddingUrl', 'https://embeddings.example/v1', 'http://127.0.0.1:9'],
    ['store', 'postgres://somebody@db.example/beliefs', 'memory'],
    ['host', '0.0.0.0', '127.0.0.2'],
    ['allowedHosts', ['other.example'], []],
    ['allowedOrigins', ['other.example'], []],
    ['registries', ['10.0.0.1:5000'], []],
    ['issuer', 'https://issuer.example', undefined],
    ['token', 'a-token-that-somebody-else-chose', undefined],
  ]
  it.each(someRows(PLACES, 2))('open no way to other machines, nor from them: %s', async (key, afar) => {
    const hostile = await hostileRepository()
    writeFileSync(join(hostile.root, 'warrant.json'), JSON.stringify({ [key]: afar }))
    expect(await run(hostile.root, 'config')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(new RegExp(`${key} in warrant.json: lets data out.*--config`)),
    })
  })

  it('may open them where the operator names the file, and may always name what is near', async () => {
    const hostile = await hostileRepository()
    const file = join(hostile.root, 'warrant.json')
    writeFileSync(file, JSON.stringify(Object.fromEntries(PLACES.map(([key, afar]) => [key, afar]))))
    expect((await run(hostile.root, 'config', '--config', 'warrant.json')).code).toBe(0)
    writeFileSync(file, JSON.stringify(Object.fromEntries(PLACES.map(([key, , near]) => [key, near]))))
    expect((await run(hostile.root, 'config')).code).toBe(0)
  })

  it.each([['registry', (host: string) => `${host}/docs`, ['guide', '--version', '1.0.0']]])(
    'ask nobody near us by a %s they name',
    async (key, value, question) => {
      const hostile = await hostileRepository()
      const asked: string[] = []
      const near = createServer((request, response) => {
        asked.push(request.url ?? '')
        response.writeHead(404).end()
      })
      await once(near.listen(0, '127.0.0.1'), 'listening')
      const { port } = near.address() as AddressInfo
      writeFileSync(join(hostile.root, 'warrant.json'), JSON.stringify({ [key]: value(`127.0.0.1:${port}`) }))
      const lookup = ['packet', 'lookup', ...question]
      const found = await run(hostile.root, ...lookup)
      expect(asked).toEqual([])
      expect(said(found)).toContain(`warrant.json: ${key} is ignored`)
      await run(hostile.root, ...lookup, '--config', 'warrant.json')
      expect(asked).not.toEqual([])
      near.close()
    },
  )

  it('do not lead out of it by a link, and are no link or pipe themselves', async () => {
    const hostile = await hostileRepository()
    hostile.plant('way')
    writeFileSync(join(hostile.root, 'warrant.json'), '{"root": "way"}')
    expect((await run(hostile.root, 'config')).code).toBe(2)
    unlinkSync(join(hostile.root, 'warrant.json'))
    writeFileSync(join(hostile.outside, 'settings.json'), `{"${SECRET}": 1}`)
    hostile.plant('warrant.json', 'settings.json')
    const linked = await run(hostile.root, 'config')
    expect(linked.code).toBe(2)
    expect(said(linked)).not.toContain(SECRET)
    unlinkSync(join(hostile.root, 'warrant.json'))
    execFileSync('mkfifo', [join(hostile.root, 'warrant.json')])
    expect((await run(hostile.root, 'config')).code).toBe(2)
  })
})

describe('A packet', () => {
  it('is built without what a swapped folder leads to', async () => {
    const hostile = await hostileRepository({ 'docs/a.md': '# inside' })
    writeFileSync(join(hostile.outside, 'b.md'), SECRET)
    hostile.plant('linked')
    hostile.plant('linked.md', 'b.md')
    const files = await readSources(hostile.root)
    expect(files.map(({ path }) => path)).toEqual(['a.ts', 'docs/a.md'])
  })

  it('is published without what a link in its folder leads to', async () => {
    const hostile = await hostileRepository({ 'packet/manifest.json': '{}' })
    hostile.plant('packet/docs.jsonl', 'kept.txt')
    hostile.plant('packet/sparse')
    writeFileSync(join(hostile.outside, 'bm25.json'), SECRET)
    const open = packetFolder(join(hostile.root, 'packet'))
    expect(await open('docs.jsonl')).toBeUndefined()
    expect(await open('sparse/bm25.json')).toBeUndefined()
    expect((await open('manifest.json'))?.size).toBe(2)
  })

  it('is not asked for in a store whose folders are links, nor in a new folder behind one', async () => {
    const hostile = await hostileRepository()
    hostile.plant('store/cas')
    hostile.plant('way')
    const ref = `oci://127.0.0.1:1/x@sha256:${'0'.repeat(64)}`
    const program = new Program([], { cwd: hostile.root, binary: 'cpm-mcp' })
    for (const cpm_root of ['store', 'way', 'way/new']) {
      const words = cpm_root === 'store' ? 'is a symlink' : 'folder of the project'
      program.send(call('query', { ref, q: 'x', cpm_root }))
      expect(JSON.stringify((await program.answers(program.lines.length + 1)).at(-1))).toContain(words)
    }
    await program.finish()
    expect(hostile.around()).toEqual(UNTOUCHED)
  })
})

describe('Git, as far as the repository can shape it', () => {
  it('names no folder for our lock that is not one of git', async () => {
    const folder = await makeFolder()
    const outside = await makeFolder()
    writeFileSync(join(folder, '.git'), `gitdir: ${outside}\n`)
    const { fileEvidence } = await import('../../src/platform/files/evidence-file.ts')
    const { systemClock } = await import('../../src/platform/system/clock.ts')
    const seen: string[] = []
    await fileEvidence(folder, systemClock)
      .replace(() => {
        seen.push(...readdirSync(outside))
        throw new Error('enough')
      })
      .catch(() => {})
    expect(seen).toEqual([])
    expect(readdirSync(outside)).toEqual([])
  })

  it('does not keep us waiting for a hook that is a pipe or has no end', async () => {
    const hostile = await hostileRepository()
    execFileSync('git', ['config', 'core.hooksPath', '.githooks'], { cwd: hostile.root })
    mkdirSync(join(hostile.root, '.githooks'))
    execFileSync('mkfifo', [join(hostile.root, '.githooks/pre-commit')])
    symlinkSync('/dev/zero', join(hostile.root, '.githooks/pre-push'))
    const ending = await run(hostile.root, 'doctor', '--port', '0', '--json')
    expect(ending.code).toBe(0)
    expect(ending.stdout).toContain('unmanaged')
    expect(await run(hostile.root, ...INIT)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Not changed: .githooks/pre-commit, because it is not a regular file'),
    })
  })

  it('takes a hook that leads nowhere, and a socket, for a hook of somebody else', async () => {
    const hostile = await hostileRepository()
    const hooks = join(hostile.root, '.git/hooks')
    hostile.plant('.git/hooks/pre-commit', 'nowhere')
    const socket = createServer().listen(join(hooks, 'pre-push'))
    await once(socket, 'listening')
    const ending = await run(hostile.root, 'doctor', '--port', '0', '--json')
    expect(ending).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/pre-commit","state":"unmanaged".*pre-push","state":"unmanaged"/),
    })
    expect((await run(hostile.root, 'gate')).code).toBe(0)
    expect(await run(hostile.root, ...INIT)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Not changed: .git/hooks/pre-commit'),
    })
    expect(hostile.around()).toEqual(UNTOUCHED)
    socket.close()
  })

  it('does not wait for a key that is a pipe, and says what is wrong', async () => {
    const hostile = await hostileRepository()
    expect((await run(hostile.root, 'gate')).code).toBe(0)
    const env = { XDG_STATE_HOME: await makeFolder() }
    mkdirSync(join(env.XDG_STATE_HOME, 'warrant'), { mode: 0o700 })
    execFileSync('mkfifo', ['-m', '600', join(env.XDG_STATE_HOME, 'warrant', 'signing.key')])
    const words = ['log', 'checkpoint', '--graph', 'gate-decisions']
    const ending = await new Program(words, { cwd: hostile.root, env }).finish()
    expect(ending).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('signing.key is not a regular file'),
    })
  })

  it('says so where the state folder is a file', async () => {
    const hostile = await hostileRepository({ '.warrant': '' })
    await expect(makeState(join(hostile.root, '.warrant'))).rejects.toThrow('.warrant is not a folder')
  })

  it('leaves a list of excluded files alone that is no file', async () => {
    const hostile = await hostileRepository()
    unlinkSync(join(hostile.root, '.git/info/exclude'))
    hostile.plant('.git/info/exclude', 'nowhere')
    expect((await run(hostile.root, ...INIT)).code).toBe(0)
    expect(lstatSync(join(hostile.root, '.git/info/exclude')).isSymbolicLink()).toBe(true)
    expect(hostile.around()).toEqual(UNTOUCHED)
  })
})
