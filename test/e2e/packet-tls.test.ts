import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../services.ts'
import { sweep } from '../support/binary.ts'
import { makeSource, packetJson } from '../support/packet-program.ts'
import { RegistryProxy } from '../support/registry-proxy.ts'
import { serverCertificate } from '../support/test-sigstore.ts'

afterAll(sweep)

const NAMES = new URL('../support/names.mjs', import.meta.url).href

describeWith('registry', 'a registry with a name and a certificate', (host) => {
  const tls = serverCertificate('registry.test')
  const proxy = new RegistryProxy(host, tls)
  beforeAll(() => proxy.start())
  afterAll(() => proxy.stop())

  const openSetup = async (names: Readonly<Record<string, readonly string[]>>) => {
    const made = await makeSource()
    await writeFile(join(made.home, 'ca.pem'), tls.cert)
    const env = {
      CPM_ROOT: join(made.home, 'cpm'),
      NODE_EXTRA_CA_CERTS: join(made.home, 'ca.pem'),
      NODE_OPTIONS: `--import ${NAMES}`,
      TEST_NAMES: JSON.stringify(names),
    }
    return { ...made, env, place: (name: string) => `${name}:${proxy.port}/tls` }
  }

  it('is spoken to over TLS, there and back, on connections that are used again', async () => {
    const { env, folder, embed, place } = await openSetup({ 'registry.test': ['127.0.0.1'] })
    const named = { ...env, REGISTRY: place('registry.test') }
    await packetJson(embed)
    proxy.opened = 0
    expect(await packetJson(['publish', folder], named)).toMatchObject({ code: 0, answer: { there: 0 } })
    expect(proxy.take().length).toBeGreaterThan(20)
    // Four files at a time, and no more connections than that.
    expect(proxy.opened).toBeLessThanOrEqual(5)
    proxy.opened = 0
    expect(await packetJson(['publish', folder], named)).toMatchObject({ code: 0, answer: { sent: 0 } })
    expect(proxy.opened).toBeLessThanOrEqual(5)
    expect((await packetJson(['query', 'guide', 'trim'], named)).answer).toMatchObject({
      ok: true,
      results: [{ path: 'guide.md' }],
    })
  })

  it('is refused when its certificate has another name or an unknown issuer', async () => {
    const { env, place } = await openSetup({ 'registry.test': ['127.0.0.1'], 'other.test': ['127.0.0.1'] })
    proxy.take()
    for (const [name, more] of [
      ['other.test', {}],
      ['registry.test', { NODE_EXTRA_CA_CERTS: '' }],
    ] as const) {
      const { answer } = await packetJson(['lookup', 'guide'], { ...env, ...more, REGISTRY: place(name) })
      expect(answer).toMatchObject({
        ok: false,
        error: 'lookup_failed',
        detail: 'the certificate of the registry is not trusted',
        hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
        retryable: false,
      })
    }
    expect(proxy.take()).toEqual([])
  })

  it('is not reached by a name that means another place when it is connected to', async () => {
    const { env, place } = await openSetup({ 'registry.test': ['93.184.216.34', '127.0.0.1'] })
    proxy.opened = 0
    // Nobody named this registry: it must lie in the open, and did when it was judged.
    const { answer } = await packetJson(['lookup', `oci://${place('registry.test')}/guide:1.0.0`], env)
    expect(answer).toMatchObject({
      ok: false,
      detail: 'registry.test resolves to another network zone than when it was checked',
    })
    expect(proxy.opened).toBe(0)
  })
})
