import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { describeWith } from '../services.ts'
import { BINARY, cleanEnvironment, makeFolder, sweep } from '../support/binary.ts'
import { initialize, request } from '../support/messages.ts'
import { answerOf as answers, call, converse, packetText } from '../support/packet-program.ts'

afterAll(sweep)

const DOCS = fileURLToPath(new URL('../../docs', import.meta.url))
const MODEL = 'all-MiniLM-L6-v2-q8-s128'
const warrant = packetText

/** A folder with some of our documents: each passage takes a part of a second to embed. */
const makeDocs = async (folder?: string): Promise<string> => {
  const docs = folder ?? (await makeFolder())
  for (const name of ['0005-dialects.md', '0006-lineage-format.md'])
    await cp(join(DOCS, 'adr', name), join(docs, 'adr', name))
  return docs
}

describe('a packet at the command line', () => {
  it('is built into a folder of its own, the same every time', async () => {
    const [out, docs] = [await makeFolder(), await makeDocs()]
    const args = ['build', docs, '--name', 'handbook', '--version', '1.0.0', '--out', out]
    const first = await warrant([...args, '--json'])
    expect(JSON.parse(first.stdout)).toMatchObject({ ok: true, model: MODEL })
    const folder = join(out, 'handbook/1.0.0')
    expect((await readdir(folder)).sort()).toEqual([
      'cpm.yml',
      'docs.jsonl',
      'faiss',
      'manifest.json',
      'packet.lock.json',
      'sparse',
      'vectors.f16.bin',
      'windows.bin',
    ])
    const read = async () =>
      Promise.all(
        ['manifest.json', 'packet.lock.json', 'docs.jsonl'].map((name) =>
          readFile(join(folder, name), 'utf8'),
        ),
      )
    const before = await read()
    await writeFile(join(folder, 'stranger'), '')
    await warrant(args)
    expect(await read()).toEqual(before)
    expect(await readdir(folder)).not.toContain('stranger')
    expect(before.join('')).not.toContain(docs)
    const told = JSON.parse((await warrant(['inspect', folder, '--json'])).stdout)
    expect(told).toMatchObject({ packet: { name: 'handbook' }, needs: expect.stringContaining('built-in') })
  })

  it.each([
    [['build', DOCS, '--version', '1'], 2, '--name'],
    [['build', '/nonexistent', '--name', 'x', '--version', '1'], 4, 'does not exist'],
    [['build', DOCS, '--name', 'Bad', '--version', '1', '--out', '/tmp/never'], 2, "packet's name"],
    [['publish', DOCS], 2, 'registry'],
    [['publish', DOCS, '--registry', 'https://r.io'], 7, 'manifest.json'],
    [['query', 'demo', 'x'], 1, ''],
    [['pull', 'demo'], 2, 'registry'],
    [['cache', 'burn'], 2, 'ls, verify, prune'],
    [['dance'], 2, 'there is no subcommand "dance"'],
  ])('%j ends with %i', async (args, code, words) => {
    const done = await warrant(args as string[])
    expect(done.stderr).toContain(words)
    expect(done.code).toBe(code)
  })
})

describeWith('registry', 'a handbook, from folder to answer', (host) => {
  it('takes five commands, and the server cites it offline', async () => {
    const home = await makeFolder()
    const env = { REGISTRY: `${host}/cli`, CPM_ROOT: join(home, 'cpm') }
    await warrant(['build', await makeDocs(), '--name', 'handbook', '--version', '2.0.0', '--out', home], env)
    const published = JSON.parse(
      (await warrant(['publish', join(home, 'handbook/2.0.0'), '--json'], env)).stdout,
    )
    expect((await warrant(['lookup', 'handbook'], env)).stdout).toBe(
      `handbook@2.0.0  ${published.pinned_uri}\n`,
    )
    expect((await warrant(['query', 'handbook', 'what is a dialect'], env)).stdout).toMatch(
      /dialects\.md:\d+-\d+/,
    )
    expect((await warrant(['digest', 'handbook', 'what is a dialect'], env)).stdout).toMatch(
      /^- .*\.md:\d+-\d+: /,
    )
    expect((await warrant(['query', 'handbook', ' '], env)).code).toBe(1)
    expect(JSON.parse((await warrant(['verify', '--json'], env)).stdout)).toMatchObject({ ok: true })

    await symlink('/etc', join(home, 'way-out'))
    // Nobody listens here: what follows works without a network or not at all.
    const offline = { ...env, REGISTRY: '127.0.0.1:1/cli' }
    const said = await converse(
      [
        initialize(),
        call(2, 'lookup', { ref: published.pinned_uri }),
        call(3, 'query', { ref: published.pinned_uri, q: 'what is a dialect', k: 2 }),
        call(4, 'evidence_digest', { ref: published.pinned_uri, question: 'dialect' }),
        call(5, 'plan_from_intent', { intent: 'lookup packet:handbook' }),
        call(6, 'query', { ref: published.pinned_uri, q: 'x', cpm_root: '/etc' }),
        call(9, 'query', { ref: published.pinned_uri, q: 'x', cpm_root: 'way-out' }),
        request(7, 'resources/read', { uri: `packet://${published.digest}/manifest.json` }),
        request(8, 'resources/read', { uri: `packet://${published.digest}/oci-manifest.json` }),
      ],
      offline,
      [],
      home,
    )
    expect(answers(said, 3)).toMatchObject({
      ok: true,
      cache: { hit: true },
      k: 2,
      results: [{ path: 'adr/0005-dialects.md', start: 1 }, {}],
    })
    expect(answers(said, 4)).toMatchObject({ ok: true, summary: expect.stringContaining('dialects.md') })
    expect(answers(said, 5)).toMatchObject({ ok: false, error: 'lookup_failed', retryable: true })
    for (const id of [6, 9])
      expect(answers(said, id)).toMatchObject({
        ok: false,
        error: 'invalid_query_input',
        detail: 'cpm_root must be a folder of the project',
      })
    expect(JSON.stringify(said.find((one) => one.id === 7))).toContain(MODEL)
    expect(said.find((one) => one.id === 8)).toHaveProperty('error')
    expect(JSON.parse((await warrant(['cache', 'prune', published.digest, '--json'], env)).stdout)).toEqual({
      ok: true,
      pruned: [published.digest],
    })
  })
})

describeWith('registry', 'the walk through packets in the guide', (host) => {
  it('works as it is written, in a folder that has only docs', async () => {
    const home = await makeFolder()
    const readme = await readFile(join(DOCS, 'packets.md'), 'utf8')
    const [, script = ''] = /## From a folder[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme) ?? []
    const commands = script.trim().split('\n')
    expect(commands.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
      'export REGISTRY=127.0.0.1:5000/team',
      'warrant packet build',
      'warrant packet publish',
      'warrant packet lookup',
      'warrant packet query',
      'warrant packet digest',
    ])
    await makeDocs(join(home, 'docs'))
    await mkdir(join(home, 'bin'))
    await symlink(BINARY, join(home, 'bin/warrant'))
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-ec', script.replace('127.0.0.1:5000/team', `${host}/walk`)],
      {
        cwd: home,
        env: cleanEnvironment({
          PATH: `${join(home, 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
        }),
      },
    )
    expect(stdout).toMatch(/^.*handbook\/1\.0\.0: \d+ chunks of \d+ files, all-MiniLM-L6-v2-q8-s128\n/)
    expect(stdout).toContain(`${host}/walk/handbook:1.0.0\nsha256:`)
    expect(stdout).toContain(`\nhandbook@1.0.0  oci://${host}/walk/handbook@sha256:`)
    expect(stdout).toMatch(/\nadr\/0005-dialects\.md:\d+-\d+ {2}\(\d/)
    expect(stdout).toMatch(/\n- \S+\.md:\d+-\d+: /)
  })
})

describeWith('registry', 'a cold packet', (host) => {
  it('asked by eight processes at once is fetched whole and indexed once', async () => {
    const home = await makeFolder()
    const env = { REGISTRY: `${host}/cold`, CPM_ROOT: join(home, 'cpm') }
    await warrant(['build', await makeDocs(), '--name', 'handbook', '--version', '1.0.0', '--out', home], env)
    await warrant(['publish', join(home, 'handbook/1.0.0')], env)
    const all = await Promise.all(
      Array.from({ length: 8 }, () => warrant(['query', 'handbook', 'lineage', '--json'], env)),
    )
    const results = all.map(({ code, stdout }) => JSON.stringify([code, JSON.parse(stdout).results]))
    expect(new Set(results).size).toBe(1)
    expect(JSON.parse(results[0] ?? '')[0]).toBe(0)
    const [digest = '', ...others] = await readdir(join(home, 'cpm/cas'))
    expect(others).toEqual([])
    const [print = ''] = await readdir(join(home, 'cpm/index', digest))
    expect((await readdir(join(home, 'cpm/index', digest, print))).sort()).toEqual([
      'index.faiss',
      'windows.faiss',
      'windows.i8',
      'words.bin',
    ])
  })
})

describe('the packet server', () => {
  it('takes no mode of embedding but one', async () => {
    const { code, stderr } = await warrant(['cache', 'ls'], { RAG_EMBED_MODE: 'legacy' })
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("must be 'http'") })
  })

  it('introduces itself, and takes arguments before variables', async () => {
    const said = await converse(
      [initialize(), request(2, 'tools/list'), call(3, 'lookup', { name: 'demo', version: '1' })],
      { REGISTRY: 'example.invalid' },
      ['--registry', '10.255.255.1:1/x'],
    )
    expect(said[0]?.result.serverInfo.name).toBe('context-packet-manager')
    expect(said.find((one) => one.id === 2)?.result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'lookup',
      'query',
      'plan_from_intent',
      'evidence_digest',
    ])
    expect(answers(said, 3)).toMatchObject({ ok: false, error: 'lookup_failed' })
  })
})
