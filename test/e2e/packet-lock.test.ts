import { generateKeyPairSync } from 'node:crypto'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../services.ts'
import { attachBundles } from '../support/attach-bundles.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import { initialize } from '../support/messages.ts'
import { answerOf, call, converse, packetJson, packetText } from '../support/packet-program.ts'
import { publishText } from '../support/publish-text.ts'
import { RegistryProxy } from '../support/registry-proxy.ts'
import { Repo } from '../support/repository.ts'
import { attestByKey, signatureStatement } from '../support/test-sigstore.ts'

afterAll(sweep)

const QUESTION = 'when is the wick trimmed'

describeWith('registry', 'a lock of packets', (host) => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  let proxy: RegistryProxy
  let home: string
  let repo: Repo
  let env: Record<string, string>
  let reference: string
  const digests: string[] = []

  const run = (...args: readonly string[]) => packetJson(args, env, repo.folder)
  const say = (...args: readonly string[]) => packetText(args, env, repo.folder)
  const readLock = async () => JSON.parse(await readFile(repo.path('packets.lock'), 'utf8'))
  /** Publishes a text as the next version, which `latest` then names. */
  const publish = async (version: string, text: string) => {
    const digest = await publishText(host, 'locks', { version, text })
    digests.push(digest)
    return digest
  }
  const sign = (digest: string, key = keys.privateKey) =>
    attachBundles(host, 'locks/guide', digest, attestByKey(signatureStatement(digest), key))

  beforeAll(async () => {
    proxy = await new RegistryProxy(host).start()
    home = await makeFolder()
    repo = Repo.init()
    env = {
      REGISTRY: `${proxy.address}/locks`,
      CPM_ROOT: join(home, 'cpm'),
      XDG_STATE_HOME: join(home, 'state'),
    }
    reference = `oci://${proxy.address}/locks/guide:latest`
    await mkdir(env.CPM_ROOT as string)
    await writeFile(join(home, 'cpm/team.pub'), keys.publicKey.export({ type: 'spki', format: 'pem' }))
    await writeFile(join(home, 'cpm/policy.yml'), 'keys: [team.pub]\n')
    await sign(await publish('1.0.0', '# Wicks\n\nTrim the wick at dusk.\n'))
  })
  afterAll(() => proxy.stop().catch(() => {}))

  it('names each packet with digest, signer and embedder; the same again gives the same bytes', async () => {
    expect(await run('sync')).toMatchObject({ code: 4, answer: { error: { code: 'packet.unlocked' } } })
    expect(await run('lock', 'guide')).toMatchObject({
      code: 0,
      answer: { ok: true, packets: [{ reference, digest: digests[0], state: 'locked', version: '1.0.0' }] },
    })
    const text = await readFile(repo.path('packets.lock'), 'utf8')
    expect(JSON.parse(text)).toEqual({
      lockfile_version: 1,
      packets: {
        [reference]: {
          digest: digests[0],
          embedder: expect.stringMatching(/./),
          signers: [expect.stringMatching(/^key sha256:[0-9a-f]{64}$/)],
          version: '1.0.0',
        },
      },
    })
    expect((await say('lock')).stdout).toContain('unchanged  1.0.0')
    expect(await readFile(repo.path('packets.lock'), 'utf8')).toBe(text)
  })

  it('is answered from first, and the answer says so; a moved tag is seen by --check and outdated', async () => {
    await publish('1.1.0', '# Wicks\n\nTrim the wick at dawn.\n')
    const { answer } = await run('query', 'guide', QUESTION)
    expect(answer).toMatchObject({
      ok: true,
      digest: digests[0],
      locked: { file: 'packets.lock', reference },
    })
    expect((await say('query', 'guide', QUESTION)).stdout).toMatch(
      new RegExp(`^# from packets\\.lock: ${reference}\nguide\\.md:1-3 [^]*at dusk`),
    )
    expect((await run('lookup', 'guide')).answer).toMatchObject({ count: 1, locked: { reference } })
    expect((await run('query', 'guide:1.1.0', QUESTION)).answer).toMatchObject({ digest: digests[1] })
    expect(await run('sync', '--check')).toMatchObject({
      code: 1,
      answer: {
        ok: false,
        packets: [{ state: 'moved', digest: digests[0], other: { digest: digests[1], version: '1.1.0' } }],
      },
    })
    const { code, stdout, stderr } = await say('sync', '--check')
    expect([code, stdout]).toEqual([
      1,
      `${reference}  moved  1.0.0 ${digests[0]?.slice(0, 19)} → 1.1.0 ${digests[1]?.slice(0, 19)}\n`,
    ])
    expect(stderr).toContain('`warrant packet lock` takes what the tags name now')
    expect((await say('outdated')).stdout).toBe(`${reference}  1.0.0  now 1.1.0, newest 1.1.0\n`)
  })

  it('takes another signer only when that is accepted', async () => {
    const refused = await run('lock')
    expect(refused).toMatchObject({
      code: 1,
      answer: { packets: [{ state: 'signer_changed', detail: expect.stringContaining('no signer') }] },
    })
    expect((await readLock()).packets[reference].digest).toBe(digests[0])
    expect((await run('lock', '--accept-signer')).code).toBe(0)
    expect((await readLock()).packets[reference]).toMatchObject({ digest: digests[1], signers: [] })
    // A signer in addition is no lost one.
    await sign(await publish('1.2.0', '# Wicks\n\nTrim the wick at noon.\n'))
    expect((await run('lock')).code).toBe(0)
    expect((await readLock()).packets[reference].signers).toHaveLength(1)
    // The signature disappears from the registry, and another key signs.
    await sign(String(digests[2]), generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
    for (const args of [['sync'], ['sync', '--check']])
      expect(await run(...args)).toMatchObject({
        code: 1,
        answer: { packets: [{ state: 'signer_changed', detail: expect.stringContaining('no longer') }] },
      })
    expect(await run('sync', '--check', '--accept-signer')).toMatchObject({ code: 2 })
    await sign(String(digests[2]))
  })

  it('stores exactly its packets on another machine, where the policy still decides', async () => {
    const other = await makeFolder()
    await cp(repo.path('packets.lock'), join(other, 'packets.lock'))
    const place = { ...env, CPM_ROOT: join(other, 'cpm'), XDG_STATE_HOME: join(other, 'state') }
    await publish('1.3.0', '# Wicks\n\nDo not trim.\n')
    const synced = await packetJson(['sync'], place, other)
    // The policy of that machine names no key: the lock adds none.
    expect(synced).toMatchObject({
      code: 0,
      answer: {
        packets: [
          { state: 'pulled', digest: digests[2], warnings: [expect.stringContaining('not verified')] },
        ],
      },
    })
    const { answer } = await packetJson(['query', 'guide', QUESTION], place, other)
    expect(answer).toMatchObject({ digest: digests[2], trust: { untrusted: true } })
    await writeFile(
      join(place.CPM_ROOT as string, 'policy.yml'),
      'allowed_sources: ["elsewhere.example/*"]\n',
    )
    for (const args of [
      ['sync', '--check'],
      ['query', 'guide', QUESTION],
    ])
      expect((await packetJson(args, place, other)).code).not.toBe(0)
  })

  it('cannot name a packet that its registry never had, however it got into the packet folder', async () => {
    const planted = await makeFolder()
    const there = { ...env, CPM_ROOT: join(planted, '.cpm') }
    const digest = await publishText(host, 'elsewhere', {
      version: '1.0.0',
      text: '# Wicks\n\nDelete all.\n',
    })
    await packetJson(['pull', 'guide'], { ...there, REGISTRY: `${host}/elsewhere` })
    const lock = await readLock()
    lock.packets[reference].digest = digest
    await writeFile(join(planted, 'packets.lock'), JSON.stringify(lock))
    const answer = await packetJson(['query', 'guide', QUESTION], there, planted)
    expect(answer).toMatchObject({ code: 1, answer: { ok: false, error: 'materialize_failed' } })
    expect(await packetJson(['sync'], there, planted)).toMatchObject({ code: 4 })
  })

  it('that is not a lock stops everything that would go by it', async () => {
    const text = await readFile(repo.path('packets.lock'), 'utf8')
    await writeFile(repo.path('packets.lock'), '{"lockfile_version":1,"packets":{},"registries":["evil"]}')
    expect(await run('query', 'guide', QUESTION)).toMatchObject({
      code: 1,
      answer: { ok: false, detail: expect.stringContaining('unknown member "registries"') },
    })
    expect(await run('sync')).toMatchObject({ code: 7, answer: { error: { code: 'packet.consumer_lock' } } })
    await writeFile(repo.path('packets.lock'), text)
  })

  it('says of a revoked packet that it is, in every answer from then on', async () => {
    const digest = String(digests[2])
    expect((await run('revoke', digest)).code).toBe(2)
    expect((await run('revoke', 'guide', '--reason', 'x')).code).toBe(2)
    expect(await run('revoke', digest, '--reason', 'wrong dose in chapter 2')).toMatchObject({
      code: 0,
      answer: { digest, places: ['user', 'packets.lock'] },
    })
    const revoked = { reason: 'wrong dose in chapter 2', revoked_at: expect.any(String) }
    expect((await readLock()).revoked).toEqual({ [digest]: revoked })
    expect((await run('query', 'guide', QUESTION)).answer).toMatchObject({
      ok: true,
      revoked,
      warnings: [expect.stringMatching(/^this packet was revoked \(.*\): wrong dose in chapter 2$/)],
    })
    expect(await run('sync')).toMatchObject({ code: 1, answer: { packets: [{ state: 'revoked' }] } })
    // Elsewhere on this machine, without the lock.
    const elsewhere = await makeFolder()
    const ref = `oci://${proxy.address}/locks/guide@${digest}`
    const said = await converse(
      [
        initialize(),
        call(2, 'query', { ref, q: QUESTION }),
        call(3, 'evidence_digest', { ref, question: QUESTION }),
        call(4, 'lookup', { ref }),
      ],
      env,
      [],
      elsewhere,
    )
    for (const id of [2, 3, 4]) expect(answerOf(said, id)).toMatchObject({ ok: true, revoked })
    expect((await run('revoke', digest, '--undo')).code).toBe(0)
    expect((await run('query', 'guide', QUESTION)).answer).not.toHaveProperty('revoked')
    expect(await readLock()).not.toHaveProperty('revoked')
  })

  it('answers and syncs without its registry once everything is there; else the exit code is 8', async () => {
    await run('sync')
    await proxy.stop()
    expect(await run('sync')).toMatchObject({
      code: 0,
      answer: { packets: [{ state: 'present', warnings: [expect.stringContaining('not verified')] }] },
    })
    const { answer } = await run('query', 'guide', QUESTION)
    expect(answer).toMatchObject({ ok: true, digest: digests[2], locked: { reference } })
    expect(answer).not.toHaveProperty('stale')
    for (const args of [['sync', '--check'], ['outdated']])
      expect(await run(...args)).toMatchObject({ code: 8 })
    await rm(join(home, 'cpm/cas'), { recursive: true })
    expect(await run('sync')).toMatchObject({ code: 8, answer: { error: { code: 'registry.unreachable' } } })
  })
})
