import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../services.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import { initialize } from '../support/messages.ts'
import { answerOf, call, converse, packetJson, packetText } from '../support/packet-program.ts'
import { publishText } from '../support/publish-text.ts'
import { RegistryProxy } from '../support/registry-proxy.ts'

afterAll(sweep)

describeWith('registry', 'a packet whose registry cannot be reached', (host) => {
  const QUESTION = 'when is the wick trimmed'
  let proxy: RegistryProxy
  let home: string
  let env: Record<string, string>
  let pinned: string
  const query = (ref: string) => packetJson(['query', ref, QUESTION], env, home)

  beforeAll(async () => {
    proxy = await new RegistryProxy(host).start()
    home = await makeFolder()
    env = {
      REGISTRY: `${proxy.address}/offline`,
      CPM_ROOT: join(home, 'cpm'),
      XDG_STATE_HOME: join(home, 'state'),
    }
    const digest = await publishText(host, 'offline', {
      version: '1.0.0',
      text: '# Wicks\n\nTrim the wick at dusk.\n',
    })
    pinned = `oci://${proxy.address}/offline/guide@${digest}`
    expect(await query('guide')).toMatchObject({ code: 0, answer: { ok: true } })
    expect((await query('guide')).answer).not.toHaveProperty('stale')
    await packetJson(['pull', 'guide@1.0.0'], env, home)
  })
  afterAll(() => proxy.stop().catch(() => {}))

  it('fails by a tag that the registry does not have, although the name was resolved', async () => {
    expect((await query('guide:9.9.9')).answer).toMatchObject({ ok: false, error: 'materialize_failed' })
  })

  it('answers by name from the last resolution, and says how old that is', async () => {
    await proxy.stop()
    const answer = {
      ok: true,
      stale: true,
      pinned_uri: pinned,
      age_seconds: expect.any(Number),
      resolved_at: expect.stringMatching(/^\d{4}-.*Z$/),
      results: [{ path: 'guide.md' }],
      warnings: [expect.stringMatching(/cannot be reached.*latest was \d+ seconds ago/)],
    }
    expect(await query('guide')).toMatchObject({ code: 0, answer })
    expect((await packetText(['query', 'guide', QUESTION], env, home)).stdout).toMatch(
      /^# 127\.0\.0\.1:\d+ cannot be reached.*: answered from what latest was \d+ seconds ago \(\d{4}-.*Z\); it may have moved since\nguide\.md:1-3/,
    )
    // Pulled, never queried.
    expect((await query('guide:1.0.0')).answer).toMatchObject({ ok: true, stale: true, pinned_uri: pinned })
    const pinnedAnswer = (await query(pinned)).answer
    expect(pinnedAnswer).toMatchObject({ ok: true })
    expect(pinnedAnswer).not.toHaveProperty('stale')
    const { answer: found } = await packetJson(['lookup', 'guide'], env, home)
    expect(found).toMatchObject({ ok: true, stale: true, selected: { name: 'guide', pinned_uri: pinned } })
  })

  it('is marked for agents in every answer', async () => {
    const said = await converse(
      [
        initialize(),
        call(2, 'query', { ref: 'guide', q: QUESTION }),
        call(3, 'evidence_digest', { ref: 'guide', question: QUESTION }),
        call(4, 'lookup', { name: 'guide' }),
        call(5, 'plan_from_intent', { intent: 'search packet:guide' }),
      ],
      env,
      [],
      home,
    )
    for (const id of [2, 3, 4, 5])
      expect(answerOf(said, id)).toMatchObject({ ok: true, stale: true, age_seconds: expect.any(Number) })
  })

  it('fails by a name that was never resolved, and in another packet folder', async () => {
    const failed = { code: 1, answer: { ok: false, error: 'materialize_failed', retryable: true } }
    expect(await query('guide:2.0.0')).toMatchObject(failed)
    const other = { ...env, CPM_ROOT: join(home, 'other') }
    expect(await packetJson(['query', 'guide', QUESTION], other, home)).toMatchObject(failed)
  })

  it('fails where the policy has become stricter and cannot be met without the registry', async () => {
    const policy = join(home, 'cpm', 'policy.yml')
    await writeFile(policy, 'min_trust_score: 0.5\n')
    expect(await query('guide')).toMatchObject({ code: 1, answer: { ok: false } })
    await writeFile(policy, 'require: [digest]\n')
    expect(await query('guide')).toMatchObject({ code: 1, answer: { detail: /digest_required/ } })
    await rm(policy)
  })

  it('takes no resolution from a packet folder that came with a repository', async () => {
    const digest = pinned.slice(pinned.indexOf('@') + 1)
    const folder = join(home, 'cpm/cache/metadata_alias')
    const uri = 'oci://127.0.0.1:1/offline/planted'
    await mkdir(folder, { recursive: true })
    const planted = { expires_at: 1, payload: { source_uri: uri, digests: [digest], resolved_at: 1 } }
    await writeFile(join(folder, `${uri.replace(/[^\w.-]/g, '_')}.json`), JSON.stringify(planted))
    const asked = { ...env, REGISTRY: '127.0.0.1:1/offline', XDG_STATE_HOME: await makeFolder() }
    expect(await packetJson(['query', 'planted', QUESTION], asked, home)).toMatchObject({
      code: 1,
      answer: { ok: false, error: 'materialize_failed' },
    })
  })
})
