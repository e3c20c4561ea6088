import { execFile } from 'node:child_process'
import { appendFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeWith } from '../services.ts'
import { BINARY, cleanEnvironment, makeFolder, sweep } from '../support/binary.ts'
import { EmbeddingServer } from '../support/embedding-server.ts'
import { type Env, makeSource, packetJson, packetText } from '../support/packet-program.ts'
import { RegistryProxy } from '../support/registry-proxy.ts'

const server = new EmbeddingServer()
beforeAll(() => server.start())
afterAll(() => Promise.all([server.stop(), sweep()]))

/** Runs a command as on a terminal, and gives all it wrote there, the end of a line cleared as `<K>`. */
const onTerminal = async (args: readonly string[], env: Env): Promise<string> => {
  const words = [process.execPath, BINARY, 'packet', ...args].map((word) => `'${word}'`).join(' ')
  const { stdout } = await promisify(execFile)('script', ['-qec', words, '/dev/null'], {
    env: cleanEnvironment(env),
    cwd: await makeFolder(),
  })
  return stdout.replaceAll('\u001b[K', '<K>')
}

/** A folder of so many files, each of them a chunk. */
const makeMany = async (count: number) => {
  const made = await makeSource()
  for (let i = 0; i < count; i++) await writeFile(join(made.source, `${i}.md`), `# Part ${i}\n\nWord ${i}.\n`)
  return made
}

describe('a packet that was built', () => {
  it('is verified against its lock and its sources, and every change is named', async () => {
    const { folder, source, embed } = await makeSource()
    await packetJson(embed)
    expect(await packetJson(['verify', folder, source])).toMatchObject({
      code: 0,
      answer: { ok: true, problems: [] },
    })
    await appendFile(join(folder, 'vectors.f16.bin'), 'x')
    expect(await packetJson(['verify', folder])).toMatchObject({
      code: 1,
      answer: {
        ok: false,
        problems: ['vectors.f16.bin: differs from the lock', 'vectors.f16.bin: differs from manifest.json'],
      },
    })
    await rm(join(folder, 'vectors.f16.bin'))
    expect((await packetText(['verify', folder])).stdout).toContain('vectors.f16.bin: is missing')
    await packetJson(embed)
    await writeFile(join(source, 'new.md'), '# New\n\nOil.\n')
    expect(await packetJson(['verify', folder])).toMatchObject({ code: 0 })
    expect((await packetJson(['verify', folder, source])).answer).toMatchObject({
      problems: ['the sources differ from those that the packet was built from'],
    })
  })

  it('says what each file became: a summary, and the whole list when asked', async () => {
    const { source, folder, build } = await makeSource('# One\n\nText.\n')
    await writeFile(join(source, 'notes.txt'), 'plain words\n')
    await writeFile(join(source, 'empty.md'), '\n\n')
    await writeFile(join(source, 'image.md'), Buffer.from([0x89, 0, 1, 2, 0xff, 0]))
    const { stdout, stderr } = await packetText(build)
    expect(stdout.split('\n').slice(1)).toEqual([
      '1 file split by sections or declarations, 1 file split by lines, 2 left out',
      '',
    ])
    expect(stderr).toContain('left out: image.md')
    expect((await packetText([...build, '--verbose'])).stdout.split('\n')).toEqual([
      'empty.md  left out: has no text',
      'guide.md  1 chunk by sections or declarations',
      expect.stringMatching(/^image\.md {2}left out: /),
      'notes.txt  1 chunk by lines',
      expect.stringContaining(`${folder}: 2 chunks of 2 files`),
      expect.stringContaining('2 left out'),
      '',
    ])
    expect((await packetJson(build)).answer).toMatchObject({
      sources: [
        { path: 'guide.md', chunks: 1, split: 'structure' },
        { path: 'notes.txt', chunks: 1, split: 'lines' },
      ],
      left_out: [
        { path: 'empty.md', why: 'has no text' },
        { path: 'image.md', why: 'is not text' },
      ],
    })
  })

  it('is no part of the next one, though it lies among the sources', async () => {
    const { source } = await makeSource()
    const build = ['build', '.', '--embedder', 'words', '--name', 'guide', '--out', 'packets', '--version']
    for (const version of ['1.0.0', '1.0.0', '2.0.0'])
      expect(await packetJson([...build, version], {}, source)).toMatchObject({
        code: 0,
        answer: { files: 1, left_out: [] },
      })
  })

  it('is not sent when its files are not those it was built with, nor under what is no tag', async () => {
    const { folder, embed } = await makeSource()
    await packetJson(embed)
    expect(
      (await packetText(['publish', folder, '--registry', '127.0.0.1:1/x', '--tag', 'stable,no tag'])).stderr,
    ).toMatch(/^warrant: "no tag" cannot be a tag\. Use at most/)
    await appendFile(join(folder, 'vectors.f16.bin'), 'x')
    const { code, stderr } = await packetText(['publish', folder, '--registry', '127.0.0.1:1/x'])
    expect(code).toBe(7)
    expect(stderr).toBe(
      'warrant: vectors.f16.bin differs from its checksum in manifest.json. Build the packet again.\n',
    )
  })

  it('without a lock, or with one that is none, is not taken for verified', async () => {
    const { folder, build } = await makeSource()
    await packetJson(build)
    await writeFile(join(folder, 'packet.lock.json'), '{}')
    expect(await packetJson(['verify', folder])).toMatchObject({
      code: 7,
      answer: { error: { code: 'packet.lock' } },
    })
    await rm(join(folder, 'packet.lock.json'))
    expect((await packetJson(['verify', folder])).code).toBe(5)
    expect((await packetJson(['verify', '/nonexistent'])).code).toBe(5)
  })

  it('keeps to a lock that lies with its sources, also where nothing was built before', async () => {
    const { home, source, folder, build } = await makeSource()
    const lock = ['--lockfile', join(home, 'guide.lock.json')]
    expect((await packetJson([...build, ...lock, '--frozen-lockfile'])).code).toBe(5)
    expect((await packetJson([...build, ...lock])).code).toBe(0)
    await rm(folder, { recursive: true })
    expect((await packetJson([...build, ...lock, '--frozen-lockfile'])).code).toBe(0)
    expect((await packetJson(['verify', folder, source, ...lock])).code).toBe(0)
    await rm(folder, { recursive: true })
    await writeFile(join(source, 'guide.md'), '# Wicks\n\nDo not trim.\n')
    expect(await packetJson([...build, ...lock])).toMatchObject({
      code: 5,
      answer: { error: { code: 'packet.lock_drift' } },
    })
    expect((await packetJson([...build, ...lock, '--update-lock'])).code).toBe(0)
    expect(await readFile(join(home, 'guide.lock.json'), 'utf8')).toBe(
      await readFile(join(folder, 'packet.lock.json'), 'utf8'),
    )
  })

  it('is there after a build died between two steps, the old one or the new one', async () => {
    const { folder, source, build } = await makeSource()
    await packetJson(build)
    // What is left when a build dies with the old packet set aside and the new one not yet in its place.
    const aside = join(folder, '../.1.0.0.previous')
    await rename(folder, aside)
    expect(await packetJson(['inspect', folder])).toMatchObject({
      code: 0,
      answer: { packet: { name: 'guide' } },
    })
    expect(await packetJson(['verify', folder, source])).toMatchObject({ code: 0 })
    await writeFile(join(source, 'guide.md'), '# Wicks\n\nDo not trim.\n')
    // The lock of the packet that was set aside still binds.
    expect((await packetJson(build)).code).toBe(5)
    expect((await packetJson(['verify', folder])).code).toBe(0)
    expect(await readdir(join(folder, '..'))).toEqual(['1.0.0'])
    await cp(folder, aside, { recursive: true })
    expect((await packetJson([...build, '--update-lock'])).code).toBe(0)
    expect(await readdir(join(folder, '..'))).toEqual(['1.0.0'])
    expect(await readFile(join(folder, 'docs.jsonl'), 'utf8')).toContain('Do not trim')
  })

  it('has its labels, and chunks of the given size', async () => {
    const { folder, build } = await makeSource(Array.from({ length: 50 }, (_, i) => `line ${i}`).join('\n'))
    const labels = ['--os', 'linux, darwin', '--arch', 'amd64', '--min-version', '1.2', '--kind', 'guide']
    await packetJson([...build, ...labels, '--lines-per-chunk', '20', '--overlap-lines', '5'])
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))
    expect(manifest.cpm.compat).toEqual({
      os: ['linux', 'darwin'],
      arch: ['amd64'],
      cpm_min_version: '1.2',
    })
    const docs = (await readFile(join(folder, 'docs.jsonl'), 'utf8')).trim().split('\n')
    const lines = docs.map((line) => JSON.parse(line).metadata)
    expect(lines).toMatchObject([
      { line_start: 1, line_end: 20 },
      { line_start: 16, line_end: 35 },
      { line_start: 31, line_end: 50 },
    ])
    expect((await packetJson([...build, '--lines-per-chunk', 'many'])).code).toBe(2)
  })

  it('by two at once is one of the two, whole', async () => {
    const { folder, source, build } = await makeSource()
    const other = await makeSource('# Wicks\n\nTrim them at dawn.\n')
    await packetJson(build)
    const again = build.map((word) => (word === source ? other.source : word))
    const all = await Promise.all(
      [build, again, build, again].map((words) => packetJson([...words, '--update-lock'])),
    )
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    expect((await packetJson(['verify', folder])).code).toBe(0)
    expect(await readdir(join(folder, '..'))).toEqual(['1.0.0'])
  })
})

describe('how far a build is', () => {
  const slow = () => ({ EMBEDDING_URL: server.url, EMBEDDING_MODEL: 'letters' })

  it('is drawn on a terminal, one line over the other, and gone at the end', async () => {
    const { folder, embed } = await makeMany(700)
    server.waitMs = 600
    const shown = await onTerminal(embed, slow())
    server.waitMs = 0
    expect(shown).toMatch(/\rembed \[#+\.+\] \d+%, \d+ of 701 windows, \d+\/s<K>(?:\r[^\r\n]*)*\r<K>/)
    expect(shown.replace(/^.*\r<K>/s, '').trim()).toBe(`${folder}: 701 chunks of 701 files, letters`)
  })

  it('is no part of what a program reads, and nothing of a short run', async () => {
    const { build, embed } = await makeMany(300)
    expect(await onTerminal([...build, '--quiet'], {})).not.toContain('<K>')
    expect((await packetText([...build, '--update-lock'])).stderr).toBe('')
    server.waitMs = 2000
    const { stderr } = await packetText([...embed, '--update-lock'], slow())
    expect(stderr).toMatch(/^embed: \d+%, \d+ of 301 windows, \d+\/s\n$/)
    server.waitMs = 0
  })
})

describeWith('registry', 'a version that is published', (host) => {
  it('takes no other content, unless its tag is moved', async () => {
    const env = { REGISTRY: `${host}/versions` }
    const { source, folder, build } = await makeSource()
    await packetJson(build)
    const publish = (...more: readonly string[]) => packetJson(['publish', folder, ...more], env)
    const first = await publish()
    expect(await publish()).toMatchObject({ code: 0, answer: { digest: first.answer.digest, sent: 0 } })
    await writeFile(join(source, 'guide.md'), '# Wicks\n\nDo not trim.\n')
    await packetJson([...build, '--update-lock'])
    const refused = await publish()
    expect(refused).toMatchObject({ code: 5, answer: { error: { code: 'packet.version_taken' } } })
    expect(JSON.stringify(refused.answer)).toContain(String(first.answer.digest))
    expect((await packetJson(['lookup', 'guide'], env)).answer).toMatchObject({
      selected: { pinned_uri: first.answer.pinned_uri },
    })
    const moved = await publish('--move-tag')
    expect(moved.code).toBe(0)
    expect(moved.answer.digest).not.toBe(first.answer.digest)
  })
})

describeWith('registry', 'a packet on its way', (host) => {
  it('is followed on a terminal in bytes, there and back', async () => {
    const { home, folder, embed } = await makeSource()
    const proxy = await new RegistryProxy(host).start()
    const env = { REGISTRY: `${proxy.address}/${basename(home).toLowerCase()}`, CPM_ROOT: join(home, 'cpm') }
    await packetJson(embed)
    proxy.waitMs = 200
    expect(await onTerminal(['publish', folder], env)).toMatch(
      /\rpublish \[#+\.*\] \d+%, [\d.]+ k?B of [\d.]+ kB, [\d.]+ k?B\/s<K>/,
    )
    proxy.waitMs = 250
    expect(await onTerminal(['pull', 'guide'], env)).toMatch(
      /\rpull \[#*\.*\] \d+%, [\d.]+ k?B of [\d.]+ kB, [\d.]+ k?B\/s<K>/,
    )
    await rm(join(home, 'cpm'), { recursive: true })
    expect(await onTerminal(['pull', 'guide', '--json'], env)).toMatch(/^\{"ok":true[^\r]*\}\r\n$/)
    await proxy.stop()
  })

  it('is found in the folder above it, unless there are two', async () => {
    const { home, build } = await makeSource()
    const env = { REGISTRY: `${host}/above`, CPM_ROOT: join(home, 'cpm') }
    await packetJson(build)
    expect(await packetJson(['publish', join(home, 'out')], env)).toMatchObject({
      code: 0,
      answer: { ref: `${host}/above/guide:1.0.0` },
    })
    await packetJson(build.map((word) => (word === '1.0.0' ? '1.1.0' : word)))
    const many = await packetJson(['publish', join(home, 'out')], env)
    expect(many).toMatchObject({
      code: 2,
      answer: { error: { message: expect.stringContaining('2 packets') } },
    })
    await mkdir(join(home, 'empty'))
    expect((await packetJson(['publish', join(home, 'empty')], env)).code).toBe(7)
  })

  it('is what its tags mean from then on, also where they were looked up a moment before', async () => {
    const { home, folder, source, build } = await makeSource()
    const env = { REGISTRY: `${host}/moved`, CPM_ROOT: join(home, 'cpm') }
    const find = async () => (await packetJson(['lookup', 'guide'], env)).answer
    await packetJson(build)
    expect((await packetText(['publish', folder], env)).stdout).toMatch(
      /^\S+\/guide:1\.0\.0\nsha256:\w{64} \(.*, tagged 1\.0\.0, latest\)\noci:/,
    )
    expect(await find()).toMatchObject({ selected: { version: '1.0.0' } })
    await writeFile(join(source, 'new.md'), '# New\n\nOil.\n')
    await packetJson(build.map((word) => (word === '1.0.0' ? '2.0.0' : word)))
    expect((await packetJson(['publish', join(home, 'out/guide/2.0.0')], env)).answer).toMatchObject({
      tags: ['2.0.0', 'latest'],
    })
    expect(await find()).toMatchObject({ count: 2, selected: { version: '2.0.0' } })
  })

  it('is found only by those it is for', async () => {
    const { home, folder, build } = await makeSource()
    const env = { REGISTRY: `${host}/picky`, CPM_ROOT: join(home, 'cpm') }
    await packetJson([...build, '--os', 'linux', '--capabilities', 'rag'])
    await packetJson(['publish', folder], env)
    const find = async (...more: string[]) => (await packetJson(['lookup', 'guide', ...more], env)).answer
    expect(await find('--os', 'linux', '--arch', 'any', '--entrypoint', 'query')).toMatchObject({
      ok: true,
      selected: { compat: { os: ['linux'], arch: [] } },
    })
    expect(await find('--os', 'plan9', '--entrypoint', 'x')).toEqual({
      ok: false,
      hint: expect.any(String),
      error: 'no_match',
      detail: 'No matches for filters: entrypoint=x, os=plan9',
    })
  })

  it('gets vectors of another model once, however many ask for them', async () => {
    const { home, folder, embed } = await makeMany(20)
    const letters = { EMBEDDING_URL: server.url, EMBEDDING_MODEL: 'letters' }
    const env = { REGISTRY: `${host}/once`, CPM_ROOT: join(home, 'cpm') }
    await packetJson(embed, { ...env, ...letters })
    await packetJson(['publish', folder], env)
    const other = await new EmbeddingServer(8).start()
    const sounds = { ...env, EMBEDDING_URL: other.url, EMBEDDING_MODEL: 'sounds' }
    other.waitMs = 50
    const all = await Promise.all(
      Array.from({ length: 6 }, () => packetJson(['pull', 'guide', '--rebuild'], sounds)),
    )
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0])
    // Each may ask for the first to learn how long they are, unless another has kept it; one of them for all.
    expect(new Set(other.texts).size).toBe(21)
    const [probe] = other.texts
    expect(other.texts.filter((text) => text !== probe)).toHaveLength(20)
    expect(other.texts.length).toBeLessThanOrEqual(6 + 21)
    await other.stop()
  })
})

it('needs no folder of its own to be asked about', async () => {
  const home = await makeFolder()
  expect(await packetText(['cache', 'ls'], { CPM_ROOT: join(home, 'none') })).toMatchObject({
    code: 0,
    stdout: '',
  })
})
