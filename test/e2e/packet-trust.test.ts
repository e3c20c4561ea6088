import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { describeWith } from '../services.ts'
import { attachBundles } from '../support/attach-bundles.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import { packetJson, packetText } from '../support/packet-program.ts'
import { publishText } from '../support/publish-text.ts'
import { RegistryProxy } from '../support/registry-proxy.ts'
import { provenanceStatement, signatureStatement, TestSigstore } from '../support/test-sigstore.ts'

afterAll(sweep)

const BUILDER = 'https://ci.test/builder@v1'
const POLICY = `require: [signature, provenance]
trusted_root: root.json
identities: [{ subject: "https://ci.test/team/release@main", issuer: "https://issuer.test" }]
builders: [{ id: "${BUILDER}", level: 3 }]
min_slsa_level: 3
`

const GUIDE = { version: '1.0.0', text: '# Wicks\n\nTrim the wick at dusk.\n' }

describeWith('registry', 'packets signed without keys', (host) => {
  const attach = (repository: string, digest: string, ...bundles: readonly Buffer[]) =>
    attachBundles(host, repository, digest, ...bundles)

  it('are taken when those signed them whom the policy names, and stay usable offline', async () => {
    const home = await makeFolder()
    const proxy = await new RegistryProxy(host).start()
    const env = { REGISTRY: `${proxy.address}/trusted`, CPM_ROOT: join(home, 'cpm') }
    const sigstore = new TestSigstore()
    const digest = await publishText(host, 'trusted', GUIDE)
    const pinned = `oci://${proxy.address}/trusted/guide@${digest}`
    await mkdir(env.CPM_ROOT)
    await writeFile(join(env.CPM_ROOT, 'root.json'), JSON.stringify(sigstore.trustedRoot))
    await writeFile(join(env.CPM_ROOT, 'policy.yml'), POLICY)
    const refused = await packetJson(['pull', 'guide'], env)
    expect(refused).toMatchObject({ code: 3, answer: { error: { code: 'packet.policy' } } })
    expect(JSON.stringify(refused.answer)).toContain('missing_or_invalid_signature')
    const signed = sigstore.attest(signatureStatement(digest))
    await attach('trusted/guide', digest, signed)
    expect(JSON.stringify((await packetJson(['pull', 'guide'], env)).answer)).toContain('missing_provenance')
    const built = sigstore.attest(provenanceStatement(digest, BUILDER))
    await attach('trusted/guide', digest, signed, built)
    proxy.take()
    expect((await packetJson(['lookup', 'guide'], env)).answer).toMatchObject({
      ok: true,
      selected: { trust: { signature: 'verified', provenance: 'verified', slsa_level: 3, score: 0.775 } },
    })
    // Manifest, metadata, tags; referrers asked for in two ways, the place of older signatures; two bundles.
    expect(proxy.take()).toHaveLength(3 + 3 + 4)
    expect((await packetText(['lookup', 'guide', '--trust'], env)).stdout).toContain(
      `\n  signature verified https://ci.test/team/release@main (https://issuer.test), sbom absent, provenance verified by ${BUILDER}, SLSA 3\n`,
    )
    expect((await packetJson(['pull', pinned], env)).code).toBe(0)
    await packetJson(['query', pinned, 'wick'], env)
    await proxy.stop()
    expect(await packetJson(['query', pinned, 'dusk'], env)).toMatchObject({
      code: 0,
      answer: { ok: true, cache: { hit: true } },
    })
  })

  it('cost three requests to be looked up where the policy asks for nothing from the registry', async () => {
    const home = await makeFolder()
    const proxy = await new RegistryProxy(host).start()
    const env = { REGISTRY: `${proxy.address}/cheap`, CPM_ROOT: join(home, 'cpm') }
    await publishText(host, 'cheap', GUIDE)
    await mkdir(env.CPM_ROOT)
    const policy = `require: [digest]\nallowed_sources: ["${proxy.address}/cheap/*"]\nmax_tokens: 6000\n`
    await writeFile(join(env.CPM_ROOT, 'policy.yml'), policy)
    proxy.take()
    const { answer } = await packetJson(['lookup', 'guide'], env)
    expect(answer).toMatchObject({ ok: true, count: 1 })
    expect(proxy.take()).toHaveLength(3)
    const { pinned_uri: pinned } = answer.selected as { pinned_uri: string }
    expect((await packetJson(['lookup', pinned], env)).answer).toMatchObject({ ok: true })
    expect(proxy.take()).toEqual([])
    await proxy.stop()
  })
})
