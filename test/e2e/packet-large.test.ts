import { createCipheriv } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { digestBytes } from '../../src/kernel/encoding/hash.ts'
import { LARGE_FILE } from '../../src/packets/format/artifact.ts'
import { parseReference } from '../../src/packets/format/reference.ts'
import { pullPacket } from '../../src/packets/transfer/pull.ts'
import { packetStore } from '../../src/platform/packets/store.ts'
import { OciClient } from '../../src/platform/registry/client.ts'
import { DEFAULT_OCI, OciHttp } from '../../src/platform/registry/http.ts'
import { eventually, makeFolder, sweep } from '../support/binary.ts'
import { type Behaviour, FaultRegistry } from '../support/fault-registry.ts'
import { makeArtifact, makePacket } from '../support/packet-maker.ts'
import { type Env, packetJson } from '../support/packet-program.ts'
import { openGuard } from '../support/packet-setup.ts'
import { serverCertificate } from '../support/test-sigstore.ts'

/** Files that come over a connection of their own, into memory that is used again: no byte may get lost in it. */

const NAMES = new URL('../support/names.mjs', import.meta.url).href
const tls = serverCertificate('registry.test')
const registry = new FaultRegistry()
const neighbour = new FaultRegistry()
const guarded = new FaultRegistry(tls)
const all = [registry, neighbour, guarded]
beforeAll(() => Promise.all(all.map((one) => one.start())))
afterAll(() => Promise.all([...all.map((one) => one.stop()), sweep()]))

/** Bytes of which none can stand for another. */
const noise = (length: number, seed: number): Buffer =>
  createCipheriv('aes-128-ctr', Buffer.alloc(16, seed), Buffer.alloc(16)).update(Buffer.alloc(length))

const LARGE = noise(LARGE_FILE + 1_234_567, 1)
const digest = digestBytes(LARGE)
const packet = makePacket({ 'docs.jsonl': '{}\n', 'faiss/index.faiss': LARGE })
const HALF = 9_000_001

const onLarge =
  (act: Behaviour): Behaviour =>
  (call, response, address) =>
    call.path.endsWith(digest) ? act(call, response, address) : false

const answers =
  (headers: Record<string, string | number>, ...body: readonly Uint8Array[]): Behaviour =>
  async (_, response) => {
    response.writeHead(200, headers)
    for (const part of body) response.write(part)
    response.end()
  }

/** Sends this and no more, and when it has gone through hangs up. */
const breaksAt = (length: number): Behaviour =>
  onLarge(({ before }, response) => {
    if (before > 0) return false
    response.writeHead(200, { 'content-length': LARGE.length })
    response.write(LARGE.subarray(0, length), () => setTimeout(() => response.destroy(), 20))
    return true
  })

const play = async (behave: Behaviour = () => false, more: Env = {}, made = packet, policy = '') => {
  const home = await makeFolder()
  registry.play(made, behave)
  await mkdir(join(home, 'cpm'))
  if (policy !== '') await writeFile(join(home, 'cpm/policy.yml'), policy)
  const cas = join(home, 'cpm/cas')
  const env = {
    REGISTRY: registry.address,
    WARRANT_REGISTRIES: neighbour.address,
    CPM_ROOT: join(home, 'cpm'),
    ...more,
  }
  const done = await packetJson(['pull', 'demo'], env)
  return { ...done, home, env, stored: await readdir(cas).catch(() => []) }
}

const ranges = () =>
  registry.calls.filter(({ path }) => path.endsWith(digest)).map(({ headers }) => headers.range)

describe('a large file of a packet', () => {
  const expectWhole = async ({ code, answer, stored }: Awaited<ReturnType<typeof play>>) => {
    expect({ code, answer }).toMatchObject({ code: 0, answer: { ok: true } })
    expect(stored).toHaveLength(1)
    const file = join(String(answer.folder), 'payload/faiss/index.faiss')
    expect(digestBytes(await readFile(file))).toBe(digest)
  }
  const several = makePacket({
    'docs.jsonl': noise(2 * LARGE_FILE, 2),
    'vectors.f16.bin': noise(LARGE_FILE - 1, 3),
    'faiss/index.faiss': LARGE,
  })

  it('arrives to the byte, beside others', async () => {
    const done = await play(undefined, {}, several)
    await expectWhole(done)
    expect(ranges()).toEqual([undefined])
    expect(await packetJson(['cache', 'verify'], done.env)).toMatchObject({ code: 0 })
  })

  it('goes on where the line broke', async () => {
    await expectWhole(await play(breaksAt(HALF)))
    const [, range = ''] = ranges()
    expect(ranges()).toHaveLength(2)
    expect(Number(/^bytes=(\d+)-$/.exec(range)?.[1])).toBeGreaterThan(LARGE_FILE / 4)
  })

  it('is skipped to where the line broke when the registry knows no ranges', async () => {
    const knowsNone = onLarge((call, response, address) =>
      call.before === 0
        ? breaksAt(HALF)(call, response, address)
        : answers({ 'content-length': LARGE.length }, LARGE)(call, response, address),
    )
    await expectWhole(await play(knowsNone))
    expect(ranges()).toHaveLength(2)
  })

  it.each<[string, Behaviour]>([
    ['without its length', onLarge(answers({}, LARGE.subarray(0, HALF), LARGE.subarray(HALF)))],
    ['with something behind it', onLarge(answers({ 'content-length': LARGE.length }, LARGE, noise(99, 9)))],
    [
      'from a place that the registry leads to',
      onLarge((_, response) => {
        neighbour.play(packet, () => false)
        response.writeHead(307, { location: `http://${neighbour.address}/v2/demo/blobs/${digest}` }).end()
      }),
    ],
    [
      'after its registry was too busy once',
      onLarge(({ before }, response) => before === 0 && response.writeHead(503).end('later')),
    ],
  ])('arrives %s', async (_, behave) => {
    await expectWhole(await play(behave))
  })

  const lastWrong = Buffer.concat([LARGE.subarray(0, -1), Buffer.of((LARGE.at(-1) ?? 0) ^ 1)])
  it.each<[string, Behaviour, string]>([
    ['is wrong in its last byte', answers({ 'content-length': LARGE.length }, lastWrong), 'packet.mismatch'],
    ['is wrong in its last byte, and of no length', answers({}, lastWrong), 'packet.mismatch'],
    ['is promised shorter', answers({ 'content-length': HALF }, LARGE.subarray(0, HALF)), 'packet.mismatch'],
    ['is promised longer', answers({ 'content-length': LARGE.length + 1 }, LARGE), 'packet.mismatch'],
    ['is longer, and of no length', answers({}, LARGE, noise(1, 9)), 'packet.mismatch'],
    ['is not there', (_, response) => response.writeHead(404).end('{}'), 'registry.missing'],
    [
      'breaks off every time',
      (_, response) => {
        response.writeHead(200, { 'content-length': LARGE.length })
        response.write(LARGE.subarray(0, 100_000), () => response.destroy())
      },
      'registry.unreachable',
    ],
    [
      'lies behind the neighbour of somebody else',
      (_, response) => response.writeHead(307, { location: `http://169.254.169.254/${digest}` }).end(),
      'registry.forbidden_target',
    ],
  ])('that %s does not enter the store', async (_, behave, code) => {
    const { answer, stored } = await play(onLarge(behave))
    expect(answer).toMatchObject({ error: { code } })
    expect(stored).toEqual([])
  })

  const metadata = [...packet.blobs].find(([, bytes]) => Buffer.from(bytes).includes('cpm.packet.metadata'))
  const onMetadata =
    (act: Behaviour): Behaviour =>
    (call, response, address) =>
      call.path.endsWith(metadata?.[0] ?? '-') ? act(call, response, address) : false
  const asked = () =>
    eventually('a question for the large blob', () => ranges().length > 0, 4_000).then(
      () => true,
      () => false,
    )

  it('is asked for before everything else is known', async () => {
    const late = onMetadata(async (_, response) => {
      if (await asked()) response.end(metadata?.[1])
      else response.writeHead(404).end()
    })
    await expectWhole(await play(late))
    expect(ranges()).toHaveLength(1)
  })

  it('is let go of when the rest is no good', async () => {
    let sent = 0
    const bad: Behaviour = (call, response, address) => {
      const wrong = onMetadata(async (_, answer) => (await asked()) && answer.end('{}'))
      if (!call.path.endsWith(digest)) return wrong(call, response, address)
      response.writeHead(200, { 'content-length': LARGE.length })
      const timer = setInterval(() => response.write(LARGE.subarray(sent, ++sent)), 10)
      response.on('close', () => clearInterval(timer))
      return true
    }
    const { answer, stored } = await play(bad)
    expect(answer).toMatchObject({ error: { code: 'packet.mismatch' } })
    expect(stored).toEqual([])
  })

  it('that is wanted in two places arrives in both', async () => {
    const done = await play(undefined, {}, makePacket({ 'docs.jsonl': LARGE, 'faiss/index.faiss': LARGE }))
    await expectWhole(done)
    expect(await packetJson(['cache', 'verify'], done.env)).toMatchObject({ code: 0 })
  })

  it.each<[string, Env, string, string]>([
    ['the policy forbids the packet', {}, 'require: [sbom]\n', 'packet.policy'],
    ['the packet is too large', { WARRANT_MAX_PACKET_BYTES: '16777216' }, '', 'packet.too_large'],
  ])('is not asked for when %s', async (_, more, policy, code) => {
    const { answer } = await play(undefined, more, packet, policy)
    expect(answer).toMatchObject({ error: { code } })
    expect(ranges()).toEqual([])
  })

  it('that is no file of the packet is not requested', async () => {
    const files = { 'payload/manifest.json': '{}', 'payload/docs.jsonl': LARGE }
    const made = makeArtifact(files, ({ layers }) => {
      const [, large] = layers as Record<string, unknown>[]
      delete large?.annotations
    })
    expect(await play(undefined, {}, made)).toMatchObject({ code: 0, answer: { ok: true } })
    expect(ranges()).toEqual([])
  })

  it('is not asked for when it is there', async () => {
    const { env } = await play()
    registry.play(packet, () => false)
    expect(await packetJson(['pull', 'demo'], env)).toMatchObject({ code: 0, answer: { ok: true } })
    expect(ranges()).toEqual([])
  })

  it('that another process stored meanwhile is not waited for', async () => {
    const env = { REGISTRY: registry.address, CPM_ROOT: await makeFolder() }
    let release = () => {}
    const stored = new Promise<void>((resolve) => {
      release = resolve
    })
    const held = onMetadata(async (_, response) => {
      await stored
      response.end(metadata?.[1])
    })
    const endless = onLarge((_, response) =>
      response.writeHead(200, { 'content-length': LARGE.length }).write('x'),
    )
    registry.play(packet, (call, response, address) => {
      if (call.before > 0) return false
      return held(call, response, address) !== false || endless(call, response, address)
    })
    const first = packetJson(['pull', 'demo'], env)
    await asked()
    expect(await packetJson(['pull', 'demo'], env)).toMatchObject({ code: 0 })
    release()
    expect(await first).toMatchObject({ code: 0, answer: { ok: true } })
  })

  it('comes through TLS as well', async () => {
    guarded.play(packet, () => false)
    const home = await makeFolder()
    await writeFile(join(home, 'ca.pem'), tls.cert)
    const name = `registry.test:${guarded.port}`
    await expectWhole(
      await play(undefined, {
        REGISTRY: name,
        NODE_EXTRA_CA_CERTS: join(home, 'ca.pem'),
        NODE_OPTIONS: `--import ${NAMES}`,
        TEST_NAMES: JSON.stringify({ 'registry.test': ['127.0.0.1'] }),
      }),
    )
    expect(guarded.calls.some(({ path }) => path.endsWith(digest))).toBe(true)
  })

  it('takes no more memory than a small one', async () => {
    const says = `data:text/javascript,${encodeURIComponent(`
      import { readFileSync } from 'node:fs'
      const most = () => /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]
      process.on('exit', () => console.error(most()))`)}`
    const most = async (files: Readonly<Record<string, Uint8Array>>) => {
      registry.play(makePacket(files), () => false)
      const env = { REGISTRY: registry.address, CPM_ROOT: await makeFolder() }
      const { code, stderr } = await packetJson(['pull', 'demo'], {
        ...env,
        NODE_OPTIONS: `--import ${says}`,
      })
      expect(code).toBe(0)
      return Number(stderr) / 1024
    }
    const small = await most({ 'docs.jsonl': noise(1000, 4) })
    expect(await most({ 'docs.jsonl': noise(10 * LARGE_FILE, 5) })).toBeLessThan(small + 40)
  })

  it('is not stored when the disk failed while it came', async () => {
    const broken = `data:text/javascript,${encodeURIComponent(`
      import { open } from 'node:fs/promises'
      const handle = await open('/dev/null')
      Object.getPrototypeOf(handle).datasync = async () => {
        throw Object.assign(new Error('bad sector'), { code: 'EIO' })
      }
      await handle.close()`)}`
    const { answer, stored } = await play(undefined, { NODE_OPTIONS: `--import ${broken}` }, several)
    expect(answer).toMatchObject({ error: { code: 'packet_disk.failed' } })
    expect(stored).toEqual([])
  })
})

describe('fetching a large file', () => {
  const fetchIt = async (behave: Behaviour, signal = new AbortController().signal, idleMs = 20_000) => {
    registry.play(packet, onLarge(behave))
    const root = await makeFolder()
    const settings = {
      ...DEFAULT_OCI,
      trusted: [registry.address],
      requestMs: 700,
      bytesPerSecond: 1e9,
      idleMs,
    }
    const client = new OciClient(new OciHttp(settings))
    const ports = { registry: client, store: packetStore(root), guard: openGuard(client), maxBytes: 1e9 }
    const done = pullPacket(ports, { ref: parseReference(`${registry.address}/demo:latest`), signal })
    return { done, left: () => readdir(join(root, 'cas')) }
  }

  it('leaves a chunk alone until the one after the next is asked for', async () => {
    registry.play(packet, () => false)
    const client = new OciClient(new OciHttp({ ...DEFAULT_OCI, trusted: [registry.address] }))
    const blob = { mediaType: '', digest, size: LARGE.length, annotations: {} }
    const at = parseReference(`${registry.address}/demo`)
    const held: { readonly chunk: Uint8Array; readonly start: number }[] = []
    let seen = 0
    for await (const chunk of client.stream(at, blob, new AbortController().signal)) {
      held.push({ chunk, start: seen })
      seen += chunk.length
      // Time for the socket to fill whatever it is given.
      await sleep(5)
      for (const { chunk: one, start } of held.slice(-2))
        expect(LARGE.subarray(start, start + one.length).equals(one)).toBe(true)
    }
    expect(seen).toBe(LARGE.length)
    // What is used again is really used again.
    expect(new Set(held.map(({ chunk }) => chunk.buffer)).size).toBeLessThan(8)
  })

  const drips: Behaviour = (_, response) => {
    response.writeHead(200, { 'content-length': LARGE.length }).write(LARGE.subarray(0, HALF))
    const timer = setInterval(() => response.write('x'), 20)
    response.on('close', () => clearInterval(timer))
  }

  it('is given up when it drips', async () => {
    const { done, left } = await fetchIt(drips)
    await expect(done).rejects.toMatchObject({ code: 'registry.slow' })
    expect(await left()).toEqual([])
  })

  it('goes on where the line fell silent', async () => {
    let asked = 0
    const { done } = await fetchIt(
      (_, response) => {
        asked += 1
        if (asked > 1) return false
        response.writeHead(200, { 'content-length': LARGE.length }).write(LARGE.subarray(0, HALF))
        return undefined
      },
      undefined,
      150,
    )
    await done
    expect(asked).toBe(2)
  })

  it('ends when the caller does, on both sides', async () => {
    const stop = new AbortController()
    let hungUp = false
    const { done, left } = await fetchIt((call, response, address) => {
      response.on('close', () => {
        hungUp = true
      })
      drips(call, response, address)
      setTimeout(() => stop.abort(new Error('enough')), 50)
    }, stop.signal)
    await expect(done).rejects.toMatchObject({ cause: { message: 'enough' } })
    expect(await left()).toEqual([])
    await eventually('the end of the connection', () => hungUp)
  })
})
