import { execFile } from 'node:child_process'
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeWith } from '../services.ts'
import { BINARY, cleanEnvironment, makeFolder, Program, sweep } from '../support/binary.ts'
import { initialize, request } from '../support/messages.ts'
import { RegistryProxy } from '../support/registry-proxy.ts'

/** What the first clients of packets rely on, line by line, through `cpm-mcp` and a real registry. */

afterAll(sweep)

const run = promisify(execFile)
// biome-ignore lint/suspicious/noExplicitAny: answers are looked at by their members
type Answer = any

/** A server and what it answers. */
class Session {
  readonly #program: Program
  #count = 0

  constructor(env: Readonly<Record<string, string>>, args: readonly string[] = [], cwd?: string) {
    this.#program = new Program(args, { binary: 'cpm-mcp', env, ...(cwd !== undefined && { cwd }) })
    this.#program.send(initialize())
    this.#count = 1
  }

  async call(name: string, args: object): Promise<Answer> {
    this.#count += 1
    this.#program.send(request(this.#count, 'tools/call', { name, arguments: args }))
    const messages: readonly Answer[] = await this.#program.answers(this.#count)
    const { result } = messages.find(({ id }) => id === this.#count) ?? {}
    // The same answer twice: as text for those who read, as an object for those who compute.
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
    return result.structuredContent
  }

  /** Every line on stdout was a message of the protocol; that is checked as they are read. */
  end() {
    return this.#program.finish()
  }
}

/** A packet without vectors takes less time to build and to ask. */
const WORDS = ['--embedder', 'words']

const missing = (path: string) =>
  access(path).then(
    () => false,
    () => true,
  )

describeWith('registry', 'the tools of packets', (host) => {
  let proxy: RegistryProxy
  /** A server for the questions that earlier ones do not change. */
  let session: Session
  let home = ''
  let ns = ''
  const digests: Record<string, string> = {}

  const warrant = async (args: readonly string[]) =>
    JSON.parse(
      (
        await run(process.execPath, [BINARY, 'packet', ...args, '--json'], {
          cwd: home,
          env: cleanEnvironment({ REGISTRY: ns }),
        })
      ).stdout,
    )
  const publish = async (name: string, version: string, ...more: string[]) => {
    const { folder } = await warrant([
      ...['build', join(home, name), '--name', name, '--version', version],
      ...['--out', join(home, 'out'), ...more],
    ])
    const { digest } = await warrant(['publish', folder])
    digests[`${name}@${version}`] = digest
  }
  const pinned = (name: string, version: string) => `oci://${ns}/${name}@${digests[`${name}@${version}`]}`
  const start = async (env: Readonly<Record<string, string>> = {}) => {
    const root = join(await makeFolder(), 'cpm')
    return { root, session: new Session({ REGISTRY: ns, CPM_ROOT: root, ...env }) }
  }

  beforeAll(async () => {
    proxy = await new RegistryProxy(host).start()
    ns = `${proxy.address}/contract`
    home = await makeFolder()
    await mkdir(join(home, 'demo'))
    await mkdir(join(home, 'many'))
    const long = `# Long\n\n${'The keeper trims the wick again. '.repeat(20)}\n`
    await writeFile(join(home, 'demo/guide.md'), `${long}\n# Short\n\nOil for the lamp comes on Sundays.\n`)
    await writeFile(join(home, 'demo/lamp.py'), 'def trim(wick):\n    return wick.trim()\n')
    await publish('demo', '1.0.0', ...WORDS)
    await publish('demo', '1.1.0', '--kind', 'handbook', '--capabilities', 'rag,cite', ...WORDS)
    await publish('demo', '2.0.0-rc.1', ...WORDS)
    await publish('demo', '1.10.0', '--kind', 'handbook', '--capabilities', 'rag')
    const alike = Array.from({ length: 30 }, (_, i) => `# Part\n${`\nthe same wick`.repeat(30)}\n\n${i}\n`)
    await writeFile(join(home, 'many/alike.md'), alike.join('\n'))
    await publish('many', '1', ...WORDS)
    session = (await start()).session
  }, 120_000)
  afterAll(async () => {
    await session.end()
    await proxy.stop()
  })

  describe('lookup', () => {
    it('resolves the alias, pins its digest, and sends no request within three minutes', async () => {
      const { session, root } = await start()
      proxy.take()
      const words = { name: 'demo', entrypoint: 'query', capability: 'rag' }
      const first = await session.call('lookup', words)
      expect(first).toMatchObject({
        ok: true,
        source_uri: `oci://${ns}/demo:latest`,
        selected: {
          pinned_uri: pinned('demo', '1.10.0'),
          metadata_digest: expect.stringMatching(/^sha256:/),
        },
      })
      expect(first.selected).toEqual(first.candidates[0])
      expect(first.count).toBe(first.candidates.length)
      expect(proxy.take()[0]).toBe('GET /v2/contract/demo/manifests/latest')
      expect(await session.call('lookup', words)).toEqual(first)
      expect(proxy.take()).toEqual([])
      // The filters are no part of what is remembered.
      expect(await session.call('lookup', { ...words, kind: 'nonexistent' })).toMatchObject({
        ok: false,
        error: 'no_match',
      })
      const safe = `oci___${ns.replace(/[:/]/g, '_')}_demo_latest.json`
      const { expires_at } = JSON.parse(await readFile(join(root, 'cache/metadata_alias', safe), 'utf8'))
      expect(expires_at - Date.now() / 1000).toBeLessThanOrEqual(180)
      const [kept] = await readdir(join(root, 'cache/metadata'))
      expect(kept).toMatch(/^sha256_[0-9a-f]{64}\.json$/)
      await session.end()
    })

    it('of a version gives what a packet says of itself, and the same by reference', async () => {
      const byVersion = await session.call('lookup', { name: 'demo', version: '1.0.0' })
      expect(byVersion.candidates).toMatchObject([
        {
          pinned_uri: pinned('demo', '1.0.0'),
          name: 'demo',
          version: '1.0.0',
          entrypoints: ['query'],
          tags: ['cpm', 'docs', 'python'],
          kind: '',
          capabilities: [],
          compat: { os: [], arch: [] },
        },
      ])
      for (const ref of ['demo@1.0.0', 'demo:1.0.0', `oci://${ns}/demo:1.0.0`, pinned('demo', '1.0.0')])
        expect((await session.call('lookup', { ref })).candidates).toEqual(byVersion.candidates)
    })

    it('without a version gives three, what latest means first and then the newest', async () => {
      const versions = async (words: object) =>
        (await session.call('lookup', { name: 'demo', ...words })).candidates.map(
          ({ version }: Answer) => version,
        )
      // Ten is more than one, and a candidate for two is not two yet.
      expect(await versions({ k: 99 })).toEqual(['1.10.0', '2.0.0-rc.1', '1.1.0'])
      expect(await versions({ k: 0 })).toEqual(['1.10.0'])
      expect(await versions({ capability: 'rag, cite' })).toEqual(['1.1.0'])
      expect(await versions({ capability: ['rag', 'cite'] })).toEqual(['1.1.0'])
      expect(await versions({ kind: '', os_name: 'linux', arch: 'amd64' })).toHaveLength(3)
    })

    it('says what does not match, in a fixed order', async () => {
      const filters = { entrypoint: 'y', kind: 'x', capability: 'a,b', os_name: 'linux', arch: 'amd64' }
      expect(await session.call('lookup', { name: 'demo', ...filters })).toMatchObject({
        ok: false,
        error: 'no_match',
        detail:
          'No matches for filters: entrypoint=y, kind=x, capability=a, capability=b, os=linux, arch=amd64',
      })
      expect(await session.call('lookup', { name: 'nobody' })).toMatchObject({
        ok: false,
        error: 'lookup_failed',
      })
      expect(await session.call('lookup', { registry: '', name: '' })).toMatchObject({
        ok: false,
        error: 'invalid_lookup_input',
        detail: 'REGISTRY not set and no oci:// ref provided',
      })
    })
  })

  describe('query', () => {
    it('fetches once; what is here afterwards needs no network, also in another process', async () => {
      const { session, root } = await start()
      const cold = await session.call('query', { ref: 'demo', q: 'who trims the wick', k: 3 })
      const digest = digests['demo@1.10.0'] as string
      expect(cold).toMatchObject({
        ok: true,
        cache: { hit: false },
        digest,
        k: 3,
        query: 'who trims the wick',
      })
      const safe = digest.replace(':', '_')
      expect(await missing(join(root, 'cas', safe, 'payload/manifest.json'))).toBe(false)
      const metadata = JSON.parse(await readFile(join(root, 'meta', safe, 'packet.manifest.json'), 'utf8'))
      expect(metadata).toMatchObject({
        schema: 'cpm.packet.metadata',
        packet: { name: 'demo', version: '1.10.0' },
        payload: { files: expect.arrayContaining([expect.objectContaining({ name: 'docs.jsonl' })]) },
      })
      const [print = ''] = await readdir(join(root, 'index', safe))
      expect(print).toMatch(/^[0-9a-f]{16}$/)
      expect(await readdir(join(root, 'index', safe, print))).toEqual(
        expect.arrayContaining(['index.faiss', 'windows.faiss']),
      )
      await session.end()
      proxy.take()
      const next = new Session({ CPM_ROOT: root })
      const warm = await next.call('query', { ref: pinned('demo', '1.10.0'), q: 'who trims the wick', k: 3 })
      expect(warm).toMatchObject({ ok: true, cache: { hit: true }, digest, results: cold.results })
      expect(proxy.take()).toEqual([])
      await next.end()
    })

    it('gives score, path, lines and a snippet of at most 300 characters, the best first', async () => {
      const { results } = await session.call('query', { ref: 'demo@1.0.0', q: 'trim the wick' })
      expect(results.length).toBeLessThanOrEqual(5)
      const scores = results.map(({ score }: Answer) => score)
      expect(scores).toEqual([...scores].sort((a, b) => b - a))
      const long = results.find(({ path, start }: Answer) => path === 'guide.md' && start === 1)
      expect([...long.snippet].length).toBeLessThanOrEqual(303)
      expect(long.snippet).toMatch(/[^ ]\.\.\.$/)
    })

    it('gives five fields, and words and meaning to who asks for scores', async () => {
      const five = ['score', 'path', 'start', 'end', 'snippet']
      const ask = { ref: 'demo', q: 'who trims the wick', question: 'who trims the wick' }
      for (const [name, list] of [
        ['query', 'results'],
        ['evidence_digest', 'evidence'],
      ] as const)
        for (const scores of [undefined, null, false, true]) {
          const answer = await session.call(name, { ...ask, ...(scores !== undefined && { scores }) })
          expect(answer[list].length).toBeGreaterThan(0)
          const keys = answer[list].map((one: Answer) => Object.keys(one))
          const named = scores === true ? [...five, 'words', 'meaning'] : five
          expect(keys).toEqual(keys.map(() => named))
        }
    })

    it('clamps k, gives fewer where there are fewer, and equal ones by row', async () => {
      const count = async (ref: string, k: number) => {
        const { k: said, results } = await session.call('query', { ref, q: 'wick', k })
        return { said, count: results.length }
      }
      expect(await count('demo@1.0.0', 0)).toEqual({ said: 1, count: 1 })
      expect(await count('many', 999)).toEqual({ said: 20, count: 20 })
      const few = await count('demo@1.0.0', 999)
      expect(few.said).toBe(20)
      expect(few.count).toBeLessThan(20)
      const first = await session.call('query', { ref: 'many', q: 'the same wick', k: 3 })
      const order = first.results.map(({ score, start }: Answer) => ({ score, start }))
      expect(order).toEqual([...order].sort((a, b) => b.score - a.score || a.start - b.start))
    })

    it.each([
      [{ ref: 'demo', q: '' }, 'invalid_query_input', 'q must not be blank'],
      [{ ref: 'demo:nope', q: 'x' }, 'materialize_failed', expect.any(String)],
      [{ ref: 'demo@9', q: 'x' }, 'materialize_failed', expect.any(String)],
    ])('%j fails as %s', async (words, error, detail) => {
      expect(await session.call('query', words)).toMatchObject({ ok: false, error, detail })
    })

    it('needs a registry for what is not an address', async () => {
      const { session } = await start({ REGISTRY: '' })
      expect(await session.call('query', { ref: 'demo', q: 'x' })).toMatchObject({
        ok: false,
        error: 'invalid_query_input',
        detail: 'REGISTRY not set and query ref is not an oci:// URI',
      })
      await session.end()
    })
  })

  describe('plan_from_intent', () => {
    it('gives calls that are carried out as they stand', async () => {
      const plan = await session.call('plan_from_intent', {
        intent: 'lookup metadata for packet:demo, latest version and capabilities',
        constraints: { alias: 'latest' },
      })
      expect(plan).toMatchObject({
        ok: true,
        intent_mode: 'lookup',
        constraints_applied: { alias: 'latest' },
        selected: [{ entrypoint: 'lookup', args_template: { k: 3 } }, {}],
      })
      // None of them says more of the intent than another: then what the alias means comes first, as it always did.
      const shortlist = ['1.10.0', '2.0.0-rc.1', '1.1.0'].map((version) => pinned('demo', version))
      expect([...plan.selected, ...plan.fallbacks].map(({ args_template }) => args_template.ref)).toEqual(
        shortlist,
      )
      expect(plan.selected.length + plan.fallbacks.length).toBe(3)
      for (const step of [...plan.selected, ...plan.fallbacks])
        expect(await session.call(step.entrypoint, step.args_template)).toMatchObject({ ok: true })
      const asked = await session.call('plan_from_intent', {
        intent: 'Need packet:demo for search',
        constraints: { entrypoint: 'query', version: '1.1.0' },
      })
      expect(asked).toMatchObject({
        ok: true,
        intent_mode: 'query',
        selected: [
          {
            pinned_uri: pinned('demo', '1.1.0'),
            entrypoint: 'query',
            args_template: { ref: pinned('demo', '1.1.0'), q: '{question}', k: 5 },
            why: "selected demo@1.1.0 for query intent 'Need packet:demo for search' with capabilities [rag, cite]",
          },
        ],
        fallbacks: [],
      })
      expect(await session.call('query', asked.selected[0].args_template)).toMatchObject({ ok: true })
    })

    it('ranks by entrypoint, kind and capabilities, and says why it cannot plan', async () => {
      const plan = await session.call('plan_from_intent', {
        intent: 'cite the handbook for rag: what does it say',
        name_hint: 'demo',
      })
      expect(plan.intent_mode).toBe('query')
      expect(plan.selected[0].pinned_uri).toBe(pinned('demo', '1.1.0'))
      expect(await session.call('plan_from_intent', { intent: 'anything' })).toMatchObject({
        ok: false,
        error: 'name_hint_required',
        detail: 'provide name_hint or constraints.name for deterministic planning',
      })
      expect(
        await session.call('plan_from_intent', { intent: 'x', constraints: { name: 'demo', kind: 'none' } }),
      ).toMatchObject({ ok: false, error: 'no_match' })
    })
  })

  describe('evidence_digest', () => {
    it('keeps to its budget, says everything once and cites', async () => {
      const ref = 'demo@1.0.0'
      const digest = await session.call('evidence_digest', { ref, question: 'who trims the wick' })
      expect(digest).toMatchObject({
        ok: true,
        ref,
        question: 'who trims the wick',
        digest: digests['demo@1.0.0'],
        pinned_uri: pinned('demo', '1.0.0'),
      })
      const texts = digest.evidence.map(({ snippet }: Answer) => snippet)
      expect(new Set(texts).size).toBe(texts.length)
      expect(digest.summary.split('\n')[0]).toMatch(/^- [\w.]+:\d+(-\d+)?: /)
      const small = await session.call('evidence_digest', { ref, question: 'trim the wick', max_chars: 100 })
      const shown = small.evidence.map(({ snippet }: Answer) => [...snippet].length)
      const total = shown.reduce((sum: number, length: number) => sum + length, 0)
      // The last passage is cut, and loses the space at its end.
      expect([99, 100]).toContain(total)
      const least = await session.call('evidence_digest', { ref, question: 'wick', max_chars: 1, k: 0 })
      expect([...least.evidence[0].snippet].length).toBeLessThanOrEqual(64)
      expect(await session.call('evidence_digest', { ref: 'demo:nope', question: 'x' })).toMatchObject({
        ok: false,
        error: 'materialize_failed',
      })
    })
  })

  describe('settings', () => {
    it.each<[string, Readonly<Record<string, string>>, readonly string[], string]>([
      ['the default', {}, [], '.cpm'],
      ['the older variable', { RAG_CPM_DIR: 'old' }, [], 'old'],
      ['the variable before the older one', { RAG_CPM_DIR: 'old', CPM_ROOT: 'new' }, [], 'new'],
      ['an empty variable, which is none', { CPM_ROOT: '', RAG_CPM_DIR: 'old' }, [], 'old'],
      ['the flag before both', { CPM_ROOT: 'new' }, ['--cpm-dir', 'flag'], 'flag'],
    ])('packets lie where %s says', async (_, env, args, place) => {
      const cwd = await makeFolder()
      const session = new Session({ REGISTRY: ns, ...env }, args, cwd)
      expect(await session.call('query', { ref: 'demo', q: 'wick' })).toMatchObject({ ok: true })
      expect(await readdir(cwd)).toEqual([place])
      await session.end()
    })

    it('an argument comes before the variable: folder and registry', async () => {
      const cwd = await makeFolder()
      const session = new Session({ REGISTRY: 'example.invalid/x', CPM_ROOT: 'new' }, [], cwd)
      const words = { ref: `oci://${ns}/demo`, q: 'wick', cpm_root: 'asked' }
      // A registry on this machine must have been named by the operator.
      expect(await session.call('query', words)).toMatchObject({ ok: false, error: 'materialize_failed' })
      await session.end()
      const named = new Session({ REGISTRY: ns, CPM_ROOT: 'new' }, [], cwd)
      expect(await named.call('query', words)).toMatchObject({ ok: true })
      expect(await readdir(cwd)).toContain('asked')
      await named.end()
    })
  })
})
