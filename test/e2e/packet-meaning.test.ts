import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeVectors } from '../../src/packets/format/vectors.ts'
import { SentenceModel } from '../../src/packets/minilm/model.ts'
import { makeTokenizer } from '../../src/packets/minilm/tokenizer.ts'
import { splitWindows } from '../../src/packets/minilm/windows.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import { readModelFiles } from '../support/minilm.ts'
import { packetJson, packetText } from '../support/packet-program.ts'

afterAll(sweep)

/** Enough passages for several jobs of the worker threads. */
const NOTES = [
  'Restore the previous release with one command when the new one misbehaves.',
  'The server listens on a port that the operator chooses.',
  'Passwords are kept in the key store of the system.',
  'Logs are rotated every night and removed after a month.',
  'A request that fails is tried again three times.',
  'Colours of the report follow the theme of the browser.',
  'Tables are sorted by the first column.',
  'The installer needs no administrator.',
  'Every answer names the commit it was read from.',
]

describe('a packet that is embedded on this machine', () => {
  let [source, out] = ['', '']

  beforeAll(async () => {
    const home = await makeFolder()
    ;[source, out] = [join(home, 'src'), join(home, 'out')]
    await mkdir(source)
    for (const [i, note] of NOTES.entries()) await writeFile(join(source, `note${i}.md`), `${note}\n`)
  })

  const build = (...words: string[]) =>
    packetJson(['build', source, '--name', 'notes', '--version', '1.0.0', '--out', out, ...words])
  const readPart = (name: string) => readFile(join(out, 'notes/1.0.0', name))

  it('has the vectors of the model, whichever thread made them', async () => {
    expect(await build()).toMatchObject({
      code: 0,
      answer: { model: 'all-MiniLM-L6-v2-q8-s128', chunks: NOTES.length, embedded: NOTES.length },
    })
    const files = await readModelFiles()
    const model = new SentenceModel((into, at) =>
      into.set(files['minilm.bin'].subarray(at, at + into.length)),
    )
    const tokenizer = makeTokenizer(files['vocabulary.bin'])
    const rows = NOTES.map((text, i) => {
      const [window] = splitWindows(tokenizer, { path: `note${i}.md`, headings: [], text })
      return model.embed(tokenizer.encode(window?.input ?? '').ids)
    })
    const values = Float32Array.from(rows.flatMap((row) => [...row]))
    const expected = writeVectors({ rows: rows.length, dim: 384, values })
    expect((await readPart('vectors.f16.bin')).equals(expected)).toBe(true)
    const { embedding } = JSON.parse((await readPart('manifest.json')).toString())
    expect(embedding).toMatchObject({
      model: 'all-MiniLM-L6-v2-q8-s128',
      dim: 384,
      provider: 'warrant-minilm',
    })
  })

  it('has no vectors with --embedder words, and says so', async () => {
    expect(await build('--embedder', 'words', '--update-lock')).toMatchObject({
      code: 0,
      answer: { model: 'words', embedded: 0 },
    })
    await expect(readPart('vectors.f16.bin')).rejects.toThrow('ENOENT')
    const manifest = JSON.parse((await readPart('manifest.json')).toString())
    expect(manifest).toMatchObject({ embedding: { model: 'words', dim: 0 }, counts: { docs: 9, vectors: 0 } })
    expect(manifest).not.toHaveProperty('build_status')
    expect((await packetJson(['verify', join(out, 'notes/1.0.0'), source])).code).toBe(0)
    const { answer } = await packetJson(['inspect', join(out, 'notes/1.0.0')])
    expect(answer.needs).toContain('searched by words')
  })

  it('is refused where its embedder is not known or has no address', async () => {
    const unknown = await packetText([
      'build',
      source,
      '--name',
      'n',
      '--version',
      '1',
      '--embedder',
      'magic',
    ])
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('minilm, words, server') })
    const server = await packetText([
      'build',
      source,
      '--name',
      'n',
      '--version',
      '1',
      '--embedder',
      'server',
    ])
    expect(server).toMatchObject({ code: 2, stderr: expect.stringContaining('--embedding-url') })
  })
})
