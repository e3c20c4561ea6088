import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { copyFloats, memorySource, readFlatIndex, writeFlatIndex } from '../../src/packets/format/faiss.ts'
import { type Matrix, normalizeRow, writeVectors } from '../../src/packets/format/vectors.ts'
import { openVectors } from '../../src/platform/packets/vectors/vector-file.ts'
import { systemClock } from '../../src/platform/system/clock.ts'
import { describeWith } from '../services.ts'
import { askPacket } from '../support/ask-packet.ts'
import { BINARY, cleanEnvironment, makeFolder, sweep } from '../support/binary.ts'
import { FaultRegistry } from '../support/fault-registry.ts'
import { makePacket } from '../support/packet-maker.ts'
import { noAbort } from '../support/packet-setup.ts'

afterAll(sweep)

const run = promisify(execFile)
const K = 10

/** The files below a folder by their paths, with the folder of name and version left out. */
const readFolder = async (folder: string): Promise<Map<string, Uint8Array>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const root =
    paths.find((path) => path.endsWith('faiss/index.faiss'))?.slice(0, -'faiss/index.faiss'.length) ?? folder
  return new Map(
    await Promise.all(paths.map(async (path) => [relative(root, path), await readFile(path)] as const)),
  )
}

/** Rows of length one, the same in every run. */
const rowsOf = (rows: number, dim: number, seed: number): Matrix => {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  }
  const values = Float32Array.from({ length: rows * dim }, next)
  for (let row = 0; row < rows; row++) normalizeRow(values.subarray(row * dim, (row + 1) * dim))
  return { rows, dim, values }
}
const bytesOf = ({ values }: Matrix) => new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

const base = rowsOf(700, 48, 1)
const asked = rowsOf(25, 48, 2)

describeWith('faiss', 'FAISS and our index', (python) => {
  /** Runs a script with `rows`, `asked` and the folder at hand, and gives what it printed as JSON. */
  const inFaiss = async (folder: string, script: string): Promise<unknown> => {
    await writeFile(join(folder, 'rows'), bytesOf(base))
    await writeFile(join(folder, 'asked'), bytesOf(asked))
    const head = `
import faiss, json, os, sys
import numpy as np
os.chdir(sys.argv[1])
rows = np.fromfile('rows', '<f4').reshape(-1, ${base.dim})
asked = np.fromfile('asked', '<f4').reshape(-1, ${base.dim})
`
    const { stdout } = await run(python, ['-c', head + script, folder], { maxBuffer: 1e8 })
    return stdout.trim() === '' ? undefined : JSON.parse(stdout)
  }

  const ask = async (folder: string, index: string): Promise<readonly (readonly number[])[]> => {
    const files = { index: join(folder, index), table: join(folder, `${index}.i8`) }
    const opened = await openVectors(files, { rows: base.rows, dim: base.dim }, systemClock)
    const found = Array.from({ length: asked.rows }, async (_, i) => {
      const question = asked.values.subarray(i * asked.dim, (i + 1) * asked.dim)
      return (await opened.search(question, K, noAbort)).map(({ row }) => row)
    })
    return Promise.all(found).finally(() => opened.close())
  }

  it('is opened by FAISS, which finds the same neighbours and writes the same bytes', async () => {
    const folder = await makeFolder()
    const bytes = writeFlatIndex(base)
    await writeFile(join(folder, 'ours'), bytes)
    const theirs = await inFaiss(
      folder,
      `index = faiss.read_index('ours')
faiss.write_index(index, 'again')
print(json.dumps(index.search(asked, ${K})[1].tolist()))`,
    )
    expect(await ask(folder, 'ours')).toEqual(theirs)
    expect(Buffer.compare(await readFile(join(folder, 'again')), bytes)).toBe(0)
  })

  it.each([
    ['flat, inner product', 'index = faiss.IndexFlatIP(rows.shape[1])'],
    [
      'a graph over inner products',
      'index = faiss.IndexHNSWFlat(rows.shape[1], 16, faiss.METRIC_INNER_PRODUCT)',
    ],
  ])('reads what FAISS wrote: %s', async (_, make) => {
    const folder = await makeFolder()
    const exact = await inFaiss(
      folder,
      `${make}
index.add(rows)
faiss.write_index(index, 'theirs')
flat = faiss.IndexFlatIP(rows.shape[1])
flat.add(rows)
print(json.dumps(flat.search(asked, ${K})[1].tolist()))`,
    )
    expect(await ask(folder, 'theirs')).toEqual(exact)
    const written = await readFile(join(folder, 'theirs'))
    const { offset } = await readFlatIndex(memorySource(written))
    expect(copyFloats(written.subarray(offset))).toEqual(base.values)
  })

  it.each([
    ['measures distance', 'index = faiss.IndexFlatL2(rows.shape[1])', 'L2'],
    ['measures distance in a graph', 'index = faiss.IndexHNSWFlat(rows.shape[1], 16)', 'L2'],
    ['gives rows other numbers', 'index = faiss.IndexIDMap(faiss.IndexFlatIP(rows.shape[1]))', 'IxMp'],
    [
      'rounds its rows',
      'index = faiss.index_factory(rows.shape[1], "SQ8", faiss.METRIC_INNER_PRODUCT)',
      'IxSQ',
    ],
  ])('refuses an index of FAISS that %s, and says why', async (_, make, why) => {
    const folder = await makeFolder()
    const add = 'index.add_with_ids(rows, np.arange(len(rows)))'
    await inFaiss(
      folder,
      `${make}
index.train(rows)
${make.includes('IDMap') ? add : 'index.add(rows)'}
faiss.write_index(index, 'theirs')`,
    )
    await expect(ask(folder, 'theirs')).rejects.toMatchObject({
      code: 'packet.index',
      message: expect.stringContaining(why),
    })
  })

  it.each([
    [
      'flat',
      'faiss.IndexFlatIP(rows.shape[1])',
      { ok: true, mode: 'hybrid', results: [{ path: 'b.md' }, {}] },
    ],
    [
      'with a graph',
      'faiss.IndexHNSWFlat(rows.shape[1], 16, faiss.METRIC_INNER_PRODUCT)',
      { ok: true, mode: 'hybrid', results: [{ path: 'b.md' }, {}] },
    ],
    [
      'by distance',
      'faiss.IndexFlatL2(rows.shape[1])',
      { ok: false, error: 'packet_invalid', detail: expect.stringContaining('L2'), hint: expect.any(String) },
    ],
  ])('answers a question to a packet whose index FAISS wrote: %s', async (_, make, answer) => {
    const folder = await makeFolder()
    await mkdir(join(folder, 'src'))
    await writeFile(join(folder, 'src/a.md'), '# A\n\nTrim the wick.\n')
    await writeFile(join(folder, 'src/b.md'), '# B\n\nBring oil.\n')
    const build = ['packet', 'build', 'src', '--name', 'demo', '--version', '1.0.0', '--out', 'out']
    await run(process.execPath, [BINARY, ...build], { env: cleanEnvironment(), cwd: folder })
    const files = await readFolder(join(folder, 'out'))
    await writeFile(join(folder, 'ours'), files.get('faiss/index.faiss') as Uint8Array)
    await inFaiss(
      folder,
      `ours = faiss.read_index('ours')
rows = ours.reconstruct_n(0, ours.ntotal)
index = ${make}
index.add(rows)
faiss.write_index(index, 'theirs')`,
    )
    files.set('faiss/index.faiss', await readFile(join(folder, 'theirs')))
    const registry = new FaultRegistry()
    await registry.start()
    const found = await askPacket(registry, makePacket(Object.fromEntries(files)), { q: 'who brings oil' })
    await registry.stop()
    expect(found).toMatchObject(answer)
  })

  it('shares the meaning of vectors.f16.bin with numpy', async () => {
    const folder = await makeFolder()
    await writeFile(join(folder, 'halves'), writeVectors(base))
    const same = await inFaiss(
      folder,
      "print(json.dumps(bool((np.fromfile('halves', '<f2') == rows.astype('<f2').ravel()).all())))",
    )
    expect(same).toBe(true)
  })
})

describeWith('skopeo', 'skopeo and our packets', (skopeo) => {
  describeWith('registry', 'on a real registry', (host) => {
    const warrant = async (args: readonly string[], env: Readonly<Record<string, string>>) =>
      JSON.parse(
        (
          await run(process.execPath, [BINARY, 'packet', ...args, '--json'], {
            env: cleanEnvironment(env),
            cwd: '/',
          })
        ).stdout,
      )
    const copy = (from: string, to: string) =>
      run(skopeo, [
        '--insecure-policy',
        'copy',
        '--src-tls-verify=false',
        '--dest-tls-verify=false',
        from,
        to,
      ])

    it('keeps the digest of a packet that is copied out and back, and the copy is a packet', async () => {
      const home = await makeFolder()
      const env = { REGISTRY: `${host}/skopeo`, CPM_ROOT: join(home, 'cpm') }
      await writeFile(join(home, 'guide.md'), '# Guide\n\nThe lighthouse keeper trims the wick at dusk.\n')
      const { folder } = await warrant(
        ['build', home, '--name', 'guide', '--version', '1.0.0', '--out', join(home, '.out')],
        env,
      )
      const { digest } = await warrant(['publish', folder], env)
      await copy(`docker://${host}/skopeo/guide:1.0.0`, `oci:${home}/layout:1.0.0`)
      const index = JSON.parse(await readFile(join(home, 'layout/index.json'), 'utf8'))
      expect(index.manifests).toMatchObject([{ digest }])
      await copy(`oci:${home}/layout:1.0.0`, `docker://${host}/skopeo-back/guide:1.0.0`)
      const raw = await run(skopeo, [
        'inspect',
        '--raw',
        '--tls-verify=false',
        `docker://${host}/skopeo-back/guide:1.0.0`,
      ])
      expect(`sha256:${createHash('sha256').update(raw.stdout).digest('hex')}`).toBe(digest)
      const elsewhere = { REGISTRY: `${host}/skopeo-back`, CPM_ROOT: join(home, 'elsewhere') }
      const answer = await warrant(['query', 'guide:1.0.0', 'who trims the wick'], elsewhere)
      expect(answer).toMatchObject({ ok: true, digest, results: [{ path: 'guide.md', start: 1, end: 3 }] })
    })
  })
})
