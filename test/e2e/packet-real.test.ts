import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../services.ts'
import { BINARY, cleanEnvironment, makeFolder, sweep } from '../support/binary.ts'
import { EmbeddingServer } from '../support/embedding-server.ts'
import { initialize } from '../support/messages.ts'
import { answerOf, call, converse, makeSource, packetJson, packetText } from '../support/packet-program.ts'

const embedder = new EmbeddingServer()
beforeAll(() => embedder.start())
afterAll(() => Promise.all([embedder.stop(), sweep()]))

/** Asks the packet server all of this in one conversation, and gives the answers in order. */
const ask = async (env: Record<string, string>, ...calls: readonly (readonly [string, object])[]) => {
  const lines = calls.map(([name, args], i) => call(i + 2, name, args))
  const said = await converse([initialize(), ...lines], env)
  return calls.map((_, i) => answerOf(said, i + 2))
}

/** Of a packet with passages of more than one window. */
const VECTORS = ['vectors.f16.bin', 'faiss/index.faiss', 'faiss/windows.faiss', 'windows.bin']

describeWith('registry', 'packets on a real registry', (host) => {
  let env: Record<string, string>
  let folder = ''
  let pinned = ''
  beforeAll(async () => {
    const made = await makeSource('# Wicks\n\nTrim the wick at dusk.\n\n# Oil\n\nPour the oil at dawn.\n')
    const { home, source, embed } = made
    folder = made.folder
    await writeFile(join(source, 'tool.py'), 'def trim(wick):\n    return wick[:-1]\n')
    env = { REGISTRY: `oci://${host}/golden`, CPM_ROOT: join(home, 'cpm') }
    await packetJson(embed, env)
    pinned = String((await packetJson(['publish', folder], env)).answer.pinned_uri)
  })

  it('every way to name a packet leads to the same digest', async () => {
    const refs = [
      pinned,
      `oci://${host}/golden/guide:1.0.0`,
      `oci://${host}/golden/guide`,
      'guide@1.0.0',
      'guide:latest',
      'guide',
    ]
    const answers = await ask(env, ...refs.map((ref) => ['query', { ref, q: 'trim at dusk' }] as const))
    for (const answer of answers)
      expect(answer).toMatchObject({
        ok: true,
        pinned_uri: pinned,
        results: [{ path: 'guide.md', start: 1 }, {}],
      })
  })

  it('a caller does not choose which machine is asked', async () => {
    let reached = 0
    const outsider = createServer((socket) => {
      reached += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => outsider.listen(0, '127.0.0.1', resolve))
    const place = `127.0.0.1:${(outsider.address() as AddressInfo).port}/x`
    const answers = await ask(
      env,
      ['lookup', { name: 'guide', registry: place }],
      ['query', { ref: `oci://${place}/guide:1`, q: 'oil' }],
      ['lookup', { name: 'guide', registry: '169.254.169.254/x' }],
    )
    for (const answer of answers)
      expect(answer).toMatchObject({ ok: false, detail: expect.stringContaining('not configured') })
    expect(reached).toBe(0)
    outsider.close()
  })

  it('an embedder that is down or absent is distinguished from one that answers', async () => {
    const { home, folder, embed } = await makeSource()
    const letters = { EMBEDDING_URL: embedder.url, EMBEDDING_MODEL: 'letters' }
    const here = { REGISTRY: `${host}/models`, CPM_ROOT: join(home, 'cpm') }
    await packetJson(embed, { ...here, ...letters })
    await packetJson(['publish', folder], here)
    const question = ['query', { ref: 'guide', q: 'trim' }] as const
    const [served] = await ask({ ...here, ...letters }, question)
    expect(served).toMatchObject({
      ok: true,
      mode: 'hybrid',
      embedding: { model: 'letters', source: 'packet' },
    })
    const [down] = await ask({ ...here, ...letters, EMBEDDING_URL: 'http://127.0.0.1:1' }, [
      'query',
      { ref: 'guide', q: 'a new one' },
    ])
    expect(down).toMatchObject({
      ok: true,
      mode: 'lexical',
      pinned_uri: expect.stringContaining('@sha256:'),
      warnings: [expect.stringContaining('searched by words alone')],
    })
    const [absent] = await ask(here, question)
    expect(absent).toMatchObject({
      ok: true,
      mode: 'lexical',
      warnings: [expect.stringContaining('letters')],
    })
  })

  it('a repository whose last tag is gone has nothing to offer', async () => {
    const { home, folder, build } = await makeSource()
    const here = { REGISTRY: `${host}/emptied`, CPM_ROOT: join(home, 'cpm') }
    await packetJson(build)
    const { digest } = (await packetJson(['publish', folder], here)).answer
    const gone = await fetch(`http://${host}/v2/emptied/guide/manifests/${digest}`, { method: 'DELETE' })
    expect(gone.status).toBe(202)
    expect(await packetJson(['lookup', 'guide'], here)).toMatchObject({
      code: 1,
      answer: { ok: false, error: 'lookup_failed' },
    })
  })

  it('packets beyond the limit and hosts beyond the list are refused, and nothing is kept', async () => {
    const home = await makeFolder()
    const here = { ...env, CPM_ROOT: join(home, 'cpm') }
    const large = await packetJson(['pull', 'guide', '--max-packet-bytes', '1000'], here)
    expect(large.code).toBe(6)
    expect(JSON.stringify(large.answer)).toContain('exceeds configured limit 1000')
    const other = await packetJson(['pull', 'guide', '--allowed-registries', 'r.io'], here)
    expect(other.code).toBe(3)
    expect(JSON.stringify(other.answer)).toContain(`registry host '${host}' is not in OCI allowlist`)
    expect((await packetJson(['cache', 'ls'], here)).answer).toEqual({ ok: true, packets: [] })
  })

  it.each([
    [[], ['cpm.yml', 'manifest.json', 'docs.jsonl', ...VECTORS, 'sparse/bm25.json']],
    [['--no-embeddings'], ['cpm.yml', 'manifest.json', 'docs.jsonl', 'sparse/bm25.json']],
    [['--no-embed'], ['cpm.yml', 'manifest.json', 'docs.jsonl', 'sparse/bm25.json']],
    [['--no-docs'], ['cpm.yml', 'manifest.json', ...VECTORS]],
    [['--minimal'], ['cpm.yml', 'manifest.json']],
  ])('published with %j a packet has these layers', async (flags, payload) => {
    const place = `layers${flags.join('')}`
    const here = { REGISTRY: `${host}/${place}` }
    const first = await packetJson(['publish', folder, ...flags], here)
    const again = await packetJson(['publish', folder, ...flags], here)
    expect(again.answer).toMatchObject({ digest: first.answer.digest, sent: 0 })
    const read = async (path: string) =>
      fetch(`http://${host}/v2/${place}/guide/${path}`, {
        headers: { accept: 'application/vnd.oci.image.manifest.v1+json' },
      })
    const manifest = (await (await read('manifests/1.0.0')).json()) as {
      layers: { mediaType: string; digest: string; annotations: Record<string, string> }[]
    }
    expect(manifest).toMatchObject({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: { mediaType: 'application/vnd.oci.empty.v1+json', size: 2, data: 'e30=' },
    })
    expect(manifest).not.toHaveProperty('annotations')
    expect(manifest.layers.map(({ annotations }) => annotations['org.opencontainers.image.title'])).toEqual([
      'packet.manifest.json',
      ...payload.map((name) => `payload/${name}`),
      'packet.lock.json',
    ])
    expect(manifest.layers[0]?.mediaType).toBe('application/vnd.cpm.packet.manifest.v1+json')
    expect(manifest.layers.at(-1)?.mediaType).toBe('application/vnd.cpm.packet.lock.v1+json')
    const metadata = await (await read(`blobs/${manifest.layers[0]?.digest}`)).json()
    expect(metadata).toMatchObject({
      schema: 'cpm.packet.metadata',
      schema_version: '1.0',
      packet: { name: 'guide', version: '1.0.0' },
      payload: { files: payload.map((name) => expect.objectContaining({ name })) },
      payload_root: 'payload',
      source: {
        build: {
          minimal: flags.includes('--minimal'),
          include_docs: payload.includes('docs.jsonl'),
          include_embeddings: payload.includes('vectors.f16.bin'),
        },
      },
    })
    expect(JSON.stringify([manifest, metadata])).not.toContain(folder)
  })

  it('a plan at the command line follows its options', async () => {
    const plan = async (...more: string[]) =>
      (await packetJson(['plan', 'where is the oil?', '--name', 'guide', ...more], env)).answer
    expect(await plan('--entrypoint', 'query')).toMatchObject({
      ok: true,
      intent_mode: 'query',
      selected: [{ pinned_uri: pinned, entrypoint: 'query', args_template: { ref: pinned, k: 5 } }],
      constraints_applied: { entrypoint: 'query' },
    })
    expect(await plan('--kind', 'nothing')).toMatchObject({ ok: false, error: 'no_match' })
  })

  it('damage to what is kept is named, with what to do about it', async () => {
    const home = await makeFolder()
    const here = { ...env, CPM_ROOT: join(home, 'cpm') }
    await packetJson(['pull', pinned], here)
    const [folder = ''] = await readdir(join(home, 'cpm/cas'))
    const payload = join(home, 'cpm/cas', folder, 'payload')
    const damage = async (path: string, bytes: string) => {
      const before = await readFile(join(payload, path))
      await rm(join(payload, path))
      await writeFile(join(payload, path), bytes)
      const { code, answer } = await packetJson(['query', pinned, 'oil'], here)
      const verified = await packetJson(['verify', pinned], here)
      expect(verified).toMatchObject({ code: 1, answer: { ok: false } })
      expect(JSON.stringify(verified.answer)).toContain(path)
      await rm(join(payload, path))
      await writeFile(join(payload, path), before)
      return { code, answer }
    }
    const failed = { code: 1, answer: { ok: false, results: [], hint: expect.stringContaining('prune') } }
    expect(await damage('faiss/index.faiss', 'IxFI')).toMatchObject(failed)
    expect(await damage('docs.jsonl', '{"id":\n')).toMatchObject({
      ...failed,
      answer: { ...failed.answer, error: 'packet_invalid' },
    })
    expect(await damage('manifest.json', '{}')).toMatchObject({
      ...failed,
      answer: { ...failed.answer, error: 'invalid_manifest' },
    })
    await packetJson(['cache', 'prune', pinned.split('@')[1] ?? ''], here)
    expect((await packetJson(['query', pinned, 'oil'], here)).answer).toMatchObject({
      ok: true,
      cache: { hit: false },
    })
  })

  it('a disk that is full is said to be that, and nothing half is kept', async () => {
    const home = await makeFolder()
    const here = { ...env, CPM_ROOT: join(home, 'cpm') }
    const words = [process.execPath, BINARY, 'packet', 'pull', pinned, '--json'].map((one) => `'${one}'`)
    const done = await promisify(execFile)('sh', ['-c', `ulimit -f 1; ${words.join(' ')}`], {
      env: cleanEnvironment(here),
    }).catch((failure: { code: number; stdout: string }) => failure)
    expect(done).toMatchObject({ code: 6, stdout: expect.stringContaining('packet_disk.full') })
    expect(await readdir(join(home, 'cpm/cas'))).toEqual([])
    expect((await packetJson(['pull', pinned], here)).code).toBe(0)
  })

  it('is published to a registry, not to an address of the web', async () => {
    for (const registry of [`http://${host}/x`, `https://${host}/x`]) {
      const { code, stderr } = await packetText(['publish', folder, '--registry', registry])
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('without http://') })
      expect(stderr).not.toMatch(/\n\s+at /)
    }
  })
})

describeWith('registryAuth', 'a registry with passwords', (value) => {
  const { username, password, host } = new URL(`http://${value}`)

  it('accepts the credentials of Docker, and does not reveal them', async () => {
    const { home, folder, build } = await makeSource()
    const login = async (name: string, secret: string) => {
      const place = join(home, name)
      await mkdir(place)
      const auth = Buffer.from(`${username}:${secret}`).toString('base64')
      await writeFile(join(place, 'config.json'), JSON.stringify({ auths: { [host]: { auth } } }))
      return { REGISTRY: `${host}/closed`, CPM_ROOT: join(home, 'cpm'), DOCKER_CONFIG: place }
    }
    const known = await login('known', password)
    const wrong = await login('wrong', 'guess')
    const nobody = { ...known, DOCKER_CONFIG: join(home, 'none') }
    await packetJson(build)
    for (const env of [wrong, nobody]) {
      const { code, answer, stderr } = await packetJson(['publish', folder], env)
      expect({ code, answer }).toMatchObject({ code: 3, answer: { error: { code: 'registry.denied' } } })
      expect(`${JSON.stringify(answer)}${stderr}`).not.toMatch(/guess|Z3Vlc3M/)
    }
    expect(await packetJson(['publish', folder], known)).toMatchObject({ code: 0, answer: { there: 0 } })
    expect((await packetJson(['lookup', 'guide'], known)).answer).toMatchObject({ ok: true, count: 1 })
    expect(
      (await packetJson(['lookup', 'guide:1.0.0'], { ...wrong, CPM_ROOT: join(home, 'other') })).answer,
    ).toMatchObject({
      ok: false,
      error: 'lookup_failed',
    })
    const [answer] = await ask(known, ['query', { ref: 'guide:1.0.0', q: 'when to trim' }])
    expect(answer).toMatchObject({ ok: true, cache: { hit: false }, results: [{ path: 'guide.md' }] })
    // A fetched packet needs no credentials.
    const [offline] = await ask(nobody, ['query', { ref: String(answer?.pinned_uri), q: 'trim' }])
    expect(offline).toMatchObject({ ok: true, cache: { hit: true } })
    // A program may keep the password instead of the file.
    await mkdir(join(home, 'keeper'))
    await writeFile(join(home, 'keeper/config.json'), '{"credsStore":"keeper"}')
    const said = JSON.stringify({ ServerURL: host, Username: username, Secret: password })
    const script = `#!/bin/sh\nread host; [ "$host" = '${host}' ] && echo '${said}'\n`
    await writeFile(join(home, 'keeper/docker-credential-keeper'), script, { mode: 0o755 })
    const keeper = {
      ...known,
      CPM_ROOT: join(home, 'kept'),
      DOCKER_CONFIG: join(home, 'keeper'),
      PATH: `${join(home, 'keeper')}:${process.env.PATH}`,
    }
    expect((await packetJson(['pull', 'guide'], keeper)).code).toBe(0)
    const kept = await readFile(join(home, 'known/config.json'), 'utf8')
    expect(JSON.stringify(answer)).not.toContain(JSON.parse(kept).auths[host].auth)
  })
})
