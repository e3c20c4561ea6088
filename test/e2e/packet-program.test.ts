import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeFolder, Program, sweep } from '../support/binary.ts'
import { FaultRegistry } from '../support/fault-registry.ts'
import { sentenceNamed } from '../support/local-embedder.ts'
import { initialize, request } from '../support/messages.ts'
import type { MadePacket } from '../support/packet-maker.ts'
import { answerOf, call, converse, packetJson, packetText } from '../support/packet-program.ts'
import { buildTexts, publishToMemory } from '../support/packet-setup.ts'

/** How the packet commands and tools treat those who ask: what they take, refuse and say meanwhile. */

const registry = new FaultRegistry()
let packet: MadePacket
beforeAll(async () => {
  await registry.start()
  packet = await publishToMemory(
    await buildTexts({ 'guide.md': '# Wicks\n\nTrim the wick at dusk.\n' }, { embedder: sentenceNamed }),
  )
})
beforeEach(() =>
  registry.play(packet, ({ path }, response) =>
    path.endsWith('/tags/list') ? response.end('{"tags":[]}') : false,
  ),
)
afterAll(() => Promise.all([registry.stop(), sweep()]))

const NOWHERE = '127.0.0.1:1/x'

describe('the packet commands', () => {
  it.each([
    ['build', 'SRC', '--frozen-lockfile', '--max-chars'],
    ['digest', 'REF QUESTION', '--max-chars', '--frozen-lockfile'],
    ['serve', '', '--embedding-url', '--max-chars'],
  ])('tell of %s what it takes, and nothing of the others', async (verb, usage, own, foreign) => {
    const { code, stdout } = await packetText([verb, '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain(`Usage: warrant packet ${verb}${usage && ' '}${usage} [options]\n`)
    expect(stdout).toContain(`\n  ${own}`)
    expect(stdout).not.toContain(foreign)
  })

  it.each([
    [['query', 'demo', 'when', 'to', 'trim'], 'quote an argument that contains spaces'],
    [['build', 'src', 'more', '--name', 'a', '--version', '1'], 'packet build takes SRC, not 2 arguments'],
    [['build', 'src', '--name', 'a', '--version', '1', '--minimal'], 'packet build has no option --minimal'],
    [['publish', 'dist', '--version', '2'], 'packet publish has no option --version'],
    [['serve', 'here'], 'packet serve takes no arguments'],
    [['cache', 'ls', '--embedding-url', 'localhost:8876'], 'expected an http:// or https:// URL'],
    [['cache', 'prune', 'sha256:12'], 'a digest is sha256: and 64 digits'],
    [['cache', 'prune', 'demo'], 'demo is not a packet digest'],
    [['inspect', 'oci://r.example/demo:1'], 'names a tag'],
    [
      ['query', 'demo', 'wick', '--k', '-1'],
      'warrant: --k needs a value; write a value that begins with a dash as --k=-…. Run the command',
    ],
  ])('refuse words of no use: %j', async (args, words) => {
    const { code, stdout, stderr } = await packetText(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(words)
  })

  it.each([
    [['lookup', 'demo'], /^warrant: REGISTRY not set and no oci:\/\/ ref provided\. Name a packet/],
    [
      ['query', 'demo', 'x'],
      /^warrant: REGISTRY not set and query ref is not an oci:\/\/ URI\. Name a packet/,
    ],
    [
      ['query', 'registry.example/team/docs:1', 'x'],
      /^warrant: REGISTRY not set .*write the address with its scheme: oci:\/\/registry\.example\/team\/docs:1\./,
    ],
    [['plan', 'x'], /^warrant: provide name_hint .*\. Name the packet in name_hint/],
    [
      ['query', 'demo', ' ', '--registry', NOWHERE],
      /^warrant: q must not be blank\. Write a question in q\./,
    ],
    [
      ['pull', 'demo', '--registry', NOWHERE],
      /^warrant: 127\.0\.0\.1:1 cannot be reached.*ECONNREFUSED.*Check/,
    ],
    [['digest', 'demo', 'x', '--registry', NOWHERE], /^warrant: 127\.0\.0\.1:1 cannot be reached/],
    [['publish', '.', '--registry', NOWHERE], /^warrant: the folder has no manifest\.json\. Name the folder/],
    [['verify', '.'], /^warrant: \. has no lock to verify it against\. Name the folder/],
  ])('say what is wrong and what to do about it, where people look: %j', async (args, words) => {
    const { code, stdout, stderr } = await packetText(args)
    expect(code).not.toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toMatch(words)
  })

  it('name the variable that is wrong', async () => {
    for (const name of ['EMBEDDING_URL', 'RAG_EMBED_URL'])
      expect((await packetText(['cache', 'ls'], { [name]: 'localhost:8876' })).stderr).toBe(
        `warrant: ${name}: expected an http:// or https:// URL. Correct the address, or unset the variable.\n`,
      )
  })

  it('say that a file is no folder for packets, instead of complaining about what would be in it', async () => {
    const home = await makeFolder()
    await writeFile(join(home, 'cpm'), '')
    const env = { REGISTRY: registry.address, CPM_ROOT: 'cpm' }
    for (const args of [
      ['pull', 'demo'],
      ['query', 'demo', 'wick'],
    ])
      expect((await packetText(args, env, home)).stderr).toMatch(
        /^warrant: the packet folder is not a folder\. /,
      )
  })

  it('say that there is nothing rather than nothing', async () => {
    for (const args of [['verify'], ['cache', 'ls'], ['cache', 'prune']])
      expect(await packetText(args)).toEqual({
        code: 0,
        stdout: '',
        stderr: 'the packet store is empty\n',
      })
    const absent = `sha256:${'0'.repeat(64)}`
    expect((await packetText(['cache', 'prune', absent])).stdout).toBe(`${absent}  was not stored\n`)
  })

  it('find and ask what was fetched without a network, by the digest that the store lists', async () => {
    const home = await makeFolder()
    const env = { CPM_ROOT: join(home, 'cpm') }
    await packetJson(['pull', 'demo'], { ...env, REGISTRY: registry.address })
    const away = { ...env, REGISTRY: NOWHERE }
    expect((await packetText(['cache', 'ls'], away)).stdout).toMatch(
      new RegExp(`^${packet.digest}  demo@1\\.0\\.0  \\d+ files`),
    )
    const pinned = `demo@${packet.digest}`
    expect((await packetJson(['lookup', pinned], away)).answer).toMatchObject({
      ok: true,
      selected: { name: 'demo', version: '1.0.0', metadata_digest: expect.stringMatching(/^sha256:/) },
    })
    expect((await packetJson(['query', pinned, 'wick'], away)).answer).toMatchObject({ cache: { hit: true } })
    expect((await packetText(['query', 'demo', 'wick'], away)).stderr).toContain('NAME@sha256:')
  })

  it('believe a store that came from elsewhere only as far as it is that of its digests', async () => {
    const [first, second, third] = [await makeFolder(), await makeFolder(), await makeFolder()]
    await packetJson(['query', 'demo', 'wick'], { REGISTRY: registry.address }, first)
    for (const place of [second, third])
      await cp(join(first, '.cpm'), join(place, '.cpm'), { recursive: true })
    const file = join('.cpm/cas', packet.digest.replace(':', '_'), 'payload/docs.jsonl')
    const docs = await readFile(join(first, file), 'utf8')
    await writeFile(join(third, file), docs.replace('at dusk', 'at noon'))
    const ask = (place: string) =>
      packetJson(['query', `demo@${packet.digest}`, 'wick'], { REGISTRY: NOWHERE }, place)
    expect((await ask(second)).answer).toMatchObject({ ok: true, cache: { hit: true } })
    for (const _ of [1, 2])
      expect((await ask(third)).answer).toMatchObject({
        ok: false,
        error: 'packet_invalid',
        detail: expect.stringContaining('payload/docs.jsonl'),
        hint: expect.stringContaining('prune'),
        results: [],
      })
    // Also what was sealed and is changed afterwards.
    await writeFile(join(second, file), docs.replace('at dusk', 'at noon'))
    expect((await ask(second)).answer).toMatchObject({ ok: false, error: 'packet_invalid' })
    const said = await converse(
      [initialize(), request(2, 'resources/read', { uri: `packet://${packet.digest}/docs.jsonl` })],
      { REGISTRY: NOWHERE },
      [],
      third,
    )
    expect(JSON.stringify(said)).not.toContain('at noon')
  })

  it('ask what was fetched also where nothing can be written, and say so when it shall be let go', async () => {
    const home = await makeFolder()
    await packetJson(['pull', 'demo'], { REGISTRY: registry.address }, home)
    // Rights do not stop who runs as root; a file where a folder should be stops everybody.
    await writeFile(join(home, '.cpm/index'), '')
    const pinned = `demo@${packet.digest}`
    const away = { REGISTRY: NOWHERE }
    for (const mode of [[], ['--dense-only']])
      expect((await packetJson(['query', pinned, 'wick', ...mode], away, home)).answer).toMatchObject({
        ok: true,
        cache: { hit: true },
        results: [{ path: 'guide.md', start: 1, end: 3 }],
      })
    const { code, stderr } = await packetText(['cache', 'prune'], away, home)
    expect(code).toBe(8)
    expect(stderr).toMatch(/^warrant: the packet folder cannot be used \(\w+\)\. Check the permissions/)
  })

  it('show what can be cited: the passages, and the address that means them for ever', async () => {
    const env = { REGISTRY: registry.address }
    const pinned = `oci://${registry.address}/demo@${packet.digest}\n`
    expect((await packetText(['query', 'demo', 'wick'], env)).stdout).toMatch(
      new RegExp(`^guide\\.md:1-3 {2}\\(.*\\)\\n {2}# Wicks\\n {2}\\n {2}Trim .*\\n${pinned}$`),
    )
    expect((await packetText(['digest', 'demo', 'wick'], env)).stdout).toBe(
      `- guide.md:1-3: # Wicks Trim the wick at dusk.\n${pinned}`,
    )
    expect((await packetText(['query', 'demo', '🕯', '--lexical-only'], env)).stdout).toBe(
      `# no passage fits the question\n${pinned}`,
    )
  })

  it('let many packets go at once', async () => {
    const home = await makeFolder()
    const env = { REGISTRY: registry.address, CPM_ROOT: join(home, 'cpm') }
    await packetJson(['pull', 'demo'], env)
    const others = ['1', '2', '3'].map((digit) => `sha256:${digit.repeat(64)}`)
    const { answer } = await packetJson(['cache', 'prune', ...others, packet.digest], env)
    expect(answer).toEqual({ ok: true, pruned: [packet.digest] })
  })

  it('say how far a question is that fetches its packet first', async () => {
    let dripped = false
    registry.play(packet, ({ path, method }, response) => {
      const bytes = packet.blobs.get(path.split('/').at(-1) ?? '')
      if (method !== 'GET' || bytes === undefined || dripped || bytes.length < 1000) return false
      dripped = true
      response.writeHead(200, { 'content-length': bytes.length })
      const parts = [0, 1, 2, 3, 4].map((i) => bytes.subarray(i * 200, i === 4 ? undefined : (i + 1) * 200))
      parts.forEach((part, i) => {
        setTimeout(() => (i === 4 ? response.end(part) : response.write(part)), i * 900)
      })
      return true
    })
    const env = { REGISTRY: registry.address }
    const { code, stderr, stdout } = await packetText(['query', 'demo', 'wick'], env)
    expect(code).toBe(0)
    expect(stderr).toMatch(/^pull: \d+%, .* of .*\/s\n/)
    expect(stdout).toContain('guide.md:1-3')
  })
})

describe('the packet server', () => {
  const talk = async (lines: readonly string[], args: readonly string[] = [], cwd?: string) =>
    converse([initialize(), ...lines], { REGISTRY: registry.address }, args, cwd)

  it('takes null for what is left out, as the first clients write it', async () => {
    const nothing = { registry: null, cpm_root: null, k: null }
    const filters = { version: null, alias: null, entrypoint: null, kind: null, capability: null }
    const said = await talk([
      call(2, 'lookup', { name: 'demo', ref: null, os_name: null, arch: null, ...filters, ...nothing }),
      call(3, 'query', { ref: 'demo', q: 'wick', ...nothing }),
      call(4, 'plan_from_intent', {
        intent: 'packet:demo what',
        constraints: { kind: null, os: null, mode: 'query' },
        name_hint: null,
        version: null,
      }),
      call(5, 'plan_from_intent', { intent: 'packet:demo', constraints: null }),
      call(6, 'evidence_digest', { ref: 'demo', question: 'wick', max_chars: null, ...nothing }),
      call(7, 'query', { ref: 'demo', q: null }),
    ])
    expect(answerOf(said, 2)).toMatchObject({ ok: true, count: 1 })
    expect(answerOf(said, 3)).toMatchObject({ ok: true, k: 5 })
    expect(answerOf(said, 4)).toMatchObject({
      ok: true,
      intent_mode: 'query',
      constraints_applied: { mode: 'query' },
    })
    expect(answerOf(said, 5)).toMatchObject({ ok: true, constraints_applied: {} })
    expect(answerOf(said, 6)).toMatchObject({ ok: true, evidence: [{ path: 'guide.md' }] })
    // What must be there is not left out by saying null.
    expect(said.find(({ id }) => id === 7)?.result).toMatchObject({ isError: true })
  })

  it('answers in its own shape that a caller may not choose a folder of the machine', async () => {
    const place = { cpm_root: '/etc' }
    const refused = {
      ok: false,
      detail: 'cpm_root must be a folder of the project',
      hint: expect.any(String),
    }
    const said = await talk([
      call(2, 'lookup', { name: 'demo', ...place }),
      call(3, 'query', { ref: 'demo', q: 'x', ...place }),
      call(4, 'plan_from_intent', { intent: 'packet:demo', ...place }),
      call(5, 'evidence_digest', { ref: 'demo', question: 'x', ...place }),
    ])
    expect(answerOf(said, 2)).toMatchObject({ ...refused, error: 'invalid_lookup_input' })
    expect(answerOf(said, 3)).toMatchObject({ ...refused, error: 'invalid_query_input' })
    expect(answerOf(said, 4)).toMatchObject({ ...refused, error: 'invalid_lookup_input' })
    expect(answerOf(said, 5)).toMatchObject({ ...refused, error: 'invalid_query_input' })
  })

  it('tells a client that asks how far the fetching is', async () => {
    const params = { name: 'query', arguments: { ref: 'demo', q: 'wick' }, _meta: { progressToken: 'p' } }
    const said = await talk([request(2, 'tools/call', params)])
    const told = said.flatMap((one) => ('params' in one ? [one.params] : [])) as { progress: number }[]
    expect(told[0]).toMatchObject({
      progressToken: 'p',
      total: 100,
      message: expect.stringMatching(/^fetch: /),
    })
    const steps = told.map(({ progress }) => progress)
    expect(steps).toEqual([...steps].sort((a, b) => a - b))
    expect(steps.at(-1)).toBe(100)
  })

  it('answers in time while a packet takes longer, and the next question finds it further on', async () => {
    const drip = (bytes: Uint8Array, response: ServerResponse) => {
      response.writeHead(200, { 'content-length': bytes.length })
      const step = Math.ceil(bytes.length / 8)
      for (let i = 0; i < 8; i++)
        setTimeout(() => {
          response.write(bytes.subarray(i * step, (i + 1) * step))
          if (i === 7) response.end()
        }, i * 900)
      return true
    }
    const largest = [...packet.blobs].sort(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? ''
    registry.play(packet, ({ path }, response) =>
      path.endsWith(largest) ? drip(packet.blobs.get(largest) as Uint8Array, response) : false,
    )
    const server = new Program(['--limits-call-ms', '4000'], {
      binary: 'cpm-mcp',
      env: { REGISTRY: registry.address },
      cwd: await makeFolder(),
    })
    server.send(initialize())
    const ask = async (id: number) => {
      server.send(call(id, 'query', { ref: 'demo', q: 'wick' }))
      return (await server.answers(id)).find((one) => one.id === id)?.result.structuredContent
    }
    expect(await ask(2)).toMatchObject({
      ok: false,
      error: 'materialize_failed',
      detail: expect.stringMatching(/^the packet is being downloaded, \d+ of \d+ bytes so far$/),
      retryable: true,
      hint: expect.stringContaining('Ask again'),
    })
    let answer = await ask(3)
    for (let id = 4; !answer.ok && id < 12; id++) answer = await ask(id)
    expect(answer).toMatchObject({ ok: true, digest: packet.digest })
    expect(registry.calls.filter(({ path }) => path.endsWith(largest))).toHaveLength(1)
    await server.finish()
  })

  it('gives a document by the path it cites, every line where it was', async () => {
    const long = Array.from({ length: 202 }, (_, i) => (i % 7 === 3 ? '' : `  line ${i + 1}`)).join('\n')
    const texts = { 'a/deep guide.txt': long, 'other.txt': 'Something "a/deep guide.txt" is not.\n' }
    const made = await publishToMemory(
      await buildTexts(texts, { sizes: { lines: 20, overlap: 5 }, embedder: sentenceNamed }),
    )
    registry.play(made, () => false)
    const home = await makeFolder()
    const read = (id: number, path: string) =>
      request(id, 'resources/read', { uri: `packet://${made.digest}/${path}` })
    await packetText(['pull', 'demo'], { REGISTRY: registry.address }, home)
    const lines = [
      request(7, 'resources/read', { uri: 'packet://stored' }),
      read(2, 'a/deep%20guide.txt'),
      read(3, 'packet.lock.json'),
      read(4, 'vectors.f16.bin'),
      read(5, '../../../etc/passwd'),
      request(6, 'resources/read', { uri: `packet://sha256:${'0'.repeat(64)}/manifest.json` }),
    ]
    const said = await talk(lines, [], home)
    const text = (id: number): string => said.find((one) => one.id === id)?.result.contents[0].text
    const bare = (all: string) => all.split('\n').map((line) => line.trim())
    expect(bare(text(2))).toEqual([...bare(long), ''])
    expect(JSON.parse(text(3))).toMatchObject({ packet: { name: 'demo' } })
    expect(JSON.parse(text(7))).toEqual({
      packets: [
        {
          name: 'demo',
          version: '1.0.0',
          ref: `demo@${made.digest}`,
          digest: made.digest,
          bytes: expect.any(Number),
        },
      ],
    })
    for (const id of [4, 5, 6]) expect(said.find((one) => one.id === id)).toHaveProperty('error')

    // What is known by its digest alone is of unknown origin: a policy about origins keeps it in.
    await writeFile(join(home, '.cpm/policy.yml'), `allowed_sources: ["${registry.address}/*"]\n`)
    const pinned = `oci://${registry.address}/demo@${made.digest}`
    const strict = await talk([read(2, 'manifest.json')], [], home)
    expect(JSON.stringify(strict)).toContain('source_unknown')
    const server = new Program([], { binary: 'cpm-mcp', env: { REGISTRY: registry.address }, cwd: home })
    server.send(initialize(), call(2, 'query', { ref: pinned, q: 'line' }))
    await server.answers(2)
    server.send(read(3, 'manifest.json'))
    expect((await server.answers(3)).find(({ id }) => id === 3)).toHaveProperty('result')
    await writeFile(join(home, '.cpm/policy.yml'), 'allowed_sources: ["elsewhere.example/*"]\n')
    server.send(read(4, 'manifest.json'))
    expect(JSON.stringify((await server.answers(4)).at(-1))).toContain('source_not_allowlisted')
    await server.finish()
  })

  it('takes the options of its first clients under either of its names', async () => {
    const home = await makeFolder()
    await mkdir(join(home, 'work'))
    const options = ['--cpm-dir', 'kept', '--registry', registry.address, '--embed-model', 'm']
    const env = { REGISTRY: 'r.invalid', CPM_ROOT: 'other' }
    const { code } = await packetJson(['pull', 'demo', ...options], env, join(home, 'work'))
    expect(code).toBe(0)
    const listed = await packetJson(['cache', 'ls', '--cpm-dir', 'kept'], env, join(home, 'work'))
    expect(listed.answer).toMatchObject({ packets: [{ digest: packet.digest }] })
    const server = new Program(['packet', 'serve', ...options], { env, cwd: join(home, 'work') })
    server.send(initialize(), call(2, 'query', { ref: 'demo', q: 'wick' }))
    const [, answer] = await server.answers(2)
    expect(answer?.result.structuredContent).toMatchObject({ ok: true, digest: packet.digest })
    await server.finish()
  })
})
