import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { digestBytes } from '../src/kernel/encoding/hash.ts'
import { writeDescriptor } from '../src/packets/format/artifact.ts'
import { writeFlatIndex } from '../src/packets/format/faiss.ts'
import { BINARY, cleanEnvironment, makeFolder, Program, sweep } from './support/binary.ts'
import { embedLocally, LOCAL_DIM, sentenceNamed } from './support/local-embedder.ts'
import { initialize, request } from './support/messages.ts'

afterAll(sweep)

/** So many that the index is searched in a thread. */
const ROWS = 260_000
const ANSWER_MS = 120_000

const threadsOf = async (pid: number) => (await readdir(`/proc/${pid}/task`)).length

/** A packet as if it had been fetched, with the manifest a registry would have given. */
const layPacket = async () => {
  const values = new Float32Array(ROWS * LOCAL_DIM)
  const lines = Array.from({ length: ROWS }, (_, row) => {
    const text = `item ${row} of shelf ${row % 977}`
    values.set(embedLocally(text), row * LOCAL_DIM)
    return `${JSON.stringify({ id: `a.md:${row}`, text, metadata: { path: 'a.md' } })}\n`
  })
  const embedding = { model: sentenceNamed.model, dim: LOCAL_DIM, dtype: 'float16' }
  const files = new Map<string, Uint8Array>([
    ['payload/docs.jsonl', Buffer.from(lines.join(''))],
    ['payload/faiss/index.faiss', writeFlatIndex({ rows: ROWS, dim: LOCAL_DIM, values })],
    ['payload/manifest.json', Buffer.from(JSON.stringify({ embedding }))],
  ])
  const layers = [...files].map(([path, bytes]) =>
    writeDescriptor('application/octet-stream', digestBytes(bytes), bytes.length, path),
  )
  const config = writeDescriptor('application/vnd.oci.empty.v1+json', digestBytes(Buffer.from('{}')), 2, '')
  const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, config, layers }))
  const digest = digestBytes(manifest)
  const root = await makeFolder()
  for (const [path, bytes] of files.set('oci-manifest.json', manifest)) {
    const place = join(root, 'cas', digest.replace(':', '_'), path)
    await mkdir(dirname(place), { recursive: true })
    await writeFile(place, bytes)
  }
  return { root, digest }
}

it(
  'a packet of 260 000 chunks is searched in a thread, and found is what is there',
  async () => {
    const { root, digest } = await layPacket()
    const program = new Program([], { binary: 'cpm-mcp', env: { CPM_ROOT: root } })
    const ref = `oci://localhost/x@${digest}`
    const ask = (id: number, q: string) =>
      request(id, 'tools/call', { name: 'query', arguments: { ref, q, k: 2 } })
    program.send(initialize(), request(2, 'tools/list'))
    await program.answers(2)
    const before = await threadsOf(program.pid)
    program.send(ask(3, 'item 4242'))
    const said = await program.answers(3, ANSWER_MS)
    expect(said[2]).toMatchObject({
      result: {
        structuredContent: {
          ok: true,
          mode: 'hybrid',
          // The other one is the nearest by meaning.
          results: expect.arrayContaining([expect.objectContaining({ snippet: 'item 4242 of shelf 334' })]),
        },
      },
    })
    expect(await threadsOf(program.pid)).toBeGreaterThan(before)
    expect(await program.finish()).toMatchObject({ code: 0 })
  },
  ANSWER_MS,
)

/** Prints the most memory that a process had, in KiB. */
const MEMORY = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync } from 'node:fs'
  process.on('exit', () => console.error(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]))`)}`

/** Sections of about a thousand letters, each a chunk. */
const makeSections = async (files: number, sections: number): Promise<string> => {
  const source = await makeFolder()
  for (let file = 0; file < files; file++) {
    const texts = Array.from({ length: sections }, (_, section) => {
      const line = (i: number) =>
        `line ${i} of section ${section} says word${(file * section * i) % 9973} again and again`
      return `## Section ${file} ${section}\n\n${Array.from({ length: 20 }, (__, i) => line(i)).join('\n')}\n`
    })
    await writeFile(join(source, `${file}.md`), texts.join('\n'))
  }
  return source
}

it(
  'a packet of 80 000 chunks is built with the memory of a small one',
  async () => {
    const source = await makeSections(1600, 50)
    const out = await makeFolder()
    const words = ['packet', 'build', source, '--name', 'large', '--version', '1', '--out', out, '--json']
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--import', MEMORY, BINARY, ...words, '--embedder', 'words'],
      { env: cleanEnvironment({}), maxBuffer: 1e8 },
    )
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, chunks: 80_000 })
    expect(Number(stderr.trim().split('\n').at(-1)) / 1024).toBeLessThan(250)
  },
  ANSWER_MS,
)
