import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LookupResult } from '../../src/packets/ask/lookup.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import { FaultRegistry } from '../support/fault-registry.ts'
import { type MadePacket, makeArtifact } from '../support/packet-maker.ts'
import { noAbort, openTestPackets } from '../support/packet-setup.ts'

const registry = new FaultRegistry()
beforeAll(() => registry.start())
afterAll(() => Promise.all([registry.stop(), sweep()]))

const TYPE = 'application/vnd.cpm.catalog.v1+jsonl'

const packetOf = (name: string, version: string, more: object = {}): MadePacket =>
  makeArtifact({
    'packet.manifest.json': JSON.stringify({
      schema: 'cpm.packet.metadata',
      schema_version: '1.0',
      packet: { name, version, ...more },
      payload: { files: [] },
    }),
  })

const row = (name: string, version: string, more: object = {}) => ({
  name,
  version,
  tag: version,
  source_uri: `oci://${registry.address}/${name}:${version}`,
  kind: '',
  entrypoints: ['query'],
  capabilities: [],
  ...more,
})

const linesOf = (rows: readonly object[]): string => rows.map((one) => `${JSON.stringify(one)}\n`).join('')

/** A registry with these packets, by `name:tag`, and a catalog of these lines. */
const openSetup = async (packets: Readonly<Record<string, MadePacket>>, lines: string, policy?: string) => {
  const root = await makeFolder()
  if (policy !== undefined) await writeFile(join(root, 'policy.yml'), policy)
  const list = makeArtifact({ 'cpm-catalog.jsonl': lines }, (manifest) =>
    Object.assign((manifest.layers as object[])[0] ?? {}, { mediaType: TYPE }),
  )
  const all: Record<string, MadePacket> = { ...packets, 'catalog:latest': list }
  registry.play(list, ({ path }, response) => {
    const [, name, kind, tag = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/(.+)$/.exec(path) ?? []
    const found =
      kind === 'blobs'
        ? Object.values(all).flatMap(({ blobs }) => blobs.get(tag) ?? [])[0]
        : (all[`${name}:${tag}`] ?? Object.values(all).find(({ digest }) => digest === tag))?.manifest
    return response.writeHead(found === undefined ? 404 : 200).end(found)
  })
  const uri = `oci://${registry.address}/catalog:latest`
  return { root, ...openTestPackets(root, registry.address, undefined, uri) }
}

const requests = () => registry.calls.splice(0).map(({ path }) => path)
const versions = (answer: unknown) =>
  (answer as LookupResult).candidates?.map(({ name, version }) => `${name}@${version}`)

describe('a lookup in a catalog', () => {
  it('gives up to three versions of a name, the newest first, and sends no second request', async () => {
    const known = ['1.9.0', '1.10.0', '0.1.0', '2.0.0'].map((version) => packetOf('demo', version))
    const [a, b, c, d] = known as [MadePacket, MadePacket, MadePacket, MadePacket]
    const { packets } = await openSetup(
      { 'demo:1.9.0': a, 'demo:1.10.0': b, 'demo:0.1.0': c, 'demo:2.0.0': d },
      linesOf(['1.9.0', '1.10.0', '0.1.0', '2.0.0'].map((version) => row('demo', version))),
    )
    const first = await packets.lookup({ name: 'demo' }, noAbort)
    expect(versions(first)).toEqual(['demo@2.0.0', 'demo@1.10.0', 'demo@1.9.0'])
    expect(first).toMatchObject({
      ok: true,
      source_uri: `oci://${registry.address}/demo:2.0.0`,
      selected: { pinned_uri: `oci://${registry.address}/demo@${d.digest}` },
    })
    requests()
    expect(await packets.lookup({ name: 'demo' }, noAbort)).toEqual(first)
    expect(requests()).toEqual([])
  })

  it('finds packets by what they can do, the newest of each', async () => {
    const rag = { capabilities: ['rag', 'cite'] }
    const { packets } = await openSetup(
      {
        'a:1.0.0': packetOf('a', '1.0.0', rag),
        'a:1.1.0': packetOf('a', '1.1.0', rag),
        'b:1.0.0': packetOf('b', '1.0.0', rag),
        'c:1.0.0': packetOf('c', '1.0.0'),
      },
      // The row of `c` promises what the packet does not: the packet decides.
      linesOf([
        row('b', '1.0.0', rag),
        row('a', '1.0.0', rag),
        row('c', '1.0.0', rag),
        row('a', '1.1.0', rag),
      ]),
    )
    expect(versions(await packets.lookup({ capability: 'rag, cite' }, noAbort))).toEqual([
      'a@1.1.0',
      'b@1.0.0',
    ])
    expect(await packets.lookup({ capability: 'fly' }, noAbort)).toMatchObject({
      error: 'no_match',
      detail: 'No matches for filters: capability=fly',
    })
    expect(await packets.lookup({}, noAbort)).toMatchObject({ error: 'invalid_lookup_input' })
  })

  it('takes rows of older tools, which know no registry', async () => {
    const { packets } = await openSetup(
      { 'demo:1.0.0': packetOf('demo', '1.0.0') },
      linesOf([{ name: 'demo', version: '1.0.0', tag: '1.0.0', source_uri: 'oci://demo:1.0.0', kind: null }]),
    )
    expect(versions(await packets.lookup({ name: 'demo' }, noAbort))).toEqual(['demo@1.0.0'])
  })

  it('goes on without it for what it does not list, and for versions', async () => {
    const { packets } = await openSetup(
      { 'demo:1.0.0': packetOf('demo', '1.0.0'), 'other:2.0.0': packetOf('other', '2.0.0') },
      linesOf([row('demo', '1.0.0')]),
    )
    expect(versions(await packets.lookup({ name: 'other', version: '2.0.0' }, noAbort))).toEqual([
      'other@2.0.0',
    ])
    expect(requests().filter((path) => path.includes('catalog'))).toEqual([])
    expect(await packets.lookup({ name: 'nobody' }, noAbort)).toMatchObject({ error: 'lookup_failed' })
  })

  it.each([
    ['link-local', 'oci://169.254.169.254/demo:1.0.0'],
    ['a neighbour', 'oci://10.0.0.1/demo:1.0.0'],
    ['this machine', 'oci://127.0.0.1:9/demo:1.0.0'],
  ])('asks nobody at %s, whatever a catalog says', async (_, source_uri) => {
    const { packets } = await openSetup(
      { 'demo:0.9.0': packetOf('demo', '0.9.0') },
      linesOf([row('demo', '1.0.0', { source_uri }), row('demo', '0.9.0'), row('demo', '0.8.0')]),
    )
    const answer = await packets.lookup({ name: 'demo' }, noAbort)
    expect(versions(answer)).toEqual(['demo@0.9.0'])
    expect(answer).toMatchObject({
      warnings: [
        expect.stringContaining('demo@1.0.0 is left out'),
        expect.stringContaining('demo@0.8.0 is left out'),
      ],
    })
  })

  it('keeps to the sources of the policy, also for the catalog itself', async () => {
    const rows = linesOf([row('demo', '1.0.0')])
    const packets = { 'demo:1.0.0': packetOf('demo', '1.0.0') }
    const closed = await openSetup(packets, rows, `allowed_sources: ["${registry.address}/demo"]\n`)
    expect(await closed.packets.lookup({ name: 'demo' }, noAbort)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('source_not_allowlisted'),
    })
    expect(requests()).toEqual([])
    const half = await openSetup(packets, rows, `allowed_sources: ["${registry.address}/catalog"]\n`)
    expect(await half.packets.lookup({ name: 'demo' }, noAbort)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('source_not_allowlisted'),
    })
    expect(requests().filter((path) => path.includes('/demo/'))).toEqual([])
  })

  it.each([
    ['no JSON', 'demo'],
    ['no packet', '{"name":"demo"}'],
    ['a list', '[1]'],
    ['a long word', JSON.stringify({ name: 'x'.repeat(600), version: '1', tag: '1', source_uri: 'x' })],
  ])('with a line that is %s fails and says which', async (_, line) => {
    const { packets } = await openSetup({}, `${linesOf([row('demo', '1.0.0')])}${line}\n`)
    expect(await packets.lookup({ name: 'demo' }, noAbort)).toMatchObject({
      ok: false,
      error: 'lookup_failed',
      detail: expect.stringContaining('line 2 of the catalog'),
      hint: expect.stringContaining('packet catalog'),
    })
  })

  it('that is none fails', async () => {
    const { root } = await openSetup({ 'catalog:1': packetOf('demo', '1') }, '')
    const uri = `oci://${registry.address}/catalog:1`
    const { packets } = openTestPackets(root, registry.address, undefined, uri)
    expect(await packets.lookup({ name: 'demo' }, noAbort)).toMatchObject({
      detail: 'the reference is not a catalog',
    })
  })
})
