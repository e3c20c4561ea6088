import { describe, expect, it } from 'vitest'
import { DocTable } from '../../../test/support/doc-table.ts'
import { localEmbedder } from '../../../test/support/local-embedder.ts'
import { buildTexts, memoryOutput, noAbort, publishToMemory } from '../../../test/support/packet-setup.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { type Embedder, WORDS_ONLY } from '../embed.ts'
import { packetFaults } from '../faults.ts'
import { readArtifact } from '../format/artifact.ts'
import { readCard } from '../format/card.ts'
import { memorySource, readFlatIndex } from '../format/faiss.ts'
import { readLock } from '../format/lockfile.ts'
import { readManifest } from '../format/manifest.ts'
import { readMetadata } from '../format/metadata.ts'
import { readVectors } from '../format/vectors.ts'
import { readSparse } from '../search/sparse-file.ts'
import { PacketBuilder } from './build.ts'

const TEXTS = { 'b.md': '# Title\n\nSome words.', 'a.py': 'def f():\n    return 1\n' }
const part = (files: ReadonlyMap<string, Uint8Array>, path: string): Uint8Array =>
  files.get(path) as Uint8Array

describe('a build', () => {
  it('makes every file of a packet, and they fit each other', async () => {
    const files = await buildTexts(TEXTS, {
      description: 'About: things',
      kind: 'docs',
      capabilities: ['cite'],
    })
    expect([...files.keys()].sort()).toEqual([
      'cpm.yml',
      'docs.jsonl',
      'faiss/index.faiss',
      'manifest.json',
      'packet.lock.json',
      'sparse/bm25.json',
      'vectors.f16.bin',
    ])
    const docs = new DocTable(part(files, 'docs.jsonl'))
    expect([...docs].map(({ id, metadata }) => [id, metadata])).toEqual([
      ['a.py:0', { path: 'a.py', ext: '.py', line_start: 1, line_end: 2 }],
      [
        'b.md:1',
        { path: 'b.md', ext: '.md', line_start: 1, line_end: 3, symbol: 'Title', headings: ['Title'] },
      ],
    ])
    expect(docs.row(0).hash).toBe(digestBytes(docs.row(0).text).slice(7))
    expect(await readFlatIndex(memorySource(part(files, 'faiss/index.faiss')))).toMatchObject({
      rows: 2,
      dim: 384,
    })
    expect(readVectors(part(files, 'vectors.f16.bin'), 384).rows).toBe(2)
    expect(readSparse(part(files, 'sparse/bm25.json'), 2).lengths).toHaveLength(2)
    const manifest = readManifest(part(files, 'manifest.json'))
    expect(manifest).toMatchObject({
      counts: { docs: 2, vectors: 2 },
      source: { input_dir: '.', file_ext_counts: { '.md': 1, '.py': 1 } },
      cpm: {
        name: 'demo',
        tags: ['cpm', 'docs', 'python'],
        entrypoints: ['query'],
        kind: 'docs',
        capabilities: ['cite'],
      },
    })
    for (const [path, { value }] of Object.entries(manifest.checksums ?? {}))
      expect(`sha256:${value}`).toBe(digestBytes(part(files, path)))
    expect(readCard(Buffer.from(part(files, 'cpm.yml')).toString()).get('description')).toBe('About: things')
    expect(readLock(part(files, 'packet.lock.json')).artifacts.index_hash).toBe(
      digestBytes(part(files, 'faiss/index.faiss')).slice(7),
    )
  })

  it('gives the same bytes again, whatever the order of its sources', async () => {
    const first = await buildTexts(TEXTS)
    const second = await buildTexts(Object.fromEntries(Object.entries(TEXTS).reverse()))
    expect(first).toEqual(second)
    expect((await publishToMemory(first)).digest).toBe((await publishToMemory(second)).digest)
  })

  it('names no place of the machine it ran on', async () => {
    for (const bytes of (await buildTexts(TEXTS)).values())
      expect(Buffer.from(bytes).includes(process.cwd())).toBe(false)
  })

  it('asks the embedder only for what it does not know', async () => {
    const asked: string[] = []
    const embedder = {
      ...localEmbedder,
      embed: (texts: readonly string[], use: 'document' | 'query', signal: AbortSignal) => {
        asked.push(...texts)
        return localEmbedder.embed(texts, use, signal)
      },
    }
    const fresh = await buildTexts(TEXTS, { embedder })
    const docs = [...new DocTable(part(fresh, 'docs.jsonl'))]
    expect(asked).toHaveLength(2)
    const { values } = await localEmbedder.embed([docs[0]?.text ?? ''], 'document', noAbort)
    const again = await buildTexts(TEXTS, { embedder, known: new Map([[docs[0]?.hash ?? '', values]]) })
    expect(asked).toHaveLength(3)
    expect(again).toEqual(fresh)
    const wrong = buildTexts(TEXTS, {
      embedder,
      known: new Map([[docs[0]?.hash ?? '', new Float32Array(3)]]),
    })
    await expect(wrong).rejects.toMatchObject({ code: 'packet.model_mismatch' })
  })

  it('shortens the vectors of windows that ask for it, and keeps the first one of a row whole', async () => {
    const windows = ({ text }: { readonly text: string }) => [
      { start: 0, end: 4, input: text.slice(0, 4), length: 0.5 },
      { start: 4, end: text.length, input: text.slice(4) },
    ]
    const files = await buildTexts(TEXTS, { embedder: { ...localEmbedder, windows } })
    const norms = async (path: string) => {
      const bytes = part(files, path)
      const { rows, dim, offset } = await readFlatIndex(memorySource(bytes))
      const values = new Float32Array(Uint8Array.from(bytes.subarray(offset)).buffer)
      const norm = (row: number) => Math.hypot(...values.subarray(row * dim, (row + 1) * dim))
      return Array.from({ length: rows }, (_, row) => Number(norm(row).toFixed(3)))
    }
    expect(await norms('faiss/index.faiss')).toEqual([1, 1])
    expect(await norms('faiss/windows.faiss')).toEqual([0.5, 1, 0.5, 1])
  })

  it('without an embedder names no windows, however long its texts are', async () => {
    const files = await buildTexts(
      { 'long.txt': `${'a line of words '.repeat(8)}\n`.repeat(99) },
      { embedder: WORDS_ONLY },
    )
    const manifest = readManifest(part(files, 'manifest.json'))
    expect(manifest.files).toMatchObject({ index: null, vectors: null })
    expect(manifest.files).not.toHaveProperty('windows')
    expect(manifest.counts).not.toHaveProperty('windows')
  })

  it('has no vectors at all when the embedder fails after some of them', async () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}.md`, `# Part ${i}\n\nText.`]))
    let calls = 0
    const embedder: Embedder = {
      ...localEmbedder,
      batch: 2,
      windows: ({ text }) => [0, 1].map((start) => ({ start, end: text.length, input: text.slice(start) })),
      embed: (texts, use, signal) => {
        calls += 1
        if (calls > 3) throw packetFaults.embedder('the server is gone')
        return localEmbedder.embed(texts, use, signal)
      },
    }
    const files = await buildTexts(many, { embedder })
    expect(calls).toBe(4)
    expect([...files.keys()].sort()).toEqual([
      'cpm.yml',
      'docs.jsonl',
      'manifest.json',
      'packet.lock.json',
      'sparse/bm25.json',
    ])
    const manifest = readManifest(part(files, 'manifest.json'))
    expect(manifest).toMatchObject({
      build_status: 'embedding_failed',
      counts: { docs: 9, vectors: 0 },
      files: { vectors: null, index: null },
    })
    expect(Object.keys(manifest.checksums ?? {})).toEqual(['cpm.yml', 'docs.jsonl'])
  })

  it('refuses sources in another order than that of their paths', () => {
    const options = { name: 'x', version: '1', builderVersion: '0', embedder: localEmbedder }
    const builder = new PacketBuilder(options, memoryOutput())
    const source = { extension: '.md', text: '# Text', sha256: '', spans: [] }
    builder.add({ ...source, path: 'b.md' })
    for (const path of ['a.md', 'b.md']) expect(() => builder.add({ ...source, path })).toThrow(RangeError)
  })

  it.each([
    [{ name: 'Demo' }, 'packet.name'],
    [{ name: '../x' }, 'packet.name'],
    [{ version: '' }, 'packet.version'],
    [{ version: 'a/b' }, 'packet.version'],
  ])('of %j is refused', async (options, code) => {
    await expect(buildTexts(TEXTS, options)).rejects.toMatchObject({ code })
  })

  it('of nothing is refused', async () => {
    const options = { name: 'x', version: '1', builderVersion: '0', embedder: localEmbedder }
    await expect(new PacketBuilder(options, memoryOutput()).finish(noAbort)).rejects.toMatchObject({
      code: 'packet.no_sources',
    })
  })
})

describe('a publication', () => {
  const titles = ({ manifest }: { manifest: Uint8Array }) => {
    const document = readArtifact(manifest)
    return document.kind === 'artifact'
      ? document.artifact.layers.map(({ annotations }) => annotations['org.opencontainers.image.title'])
      : []
  }
  const metadataIn = ({
    manifest,
    blobs,
  }: {
    manifest: Uint8Array
    blobs: ReadonlyMap<string, Uint8Array>
  }) => {
    const document = readArtifact(manifest)
    const digest = document.kind === 'artifact' ? document.artifact.layers[0]?.digest : undefined
    return readMetadata(blobs.get(digest ?? '') as Uint8Array)
  }

  it('has the metadata first, the payload in order and the lock last, under two tags', async () => {
    const sent = await publishToMemory(await buildTexts(TEXTS))
    expect(sent.tags).toEqual(['1.0.0', 'latest'])
    expect(titles(sent)).toEqual([
      'packet.manifest.json',
      'payload/cpm.yml',
      'payload/manifest.json',
      'payload/docs.jsonl',
      'payload/vectors.f16.bin',
      'payload/faiss/index.faiss',
      'payload/sparse/bm25.json',
      'packet.lock.json',
    ])
    expect(metadataIn(sent)).toMatchObject({
      packet: { name: 'demo', version: '1.0.0', tags: ['cpm', 'docs', 'python'], entrypoints: ['query'] },
      source: { build: { minimal: false, include_docs: true, include_embeddings: true } },
    })
    expect(metadataIn(sent)).not.toHaveProperty('compat')
  })

  it.each([
    [
      { minimal: true },
      ['cpm.yml', 'manifest.json'],
      { minimal: true, include_docs: false, include_embeddings: false },
    ],
    [
      { embeddings: false },
      ['cpm.yml', 'manifest.json', 'docs.jsonl', 'sparse/bm25.json'],
      { include_embeddings: false },
    ],
    [
      { docs: false },
      ['cpm.yml', 'manifest.json', 'vectors.f16.bin', 'faiss/index.faiss'],
      { include_docs: false },
    ],
  ])('with %j holds %j', async (options, names, build) => {
    const sent = await publishToMemory(await buildTexts(TEXTS, { compat: { os: ['linux'] } }), options)
    const metadata = metadataIn(sent)
    expect(metadata.payload.files.map(({ name }) => name)).toEqual(names)
    expect(metadata.source).toMatchObject({ build })
    expect(metadata.compat).toEqual({ os: ['linux'] })
  })

  it('writes a plus in a version as an underscore, and takes other tags', async () => {
    const files = await buildTexts(TEXTS, { version: '1.0.0+b1' })
    expect((await publishToMemory(files, { tags: ['stable'] })).tags).toEqual(['1.0.0_b1', 'stable'])
  })

  it.each([
    ['http://r.io', 'packet.reference'],
    ['https://r.io', 'packet.reference'],
    ['', 'packet.reference'],
  ])('to %j is refused', async (registry, code) => {
    await expect(publishToMemory(await buildTexts(TEXTS), { registry })).rejects.toMatchObject({ code })
  })

  it('of a folder that holds no packet is refused', async () => {
    await expect(publishToMemory(new Map())).rejects.toMatchObject({ code: 'packet.manifest' })
  })
})
