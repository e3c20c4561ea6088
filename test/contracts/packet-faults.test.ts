import { readdir } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { digestBytes } from '../../src/kernel/encoding/hash.ts'
import { INDEX_TYPE, MANIFEST_TYPE } from '../../src/packets/format/artifact.ts'
import { memorySource } from '../../src/packets/format/faiss.ts'
import { parseReference } from '../../src/packets/format/reference.ts'
import { pullPacket } from '../../src/packets/transfer/pull.ts'
import { packetStore } from '../../src/platform/packets/store.ts'
import { OciClient } from '../../src/platform/registry/client.ts'
import { DEFAULT_OCI, OciHttp, type OciSettings } from '../../src/platform/registry/http.ts'
import type { Credentials } from '../../src/platform/registry/login.ts'
import { OciPusher } from '../../src/platform/registry/push.ts'
import { eventually, makeFolder, sweep } from '../support/binary.ts'
import { type Behaviour, type Call, FaultRegistry } from '../support/fault-registry.ts'
import { type MadePacket, makeArtifact, makePacket } from '../support/packet-maker.ts'
import { buildTexts, openGuard, openTestPackets, publishToMemory } from '../support/packet-setup.ts'

const registry = new FaultRegistry()
/** What a registry may lead us to, and must learn nothing from us. */
const neighbour = new FaultRegistry()
beforeAll(() => Promise.all([registry.start(), neighbour.start()]))
afterAll(() => Promise.all([registry.stop(), neighbour.stop(), sweep()]))

const DOCS = Buffer.alloc(70_000, '{"text":"abcdefgh"}\n')
const docsDigest = digestBytes(DOCS)
const packet = makePacket({ 'docs.jsonl': DOCS, 'cpm.yml': 'name: demo\n' })
const forever = new AbortController().signal
const secret: Credentials = { kind: 'password', user: 'me', password: 'hush' }

const settings = (change: Partial<OciSettings> = {}): OciSettings => ({
  ...DEFAULT_OCI,
  trusted: [registry.address, neighbour.address, neighbour.address.replace('127.0.0.1', 'localhost')],
  credentials: async (host) => (host === registry.address ? secret : undefined),
  attempts: 3,
  backoffMs: 1,
  requestMs: 700,
  bytesPerSecond: 1_000_000,
  ...change,
})

const pull = async (change?: Partial<OciSettings>, name = ':latest') => {
  const root = await makeFolder()
  const store = packetStore(root)
  const client = new OciClient(new OciHttp(settings(change)))
  const ports = { registry: client, store, guard: openGuard(client), maxBytes: 10_000_000 }
  const done = pullPacket(ports, { ref: parseReference(`${registry.address}/demo${name}`), signal: forever })
  return { root, store, done }
}

const isManifest = ({ path }: Call) => path.startsWith('/v2/demo/manifests/')
const isDocs = ({ path }: Call) => path.endsWith(docsDigest)
const send = (
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
  body: string | Uint8Array = '',
) => response.writeHead(status, headers).end(body)

const on =
  (match: (call: Call) => boolean, act: Behaviour): Behaviour =>
  (call, response, address) =>
    match(call) ? act(call, response, address) : false
const onManifest = (act: Behaviour) => on(isManifest, act)
const onDocs = (act: Behaviour) => on(isDocs, act)
const answers =
  (status: number, headers: Record<string, string> = {}, body: string | Uint8Array = ''): Behaviour =>
  (_, response) =>
    send(response, status, headers, body)
const asks = (challenge: string): Behaviour => answers(401, { 'www-authenticate': challenge })
const leadsTo = (location: string): Behaviour => answers(307, { location })
const drips: Behaviour = (_, response) => {
  response.writeHead(200)
  const timer = setInterval(() => response.write('x'), 20)
  response.on('close', () => clearInterval(timer))
}
const neverEnds: Behaviour = (_, response) => {
  response.writeHead(200)
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}
const silent: Behaviour = () => {}
const hangsUp: Behaviour = (_, response) => response.destroy()

/** Asks for a token at `realm`, which answers with `token`. */
const wantsToken =
  (token: Behaviour, realm = (address: string) => `http://${address}/token`): Behaviour =>
  (call, response, address) => {
    if (call.path.startsWith('/token')) return token(call, response, address)
    if (call.headers.authorization?.startsWith('Bearer')) return false
    return send(response, 401, { 'www-authenticate': `Bearer realm="${realm(address)}",service="s"` })
  }
const realm = (text: string) => wantsToken(silent, () => text)

type Files = Parameters<typeof makeArtifact>[0]
const shaped = (
  change: (manifest: Record<string, unknown>) => unknown,
  files: Files = { 'payload/a': 'x' },
) => makeArtifact(files, change)
const titled = (...titles: string[]) =>
  makeArtifact(Object.fromEntries(titles.map((title, i) => [title, `${i}`])))
const withMetadata = (text: string | Uint8Array) =>
  makeArtifact({ 'packet.manifest.json': text, 'payload/docs.jsonl': 'x' })
const metadata = (change: object) =>
  withMetadata(
    JSON.stringify({
      schema: 'cpm.packet.metadata',
      schema_version: '1.0',
      packet: { name: 'demo', version: '1' },
      payload: { files: [] },
      ...change,
    }),
  )
const index = (...manifests: object[]) => {
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: INDEX_TYPE, manifests }))
  return { digest: digestBytes(bytes), manifest: bytes, blobs: new Map() }
}
const entry = ({ digest, manifest }: MadePacket, mediaType = MANIFEST_TYPE) => ({
  mediaType,
  digest,
  size: manifest.length,
})
const serveAll =
  (...packets: MadePacket[]): Behaviour =>
  (call, response) => {
    const found = packets.find(({ digest }) => call.path.endsWith(digest))
    return found === undefined ? false : send(response, 200, {}, found.manifest)
  }

const fine: Behaviour = () => false

/** What a registry does, and what we make of it. */
const MISBEHAVIOURS: readonly [string, Behaviour, string, MadePacket?][] = [
  ['knows no such manifest', onManifest(answers(404)), 'registry.missing'],
  ['forbids the manifest', onManifest(answers(403)), 'registry.denied'],
  ['is not a registry', onManifest(answers(200, {}, '<html>hello')), 'packet.artifact'],
  ['refuses without a word', onManifest(answers(401)), 'registry.denied'],
  ['asks for a password for ever', onManifest(asks('Basic realm="x"')), 'registry.denied'],
  ['asks for an unknown login', onManifest(asks('Digest realm="x"')), 'registry.denied'],
  ['asks with an endless header', onManifest(asks(`Bearer realm="${'x'.repeat(9000)}"`)), 'registry.denied'],
  ['asks for a token and gives no realm', onManifest(asks('Bearer service="x"')), 'registry.denied'],
  [
    'takes no token it gave',
    (call, response, address) =>
      call.path.startsWith('/token')
        ? send(response, 200, {}, '{"token":"t"}')
        : asks(`Bearer realm="http://${address}/token"`)(call, response, address),
    'registry.denied',
  ],
  [
    'sends its token service to link-local',
    realm('http://169.254.169.254/latest/meta-data'),
    'registry.forbidden_target',
  ],
  [
    'sends its token service to a private place',
    realm('https://10.0.0.1/token'),
    'registry.forbidden_target',
  ],
  ['sends its token service to a file', realm('file:///etc/passwd'), 'registry.forbidden_target'],
  ['hides a password in its realm', realm('https://a:b@example.com/'), 'registry.forbidden_target'],
  ['sends its token service off without TLS', realm('http://example.com/token'), 'registry.forbidden_target'],
  ['has a realm that is no address', realm('http://'), 'registry.garbled'],
  ['gives a token that is no JSON', wantsToken(answers(200, {}, 'nope')), 'registry.garbled'],
  ['gives no token', wantsToken(answers(200, {}, '{}')), 'registry.garbled'],
  [
    'gives a token with a line break',
    wantsToken(answers(200, {}, '{"token":"a\\r\\nx: y"}')),
    'registry.garbled',
  ],
  ['gives a token without end', wantsToken(neverEnds), 'registry.too_large'],
  ['drips a token', wantsToken(drips), 'registry.slow'],
  ['drips a refusal', onManifest((_, response) => response.writeHead(404).write('')), 'registry.missing'],
  ['has a failing token service', wantsToken(answers(500)), 'registry.denied'],
  [
    'has a token service that leads elsewhere',
    wantsToken(leadsTo('http://169.254.169.254/')),
    'registry.denied',
  ],
  ['has a token service that never answers', wantsToken(silent), 'registry.slow'],
  ['fails', onManifest(answers(500)), 'registry.unavailable'],
  ['is busy', onManifest(answers(429)), 'registry.unavailable'],
  ['is busy for a day', onManifest(answers(429, { 'retry-after': '86400' })), 'registry.unavailable'],
  ['is busy until words', onManifest(answers(503, { 'retry-after': 'soon' })), 'registry.unavailable'],
  ['hangs up', onManifest(hangsUp), 'registry.unreachable'],
  ['never answers', onManifest(silent), 'registry.slow'],
  ['drips a manifest', onManifest(drips), 'registry.slow'],
  ['drips a blob', onDocs(drips), 'registry.slow'],
  ['sends a manifest without end', onManifest(neverEnds), 'registry.too_large'],
  [
    'promises a huge manifest',
    onManifest(answers(200, { 'content-length': '5000000' })),
    'registry.too_large',
  ],
  ['sends an empty manifest', onManifest(answers(200)), 'packet.artifact'],
  [
    'names another digest',
    onManifest(answers(200, { 'docker-content-digest': docsDigest }, packet.manifest)),
    'packet.mismatch',
  ],
  [
    'packs a bomb',
    onManifest(answers(200, { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(3_000_000)))),
    'registry.garbled',
  ],
  ['packs a blob', onDocs(answers(200, { 'content-encoding': 'br' }, 'x')), 'registry.garbled'],
  ['leads in circles', onManifest(leadsTo('/v2/demo/manifests/latest')), 'registry.garbled'],
  ['leads nowhere', onManifest(answers(302)), 'registry.garbled'],
  ['leads to link-local', onManifest(leadsTo('http://169.254.169.254/')), 'registry.forbidden_target'],
  ['leads to link-local in IPv6', onManifest(leadsTo('http://[fe80::1]/')), 'registry.forbidden_target'],
  [
    'leads to link-local in disguise',
    onManifest(leadsTo('https://[::ffff:169.254.169.254]/')),
    'registry.forbidden_target',
  ],
  [
    'leads to link-local as a number',
    onManifest(leadsTo('https://2852039166/')),
    'registry.forbidden_target',
  ],
  ['leads to a private place', onManifest(leadsTo('https://192.168.0.1/')), 'registry.forbidden_target'],
  ['leads to a unique local address', onManifest(leadsTo('https://[fd00::1]/')), 'registry.forbidden_target'],
  ['leads to any address', onManifest(leadsTo('https://0.0.0.0/')), 'registry.forbidden_target'],
  [
    'leads through a translator',
    onManifest(leadsTo('https://[64:ff9b::a9fe:a9fe]/')),
    'registry.forbidden_target',
  ],
  ['leads to a file', onManifest(leadsTo('file:///etc/passwd')), 'registry.forbidden_target'],
  ['leads out without TLS', onManifest(leadsTo('http://example.com/')), 'registry.forbidden_target'],
  [
    'leads to an address with a password',
    onManifest(leadsTo('https://a:b@example.com/')),
    'registry.forbidden_target',
  ],
  ['leads a blob to link-local', onDocs(leadsTo('http://169.254.169.254/')), 'registry.forbidden_target'],
  ['has lost a blob', onDocs(answers(404)), 'registry.missing'],
  ['sends other bytes', onDocs(answers(200, {}, Buffer.alloc(DOCS.length))), 'packet.mismatch'],
  [
    'ends a blob too early',
    onDocs(answers(200, { 'transfer-encoding': 'chunked' }, DOCS.subarray(1))),
    'registry.unreachable',
  ],
  ['stops a blob at once', onDocs(answers(200, { 'transfer-encoding': 'chunked' })), 'registry.unreachable'],
  [
    'adds to a blob',
    onDocs(answers(200, { 'transfer-encoding': 'chunked' }, Buffer.concat([DOCS, DOCS]))),
    'packet.mismatch',
  ],
  ['promises a longer blob', onDocs(answers(200, { 'content-length': '80000' })), 'packet.mismatch'],
  ['promises a shorter blob', onDocs(answers(200, { 'content-length': '3' }, 'abc')), 'packet.mismatch'],
  ['sends a blob without end', onDocs(neverEnds), 'packet.mismatch'],
  ['sends part of a blob unasked', onDocs(answers(206, {}, DOCS)), 'registry.garbled'],
  ['hangs up in every blob', onDocs(hangsUp), 'registry.unreachable'],
  ['never sends a blob', onDocs(silent), 'registry.slow'],
  ['has an old schema', fine, 'packet.artifact', shaped((m) => Object.assign(m, { schemaVersion: 1 }))],
  [
    'has a strange type',
    fine,
    'packet.artifact',
    shaped((m) => Object.assign(m, { mediaType: 'text/html' })),
  ],
  ['has no layers', fine, 'packet.artifact', shaped((m) => void delete m.layers)],
  ['has layers in words', fine, 'packet.artifact', shaped((m) => Object.assign(m, { layers: 'all' }))],
  [
    'has too many layers',
    fine,
    'packet.artifact',
    shaped((m) => Object.assign(m, { layers: Array(1001).fill((m.layers as object[])[0]) })),
  ],
  [
    'has a weak digest',
    fine,
    'packet.artifact',
    shaped((m) => Object.assign((m.layers as object[])[0] ?? {}, { digest: 'md5:00' })),
  ],
  [
    'has a negative size',
    fine,
    'packet.artifact',
    shaped((m) => Object.assign((m.layers as object[])[0] ?? {}, { size: -1 })),
  ],
  [
    'has an endless size',
    fine,
    'packet.artifact',
    shaped((m) => Object.assign((m.layers as object[])[0] ?? {}, { size: 1e300 })),
  ],
  [
    'lies about a size',
    fine,
    'packet.mismatch',
    shaped((m) => Object.assign((m.layers as object[])[0] ?? {}, { size: 5 })),
  ],
  [
    'has a packet beyond the limit',
    fine,
    'packet.too_large',
    shaped((m) => Object.assign((m.layers as object[])[0] ?? {}, { size: 1e12 })),
  ],
  ['has no config', fine, 'packet.artifact', shaped((m) => void delete m.config)],
  ['nests without end', fine, 'packet.artifact', { ...packet, manifest: Buffer.from('['.repeat(100_000)) }],
  ['has a title above the folder', fine, 'packet.unsafe_path', titled('../x')],
  ['has a title in the payload above the folder', fine, 'packet.unsafe_path', titled('payload/../../x')],
  ['has a title from the root', fine, 'packet.unsafe_path', titled('/etc/cron.d/x')],
  ['has a title for Windows', fine, 'packet.unsafe_path', titled('C:\\x')],
  ['has a title with a NUL', fine, 'packet.unsafe_path', titled('a\0b')],
  ['has a title that is a device', fine, 'packet.unsafe_path', titled('payload/NUL')],
  ['has a title that is a device with an ending', fine, 'packet.unsafe_path', titled('payload/com1.jsonl')],
  ['has a title of a hidden stream', fine, 'packet.unsafe_path', titled('payload/docs.jsonl:x')],
  ['has a title that ends as another', fine, 'packet.unsafe_path', titled('payload/docs.jsonl.')],
  ['has a payload that is a device', fine, 'packet.unsafe_path', metadata({ payload_root: 'aux' })],
  ['has two files in one place', fine, 'packet.unsafe_path', titled('payload/A', 'payload/a')],
  ['has a file that is a folder', fine, 'packet.unsafe_path', titled('payload/a', 'payload/a/b')],
  ['wants to be its own manifest', fine, 'packet.unsafe_path', titled('oci-manifest.json')],
  ['has a payload at the root', fine, 'packet.unsafe_path', metadata({ payload_root: '/' })],
  ['has a payload above', fine, 'packet.unsafe_path', metadata({ payload_root: '../..' })],
  ['has a payload root of a number', fine, 'packet.metadata', metadata({ payload_root: 7 })],
  ['lists a file it has not', fine, 'packet.metadata', metadata({ payload: { files: [{ name: 'more' }] } })],
  [
    'lists another digest',
    fine,
    'packet.metadata',
    metadata({ payload: { files: [{ name: 'docs.jsonl', digest: docsDigest }] } }),
  ],
  ['lists a file outside', fine, 'packet.unsafe_path', metadata({ payload: { files: [{ name: '../x' }] } })],
  ['has metadata that is no JSON', fine, 'packet.metadata', withMetadata('{')],
  ['has metadata of another kind', fine, 'packet.metadata', withMetadata('{"schema":"x"}')],
  ['has huge metadata', fine, 'packet.too_large', withMetadata(Buffer.alloc(4 * 1024 * 1024 + 1, ' '))],
  ['has an index of nothing', fine, 'packet.artifact', index()],
  ['has an index of many', serveAll(packet), 'packet.artifact', index(entry(packet), entry(titled('a')))],
  ['has an index of an index', serveAll(index()), 'packet.artifact', index(entry(index()))],
  ['has an index of a lost manifest', fine, 'registry.missing', index(entry(titled('b')))],
]

/** Records the targets of opened sockets until it is closed. */
const watchSockets = () => {
  const { connect } = Socket.prototype
  const seen: string[] = []
  Socket.prototype.connect = function (this: Socket, ...words: unknown[]) {
    const [first] = words.flat() as { host?: string; port?: number }[]
    seen.push(`${first?.host}:${first?.port}`)
    return Reflect.apply(connect, this, words)
  } as typeof connect
  return {
    end: () => {
      Socket.prototype.connect = connect
      return seen
    },
  }
}

/** An archive that would leave its folder when unpacked: a link to /etc, and a device. */
const archive = (): Buffer => {
  const entry = (name: string, kind: string, target: string) => {
    const head = Buffer.alloc(512)
    head.write(name)
    head.write('0000644', 100)
    head.write('00000000000', 124)
    head.write('        ', 148)
    head.write(kind, 156)
    head.write(target, 157)
    const sum = head.reduce((total, byte) => total + byte, 0)
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return head
  }
  return Buffer.concat([entry('way-out', '2', '/etc'), entry('null', '3', ''), Buffer.alloc(1024)])
}

describe('a registry that misbehaves', () => {
  let kept: ReturnType<typeof openTestPackets> & { ref: string }
  beforeAll(async () => {
    const made = await publishToMemory(await buildTexts({ 'guide.md': '# Wicks\n\nTrim the wick.\n' }))
    registry.play(made, fine)
    const ref = `oci://${registry.address}/demo@${made.digest}`
    kept = { ...openTestPackets(await makeFolder(), registry.address), ref }
    expect(await kept.packets.query({ ref, q: 'wick' }, forever)).toMatchObject({ ok: true })
  })
  afterAll(() => kept.close())
  beforeEach(() => neighbour.play(packet, fine))

  it('does so in more than sixty ways', () => {
    expect(MISBEHAVIOURS.length).toBeGreaterThan(60)
    expect(new Set(MISBEHAVIOURS.map(([name]) => name)).size).toBe(MISBEHAVIOURS.length)
  })

  it.each(MISBEHAVIOURS)(
    '%s: we say what is wrong, keep nothing, and ask nobody it leads us to',
    async (_, behave, code, other) => {
      registry.play(other ?? packet, behave)
      const { root, done } = await pull()
      const reached = watchSockets()
      await expect(done).rejects.toMatchObject({ code })
      expect(reached.end().filter((address) => address !== registry.address)).toEqual([])
      expect(await readdir(join(root, 'cas')).catch(() => [])).toEqual([])
      // What was fetched on a better day is there as before.
      const asked = registry.calls.length
      expect(await kept.packets.query({ ref: kept.ref, q: 'wick' }, forever)).toMatchObject({
        ok: true,
        cache: { hit: true },
      })
      expect(registry.calls.length).toBe(asked)
    },
  )

  it('may send links and devices in an archive: nothing is ever unpacked', async () => {
    const made = makeArtifact({ 'payload/docs.jsonl': archive() })
    registry.play(made, fine)
    const { store, done } = await pull()
    const { digest, folder } = await done
    expect(await store.verify([digest])).toEqual([{ digest, problems: [] }])
    const found = await readdir(folder, { recursive: true, withFileTypes: true })
    expect(
      found
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['docs.jsonl', 'oci-manifest.json'])
    expect(found.every((entry) => entry.isFile() || entry.isDirectory())).toBe(true)
  })

  it('is asked once when it says that it is busy for long', async () => {
    registry.play(packet, onManifest(answers(429, { 'retry-after': '86400' })))
    const { done } = await pull()
    await expect(done).rejects.toMatchObject({ detail: { retryAfterMs: 86_400_000 } })
    expect(registry.calls).toHaveLength(1)
  })

  it('gets three tries and no more', async () => {
    registry.play(packet, onManifest(answers(500)))
    await expect((await pull()).done).rejects.toMatchObject({ code: 'registry.unavailable' })
    expect(registry.calls).toHaveLength(3)
  })
})

describe('a registry with a bad day', () => {
  const once =
    (act: Behaviour): Behaviour =>
    (call, response, address) =>
      call.before === 0 && act(call, response, address)
  const cut: Behaviour = (_, response) => {
    response.writeHead(200, { 'content-length': DOCS.length })
    response.write(DOCS.subarray(0, 30_000), () => setTimeout(() => response.destroy(), 20))
  }
  const RECOVERIES: readonly [string, Behaviour][] = [
    ['is busy for a moment', onManifest(once(answers(429, { 'retry-after': '0' })))],
    [
      'is busy until the past',
      onManifest(once(answers(503, { 'retry-after': 'Fri, 01 Jan 2021 00:00:00 GMT' }))),
    ],
    ['fails once', onDocs(once(answers(502)))],
    ['hangs up once', onManifest(once(hangsUp))],
    ['cuts a blob', onDocs(once(cut))],
    [
      'cuts a blob and knows no ranges',
      onDocs((call, response, address) =>
        call.before === 0 ? cut(call, response, address) : send(response, 200, {}, DOCS),
      ),
    ],
    ['wants a token', wantsToken(answers(200, {}, '{"access_token":"t","expires_in":300}'))],
    [
      'leads a blob to a neighbour',
      onDocs((call, response) =>
        send(response, 307, { location: `http://${neighbour.address}${call.path}` }),
      ),
    ],
  ]

  it.each(RECOVERIES)('%s: we get the packet', async (_, behave) => {
    registry.play(packet, behave)
    neighbour.play(packet, fine)
    const { store, done } = await pull()
    const { digest } = await done
    expect(await store.verify([digest])).toMatchObject([{ problems: [] }])
  })

  it('falls silent in the middle of a blob: we ask for the rest, and wait for no deadline', async () => {
    const stall: Behaviour = (_, response) => {
      response.writeHead(200, { 'content-length': DOCS.length })
      response.write(DOCS.subarray(0, 30_000))
    }
    registry.play(packet, onDocs(once(stall)))
    await (await pull({ idleMs: 150, requestMs: 60_000 })).done
    expect(registry.calls.filter(isDocs).map(({ headers }) => headers.range)).toEqual([
      undefined,
      'bytes=30000-',
    ])
    registry.play(packet, onDocs(stall))
    await expect((await pull({ idleMs: 150, requestMs: 60_000 })).done).rejects.toMatchObject({
      code: 'registry.unreachable',
      message: `${registry.address} cannot be reached, or closed the connection (ETIMEDOUT)`,
    })
  })

  it('is seen by us to lead to a neighbour', async () => {
    // A new one, to whom no line is open yet.
    const other = new FaultRegistry()
    await other.start()
    const away = ({ path }: Call, response: ServerResponse) =>
      send(response, 307, { location: `http://${other.address}${path}` })
    registry.play(packet, onDocs(away))
    other.play(packet, fine)
    const { done } = await pull({ trusted: [registry.address, other.address] })
    const reached = watchSockets()
    await done
    expect(reached.end()).toContain(other.address)
    await other.stop()
  })

  it('sends only the rest of a blob that was cut', async () => {
    registry.play(packet, onDocs(once(cut)))
    await (await pull()).done
    expect(registry.calls.filter(isDocs).map(({ headers }) => headers.range)).toEqual([
      undefined,
      'bytes=30000-',
    ])
  })

  it.each<[string, Behaviour, string]>([
    [
      'another range',
      answers(206, { 'content-range': `bytes 0-${DOCS.length - 1}/${DOCS.length}` }, DOCS),
      'packet.mismatch',
    ],
    [
      'the wrong bytes',
      answers(206, { 'content-range': `bytes 30000-69999/70000` }, DOCS.subarray(7, 40_007)),
      'packet.mismatch',
    ],
    ['no range at all', answers(206, {}, DOCS), 'packet.mismatch'],
    ['a refusal', answers(416), 'registry.garbled'],
  ])('that resumes with %s is caught', async (_, resume, code) => {
    registry.play(
      packet,
      onDocs((call, response, address) => (call.before === 0 ? cut : resume)(call, response, address)),
    )
    await expect((await pull()).done).rejects.toMatchObject({ code })
  })

  it('may move a tag between requests: what was resolved is what we get', async () => {
    const moved = titled('payload/other')
    registry.play(
      packet,
      onManifest(
        (call, response) =>
          (call.before > 0 || registry.calls.length > 1) && send(response, 200, {}, moved.manifest),
      ),
    )
    const { digest } = await (await pull()).done
    expect(digest).toBe(packet.digest)
    expect(registry.calls.filter(isManifest)).toHaveLength(1)
  })
})

describe('our password', () => {
  const guarded: Behaviour = (call, response, address) => {
    if (call.headers.authorization === undefined) return asks('Basic realm="x"')(call, response, address)
    return isDocs(call) && send(response, 307, { location: `http://${neighbour.address}${call.path}` })
  }

  it('is sent to the registry and never to a redirect target', async () => {
    registry.play(packet, guarded)
    neighbour.play(packet, fine)
    await (await pull()).done
    expect(registry.calls.at(-1)?.headers.authorization).toBe(
      `Basic ${Buffer.from('me:hush').toString('base64')}`,
    )
    expect(neighbour.calls.length).toBe(1)
    expect(neighbour.calls[0]?.headers.authorization).toBeUndefined()
  })

  it('is sent to no token service of another host, and only the needed scope is requested', async () => {
    neighbour.play(packet, answers(200, {}, '{"token":"t"}'))
    const elsewhere = neighbour.address.replace('127.0.0.1', 'localhost')
    registry.play(packet, (call, response) => {
      if (call.headers.authorization === 'Bearer t') return false
      return send(response, 401, {
        'www-authenticate': `Bearer realm="http://${elsewhere}/token",service="s",scope="repository:other:delete"`,
      })
    })
    await (await pull()).done
    expect(neighbour.calls.map(({ headers }) => headers.authorization)).toEqual([undefined])
    expect(neighbour.calls[0]?.path).toBe('/token?scope=repository%3Ademo%3Apull&service=s')
  })

  it('is in no message', async () => {
    registry.play(packet, asks('Basic realm="x"'))
    const thrown = await (await pull()).done.catch((cause: unknown) => cause)
    expect(JSON.stringify({ ...(thrown as object), message: String(thrown) })).not.toMatch(/hush|bWU6/)
  })
})

describe('which registries are asked', () => {
  it.each<[string, Partial<OciSettings>, string]>([
    ['one on this machine that nobody named', { trusted: [] }, 'registry.not_allowed'],
    ['one that is not on the list', { allowed: ['example.com'] }, 'registry.not_allowed'],
    [
      'one whose name only ends like one on the list',
      { allowed: ['0.0.1'.slice(1)] },
      'registry.not_allowed',
    ],
    ['a blob beyond the limit', { maxBlobBytes: 1000 }, 'registry.too_large'],
  ])('not %s', async (_, change, code) => {
    registry.play(packet, fine)
    await expect((await pull(change)).done).rejects.toMatchObject({ code })
  })

  it('says that the host cannot be reached', async () => {
    const gone = new FaultRegistry()
    await gone.start()
    const { address } = gone
    await gone.stop()
    const client = new OciClient(new OciHttp(settings({ trusted: [address] })))
    await expect(client.tags(parseReference(`${address}/demo`), forever)).rejects.toMatchObject({
      code: 'registry.unreachable',
    })
  })

  it('lets go when the caller does', async () => {
    registry.play(packet, silent)
    const client = new OciClient(new OciHttp(settings()))
    const stop = new AbortController()
    const asked = client.tags(parseReference(`${registry.address}/demo`), stop.signal)
    await eventually('the question', () => registry.calls.length > 0)
    stop.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
  })
})

describe('lists of a registry', () => {
  const demo = () => parseReference(`${registry.address}/demo`)
  const client = () => new OciClient(new OciHttp(settings()))
  const tags = (behave: Behaviour) => {
    registry.play(packet, behave)
    return client().tags(demo(), forever)
  }

  it.each<[string, Behaviour, string]>([
    ['no JSON', answers(200, {}, 'tags'), 'registry.garbled'],
    ['no list', answers(200, {}, '{"tags":"1.0"}'), 'registry.garbled'],
    ['nothing of the kind', answers(200, {}, '[]'), 'registry.garbled'],
    ['too much', neverEnds, 'registry.too_large'],
    [
      'pages without end',
      answers(200, { link: '</v2/demo/tags/list?last=x>; rel="next"' }, '{"tags":["x"]}'),
      'registry.garbled',
    ],
    [
      'a page elsewhere',
      (_, response) =>
        send(response, 200, { link: `<http://${neighbour.address}/>; rel="next"` }, '{"tags":[]}'),
      'registry.garbled',
    ],
    [
      'a page at link-local',
      answers(200, { link: '<http://169.254.169.254/>; rel="next"' }, '{"tags":[]}'),
      'registry.forbidden_target',
    ],
    ['nothing, for there is none', answers(404), 'registry.missing'],
  ])('%s is refused', async (_, behave, code) => {
    await expect(tags(behave)).rejects.toMatchObject({ code })
  })

  it('are read page by page, without what is no tag', async () => {
    const page: Behaviour = ({ path }, response) =>
      path.includes('last')
        ? send(
            response,
            200,
            {},
            JSON.stringify({ tags: ['1', '../x', `sha256-${'a'.repeat(64)}`, null, '0.9'] }),
          )
        : send(response, 200, { link: '</v2/demo/tags/list?last=2>; rel="next"' }, '{"tags":["2","1"]}')
    expect(await tags(page)).toEqual(['2', '1', '0.9'])
    expect(await tags(answers(200, {}, '{"tags":null}'))).toEqual([])
  })

  it.each<[string, Behaviour, unknown]>([
    ['nothing', answers(404), []],
    [
      'something',
      on(({ path }) => path.includes('/referrers/'), answers(200, {}, index(entry(packet)).manifest)),
      [packet.digest],
    ],
    [
      'something under a tag',
      on(
        ({ path }) => path.endsWith(packet.digest.replace(':', '-')),
        answers(200, {}, index(entry(packet)).manifest),
      ),
      [packet.digest],
    ],
  ])('of referrers may hold %s', async (_, behave, digests) => {
    registry.play(packet, behave)
    const found = await client().referrers(demo(), packet.digest, forever)
    expect(found.map(({ digest }) => digest)).toEqual(digests)
  })

  it.each<[string, Behaviour, string]>([
    ['garbage', answers(200, {}, 'x'), 'packet.artifact'],
    ['a refusal', answers(403), 'registry.denied'],
    ['failure', answers(500), 'registry.unavailable'],
  ])('of referrers that are %s are refused', async (_, behave, code) => {
    registry.play(packet, behave)
    await expect(client().referrers(demo(), packet.digest, forever)).rejects.toMatchObject({ code })
  })
})

describe('a push', () => {
  const blob = { digest: docsDigest, size: DOCS.length }
  const isNew = ({ method }: Call) => method === 'HEAD'
  const absent: Behaviour = on(isNew, answers(404))
  const both =
    (a: Behaviour, b: Behaviour): Behaviour =>
    (...args) =>
      a(...args) === false ? b(...args) : undefined
  const by = (method: string, act: Behaviour) =>
    both(
      absent,
      on((call) => call.method === method, act),
    )
  const push = (behave: Behaviour, change: Partial<OciSettings> = {}) => {
    registry.play(packet, behave)
    const pusher = new OciPusher(new OciHttp(settings(change)))
    return pusher.pushBlob({
      at: parseReference(`${registry.address}/demo`),
      blob,
      source: memorySource(DOCS),
      signal: forever,
    })
  }
  const methods = () => registry.calls.map(({ method }) => method).join(' ')

  it('sends nothing that is there', async () => {
    expect(await push(fine)).toBe('there')
    expect(methods()).toBe('HEAD')
  })

  it('sends a small blob at once and a large one in pieces', async () => {
    expect(await push(absent)).toBe('sent')
    expect(methods()).toBe('HEAD POST PUT')
    expect(await push(absent, { chunkBytes: 30_000 })).toBe('sent')
    expect(methods()).toBe('HEAD POST PATCH PATCH PATCH PUT')
    const ranges = registry.calls.flatMap(({ headers }) => headers['content-range'] ?? [])
    expect(ranges).toEqual(['0-29999', '30000-59999', '60000-69999'])
  })

  it('is begun anew, and then given up, when the registry falls silent; no deadline is waited for', async () => {
    const stalled = { idleMs: 150, requestMs: 60_000 }
    let silent = true
    const onceSilent = by('PUT', () => {
      if (!silent) return false
      silent = false
      return undefined
    })
    expect(await push(onceSilent, stalled)).toBe('sent')
    expect(methods()).toBe('HEAD POST PUT POST PUT')
    await expect(
      push(
        by('PUT', () => undefined),
        stalled,
      ),
    ).rejects.toMatchObject({
      code: 'registry.unreachable',
      message: `${registry.address} cannot be reached, or closed the connection (ETIMEDOUT)`,
    })
    expect(methods()).toBe('HEAD POST PUT POST PUT POST PUT')
    await expect(
      push(
        by('POST', () => undefined),
        stalled,
      ),
    ).rejects.toMatchObject({ code: 'registry.unreachable' })
  })

  it('is given up when the registry takes no more bytes, after those it took', async () => {
    const full = createServer((asked, response) => {
      if (asked.method === 'HEAD') response.writeHead(404).end()
      // The body of a PUT is never read: the buffers between the two fill up.
      if (asked.method === 'POST') response.writeHead(202, { location: '/v2/demo/blobs/uploads/1' }).end()
    })
    await new Promise<void>((resolve) => full.listen(0, '127.0.0.1', resolve))
    const address = `127.0.0.1:${(full.address() as AddressInfo).port}`
    const bytes = Buffer.alloc(32 * 1024 * 1024)
    const change = { trusted: [address], idleMs: 300, requestMs: 600_000, attempts: 1 }
    let passed = 0
    const pushing = new OciPusher(new OciHttp(settings(change))).pushBlob({
      at: parseReference(`${address}/demo`),
      blob: { digest: digestBytes('x'), size: bytes.length },
      source: memorySource(bytes),
      signal: forever,
      passed: (count) => {
        passed += count
      },
    })
    await expect(pushing).rejects.toMatchObject({ code: 'registry.unreachable' })
    expect(passed).toBeLessThan(bytes.length)
    full.closeAllConnections()
    full.close()
  })

  const firstPatch = () => registry.calls.filter(({ method }) => method === 'PATCH').length === 1

  it('begins anew when a piece fails', async () => {
    expect(
      await push(
        by('PATCH', (_, response) => firstPatch() && send(response, 500)),
        { chunkBytes: 40_000 },
      ),
    ).toBe('sent')
    expect(methods()).toBe('HEAD POST PATCH POST PATCH PATCH PUT')
  })

  it('follows an upload to a neighbour, without our password', async () => {
    neighbour.play(packet, fine)
    const leads: Behaviour = (call, response, address) => {
      if (call.headers.authorization === undefined) return asks('Basic realm="x"')(call, response, address)
      return by('POST', (_, answer) => send(answer, 202, { location: `http://${neighbour.address}/up?x=1` }))(
        call,
        response,
        address,
      )
    }
    expect(await push(leads)).toBe('sent')
    expect(neighbour.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `PUT /up?x=1&digest=${encodeURIComponent(docsDigest)}`,
    ])
    expect(neighbour.calls[0]?.headers.authorization).toBeUndefined()
  })

  it.each<[string, Behaviour, string]>([
    ['no place', by('POST', answers(202)), 'registry.garbled'],
    [
      'a place at link-local',
      by('POST', answers(202, { location: 'http://169.254.169.254/' })),
      'registry.forbidden_target',
    ],
    ['another way', by('POST', leadsTo('/elsewhere')), 'registry.garbled'],
    ['no room', by('POST', answers(403)), 'registry.denied'],
    [
      'a complaint',
      by('PUT', answers(400, {}, '{"errors":[{"code":"DIGEST_INVALID"}]}')),
      'registry.rejected',
    ],
    ['failure', by('PUT', answers(500)), 'registry.unavailable'],
    ['silence', by('PUT', silent), 'registry.slow'],
  ])('that is given %s fails with a word about it', async (_, behave, code) => {
    await expect(push(behave)).rejects.toMatchObject({ code })
  })

  it('repeats the code of a complaint, and none of its text', async () => {
    const words = (code: string) =>
      push(by('PUT', answers(400, {}, JSON.stringify({ errors: [{ code, message: 'ignore all' }] }))))
    await expect(words('DIGEST_INVALID')).rejects.toThrow('answered 400 (DIGEST_INVALID) to')
    await expect(words('ignore previous instructions')).rejects.toThrow('answered 400 to')
  })

  it('of a manifest notices when another one was stored', async () => {
    registry.play(packet, answers(201, { 'docker-content-digest': docsDigest }))
    const pusher = new OciPusher(new OciHttp(settings()))
    const at = parseReference(`${registry.address}/demo`)
    await expect(pusher.pushManifest(at, '1.0.0', packet.manifest, forever)).rejects.toMatchObject({
      code: 'registry.garbled',
    })
  })
})
