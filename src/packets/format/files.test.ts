import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DocTable } from '../../../test/support/doc-table.ts'
import { Fault } from '../../kernel/fault.ts'
import { inferTags, readCard, writeCard } from './card.ts'
import { type Doc, type DocRow, readDocRows, writeDocs } from './docs.ts'
import { memorySource } from './faiss.ts'
import { hashConfig, hashInputs, lockDrift, readLock, writeLock } from './lockfile.ts'
import { readManifest, writeManifest } from './manifest.ts'
import { readMetadata, writeMetadata } from './metadata.ts'

const bytes = (value: unknown): Uint8Array =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
const code = (name: string) => expect.objectContaining({ code: `packet.${name}` })

const readAll = async (file: Uint8Array) => {
  const rows: DocRow[] = []
  for await (const some of readDocRows(memorySource(file))) rows.push(...some)
  return rows
}

describe('docs.jsonl', () => {
  const docs = [
    { id: 'a.md:0', text: 'héllo\nworld', hash: 'f'.repeat(64), metadata: { path: 'a.md', ext: '.md' } },
    { id: 'b.py:1', text: '', hash: '0'.repeat(64), metadata: { path: 'b.py', line_start: 1, line_end: 9 } },
  ]

  it('comes back as it was written', () => {
    const table = new DocTable(writeDocs(docs))
    expect(table.rows).toBe(2)
    expect([...table]).toEqual(docs)
    expect(table.row(1).id).toBe('b.py:1')
    expect(() => table.row(2)).toThrow(RangeError)
    expect(Buffer.from(writeDocs(docs.slice(0, 1))).toString()).toBe(
      `{"id":"a.md:0","text":"héllo\\nworld","hash":"${'f'.repeat(64)}","metadata":{"path":"a.md","ext":".md"}}\n`,
    )
  })

  it('may have blank lines, and no newline at its end', () => {
    const table = new DocTable(bytes('\n{"text":"a"}\n  \r\n{"text":"b","hash":"short"}'))
    expect([...table].map(({ text }) => text)).toEqual(['a', 'b'])
    expect(table.row(1)).toEqual({ id: '', text: 'b', metadata: {} })
  })

  it.each([
    ['{"text":"a"}\nnot json\n{"text":"b"}', 'line 2'],
    ['{"text":"a"}\n[]', 'line 2'],
    ['null', 'line 1'],
    ['{"id":"x"}', 'line 1'],
    ['{"text":7}', 'line 1'],
    ['{"text":"a"}{"text":"b"}', 'line 1'],
    ['\ufeff{"text":"a"}', 'line 1'],
  ])('%j is refused, for it would shift the rows', (text, where) => {
    expect(() => new DocTable(bytes(text))).toThrow(code('docs'))
    expect(() => new DocTable(bytes(text))).toThrow(where)
  })

  it('of many chunks is read in turns with everybody else', async () => {
    const many = writeDocs(
      Array.from({ length: 400 }, () => ({ ...docs[0], text: 'x'.repeat(10_000) }) as Doc),
    )
    let done = false
    const reading = readAll(many).finally(() => {
      done = true
    })
    let turns = 0
    for (; !done; turns++) await new Promise((resolve) => setImmediate(resolve))
    expect(turns).toBeGreaterThanOrEqual(3)
    const rows = await reading
    expect(rows).toHaveLength(400)
    const line = many.length / 400
    expect(rows.map(({ start }) => start)).toEqual(rows.map((_, i) => i * line))
  })

  it('is read in blocks as it is read at once, with lines longer than a block', async () => {
    const texts = ['a', 'x'.repeat(3_000_000), 'é', 'y'.repeat(1_048_560), '', 'z']
    const mixed = texts.map((text) => ({ id: '', text, metadata: {} }))
    const file = Buffer.concat([bytes('\n\n'), writeDocs(mixed), bytes(' \n{"text":"last"}')])
    expect((await readAll(file)).map(({ doc }) => doc)).toEqual([...new DocTable(file)])
  })

  it('that is not UTF-8 is refused', () => {
    expect(() => new DocTable(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(code('docs'))
  })

  it('of any bytes is read or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (junk) => {
        try {
          new DocTable(junk)
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(Fault)
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('manifest.json', () => {
  const manifest = {
    schema_version: '1.0',
    packet_id: 'demo',
    embedding: { model: 'm', dim: 4, dtype: 'float16', normalized: true, hint: 'kept' },
    files: { docs: 'docs.jsonl', vectors: null, index: null, calibration: null },
    counts: { docs: 2, vectors: 0 },
    cpm: { name: 'demo', version: '1.0.0', tags: ['cpm'], entrypoints: ['query', { name: 'deep' }] },
    checksums: { 'docs.jsonl': { algo: 'sha256' as const, value: 'a'.repeat(64) } },
    supported_models: ['jina*'],
    extra: { nested: ['é', 1] },
  }

  it('comes back as it was written, with what it does not know', () => {
    expect(readManifest(writeManifest(manifest))).toEqual(manifest)
    expect(writeManifest(readManifest(writeManifest(manifest)))).toEqual(writeManifest(manifest))
    expect(Buffer.from(writeManifest(manifest)).toString()).toContain('\n    "nested": [\n      "é",')
  })

  it.each([
    ['nothing', ''],
    ['no object', '[]'],
    ['no embedding', {}],
    ['no model', { embedding: { dim: 1, dtype: 'float16' } }],
    ['no dtype', { embedding: { model: 'm', dim: 1 } }],
    ['a negative dimension', { embedding: { model: 'm', dim: -1, dtype: 'f' } }],
    ['half a dimension', { embedding: { model: 'm', dim: 1.5, dtype: 'f' } }],
    ['a dimension in words', { embedding: { model: 'm', dim: '4', dtype: 'f' } }],
    ['a weak checksum', { ...manifest, checksums: { a: { algo: 'md5', value: 'x' } } }],
    ['too much depth', `{"embedding":${'['.repeat(5000)}${']'.repeat(5000)}}`],
  ])('with %s is refused', (_, value) => {
    expect(() => readManifest(bytes(value))).toThrow(code('manifest'))
  })
})

describe('packet.manifest.json', () => {
  const metadata = {
    schema: 'cpm.packet.metadata' as const,
    schema_version: '1.0' as const,
    packet: { name: 'demo', version: '1.0.0', tags: ['cpm'], entrypoints: ['query'] },
    payload: { files: [{ name: 'docs.jsonl', digest: `sha256:${'a'.repeat(64)}`, size: 7 }] },
    payload_root: 'payload',
    source: { build: { minimal: false, include_docs: true, include_embeddings: true } },
  }

  it('is compact JSON with sorted keys, and comes back', () => {
    expect(Buffer.from(writeMetadata(metadata)).toString()).toBe(
      `{"packet":{"entrypoints":["query"],"name":"demo","tags":["cpm"],"version":"1.0.0"},"payload":{"files":[{"digest":"sha256:${'a'.repeat(64)}","name":"docs.jsonl","size":7}]},"payload_root":"payload","schema":"cpm.packet.metadata","schema_version":"1.0","source":{"build":{"include_docs":true,"include_embeddings":true,"minimal":false}}}`,
    )
    expect(readMetadata(writeMetadata(metadata))).toEqual(metadata)
  })

  it('of the older schema is brought up to date', () => {
    const old = { schema: 'cpm-oci/v1', packet: { name: 'demo', version: '2' }, payload_root: 'payload' }
    const read = {
      schema: 'cpm.packet.metadata',
      schema_version: '1.0',
      packet: { name: 'demo', version: '2' },
      payload: { files: [] },
      payload_root: 'payload',
    }
    expect(readMetadata(bytes(old))).toEqual(read)
    expect(readMetadata(bytes({ schema: 'cpm-oci/v1', name: 'demo', version: '2' }))).toEqual(read)
  })

  it.each([
    ['invalid metadata schema', 'null'],
    ['invalid metadata schema', { ...metadata, schema: 'other' }],
    ['invalid metadata schema', { ...metadata, schema: ['cpm.packet.metadata'] }],
    ['unsupported metadata schema_version', { ...metadata, schema_version: '2.0' }],
    ['metadata.packet.name is required', { ...metadata, packet: { version: '1' } }],
    ['metadata.packet.name is required', { ...metadata, packet: { name: ' ', version: '1' } }],
    ['metadata.packet.version is required', { ...metadata, packet: { name: 'a' } }],
    ['metadata.payload must be an object', { ...metadata, payload: null }],
    ['metadata.payload.files is required', { ...metadata, payload: {} }],
    ['metadata.payload.files[].name is required', { ...metadata, payload: { files: [{}] } }],
    ['not a sha256 digest', { ...metadata, payload: { files: [{ name: 'a', digest: 'sha1:x' }] } }],
    ['not a size', { ...metadata, payload: { files: [{ name: 'a', size: -1 }] } }],
    ['is not JSON', '{'],
  ])('says "%s"', (message, value) => {
    expect(() => readMetadata(bytes(value))).toThrow(code('metadata'))
    expect(() => readMetadata(bytes(value))).toThrow(message)
  })

  it.each([
    { ...metadata, payload_root: '/etc' },
    { ...metadata, payload_root: '../..' },
    { ...metadata, payload: { files: [{ name: '../../x' }] } },
    { schema: 'cpm-oci/v1', name: 'a', version: '1', payload_root: '/' },
  ])('that leads out of the packet is refused: %j', (value) => {
    expect(() => readMetadata(bytes(value))).toThrow(code('unsafe_path'))
  })
})

describe('cpm.yml', () => {
  const card = {
    name: 'demo',
    version: '1.0.0',
    description: 'plain',
    tags: ['cpm', 'docs'],
    entrypoints: ['query'],
    model: 'm',
    dim: 4,
    normalized: true,
    createdAt: '2026-01-02T03:04:05.000000Z',
  }

  it('is ten lines in a fixed order', () => {
    expect(writeCard(card)).toBe(
      'cpm_schema: 1\nname: demo\nversion: 1.0.0\ndescription: plain\ntags: cpm,docs\nentrypoints: query\n' +
        'embedding_model: m\nembedding_dim: 4\nembedding_normalized: true\ncreated_at: 2026-01-02T03:04:05.000000Z\n',
    )
  })

  it.each(['a: b', 'say "hi"', '# no comment', 'tab\there', "it's"])('gives %j back', (description) => {
    expect(readCard(writeCard({ ...card, description })).get('description')).toBe(description)
  })

  it('keeps a description from stating another name', () => {
    const read = readCard(writeCard({ ...card, description: 'x\nname: evil\r\u2028version: 9' }))
    expect(read.get('name')).toBe('demo')
    expect(read.get('version')).toBe('1.0.0')
    expect(read.size).toBe(10)
  })

  it('skips comments and lines that say nothing', () => {
    expect([...readCard('# c: d\n\nword\n a : "x"\nb: \'y\'\nc: "')]).toEqual([
      ['a', 'x'],
      ['b', 'y'],
      ['c', '"'],
    ])
  })

  it('has tags after the extensions', () => {
    expect(inferTags(['.py', '.md', '.tsx', '.h', '.json'])).toEqual([
      'cpm',
      'cpp',
      'docs',
      'python',
      'typescript',
    ])
  })
})

describe('packet.lock.json', () => {
  const lock = {
    lockfileVersion: 1 as const,
    packet: { name: 'd', version: '1', packet_id: 'd', resolved_packet_id: 'x', build_profile: 'default' },
    inputs: [{ kind: 'dir' as const, ref: 'docs', hash: hashInputs([]) }],
    pipeline: [{ name: 'build', plugin: 'warrant', plugin_version: 'builtin', config_hash: hashConfig({}) }],
    models: [],
    artifacts: { index_hash: 'y' },
    resolution: { generated_at: '', cpm_version: '0', warnings: [] },
  }

  it('comes back as it was written', () => {
    expect(readLock(writeLock(lock))).toEqual(lock)
  })

  it('hashes a folder by its sorted files', () => {
    const files = [
      { path: 'b', sha256: '2' },
      { path: 'a', sha256: '1' },
    ]
    // What `printf 'a:1\\nb:2' | sha256sum` prints.
    expect(hashInputs(files)).toBe('2bc11e86e8348c7c62f11e681435b5d013a262e5a9f3b8ce61c25831a516a45e')
    expect(hashConfig({ b: 1, a: [true] })).toBe(hashConfig({ a: [true], b: 1 }))
  })

  it('tells what has changed since', () => {
    expect(
      lockDrift(lock, { ...lock, artifacts: {}, resolution: { ...lock.resolution, cpm_version: '9' } }),
    ).toEqual([])
    expect(lockDrift(lock, { ...lock, inputs: [] })).toEqual(['inputs'])
  })

  it.each(['', '{}', { ...lock, lockfileVersion: 2 }, { ...lock, inputs: [{ kind: 'device' }] }])(
    'is refused when it is %j',
    (value) => {
      expect(() => readLock(bytes(value))).toThrow(code('lock'))
    },
  )
})
