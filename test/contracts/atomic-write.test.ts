import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildEvidence } from '../../src/evidence/build.ts'
import { EVIDENCE_FILE } from '../../src/evidence/store.ts'
import { writeFlatIndex } from '../../src/packets/format/faiss.ts'
import { fileEvidence } from '../../src/platform/files/evidence-file.ts'
import { exportFolder } from '../../src/platform/files/export-file.ts'
import { keyFile } from '../../src/platform/files/key-file.ts'
import { writeOutputFile } from '../../src/platform/files/output-file.ts'
import { setupFiles } from '../../src/platform/files/setup-files.ts'
import { readChunks, replaceStoreFile } from '../../src/platform/packets/drafts.ts'
import { openVectors } from '../../src/platform/packets/vectors/vector-file.ts'
import { systemClock } from '../../src/platform/system/clock.ts'

interface Writer {
  readonly what: string
  readonly file: string
  /** Whether the file must survive a crash of the machine right after the call. */
  readonly durable: boolean
  /** A second call replaces the file; false for files that are written once. */
  readonly replaces: boolean
  readonly write: (root: string) => Promise<unknown>
}

let calls = 0
const nextVersion = (): number => {
  calls += 1
  return calls
}
const text = (): string => `version ${nextVersion()}\n`.repeat(1_000)

const evidence = (root: string) =>
  fileEvidence(root, systemClock).replace((previous) =>
    buildEvidence({ stage: 'CI', findings: [], platforms: {}, rulesets: [] }, previous, nextVersion()),
  )

const vectorTable = async (root: string) => {
  const index = join(root, 'index.faiss')
  const first = nextVersion()
  const values = new Float32Array(64).map((_, at) => at + first)
  writeFileSync(index, writeFlatIndex({ rows: 8, dim: 8, values }))
  const opened = await openVectors({ index, table: join(root, 'index.i8') }, { rows: 8, dim: 8 }, systemClock)
  opened.close()
}

const WRITERS: readonly Writer[] = [
  {
    what: 'a git hook',
    file: 'pre-commit',
    durable: true,
    replaces: true,
    write: async (root) => {
      const files = setupFiles(root)
      if (await files.read('pre-commit')) await files.replace('pre-commit', Buffer.from(text()))
      else await files.create('pre-commit', Buffer.from(text()), 0o755)
    },
  },
  {
    what: 'a report in the repository',
    file: 'report.json',
    durable: false,
    replaces: true,
    write: (root) => writeOutputFile(root, join(root, 'report.json'), text()),
  },
  {
    what: 'an export of the graph',
    file: 'graph.json',
    durable: true,
    replaces: true,
    write: (root) => exportFolder(root, { reserved: [], isOwn: () => true })('graph.json', text()),
  },
  { what: 'the evidence', file: EVIDENCE_FILE, durable: true, replaces: true, write: evidence },
  {
    what: 'the signing key',
    file: 'lineage.key',
    durable: true,
    replaces: false,
    write: (root) => keyFile(join(root, 'lineage.key')),
  },
  {
    what: 'a durable file of the packet store',
    file: 'words.bin',
    durable: true,
    replaces: true,
    write: (root) => replaceStoreFile(join(root, 'words.bin'), Buffer.from(text()), { durable: true }),
  },
  {
    what: 'a cached file of the packet store',
    file: 'row.f32',
    durable: false,
    replaces: true,
    write: (root) => replaceStoreFile(join(root, 'row.f32'), Buffer.from(text()), { durable: false }),
  },
  {
    what: 'an index copied from its packet',
    file: 'copy.faiss',
    durable: true,
    replaces: true,
    write: async (root) => {
      writeFileSync(join(root, 'index.faiss'), text())
      await replaceStoreFile(join(root, 'copy.faiss'), readChunks(join(root, 'index.faiss')), {
        durable: true,
      })
      expect(readFileSync(join(root, 'copy.faiss'))).toEqual(readFileSync(join(root, 'index.faiss')))
    },
  },
  {
    what: 'the table of quantized vectors',
    file: 'index.i8',
    durable: true,
    replaces: true,
    write: vectorTable,
  },
]

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'warrant-atomic-'))
  mkdirSync(join(root, '.git'))
})

/** Every path on which `FileHandle.sync` is called, as the kernel names the descriptor. */
const synced: string[] = []
let restore = () => {}
beforeEach(async () => {
  const handle = await open(root)
  const prototype = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  const { sync } = prototype
  prototype.sync = function (this: FileHandle) {
    synced.push(readlinkSync(`/proc/self/fd/${this.fd}`))
    return sync.call(this)
  }
  restore = () => {
    prototype.sync = sync
  }
})
afterEach(() => {
  restore()
  synced.length = 0
})

describe.each(WRITERS)('$what', ({ file, durable, replaces, write }) => {
  it('is fsynced with its folder exactly when it has to survive a crash', async () => {
    await write(root)
    const drafts = synced.filter((path) => dirname(path) === root && basename(path) !== '.git')
    expect({ files: drafts.length, folders: synced.filter((path) => path === root).length }).toEqual(
      durable ? { files: 1, folders: 1 } : { files: 0, folders: 0 },
    )
  })

  it('is never changed in place, and leaves no draft', async () => {
    await write(root)
    const before = readFileSync(join(root, file))
    const held = openSync(join(root, file), 'r')
    await write(root)
    const after = Buffer.alloc(before.length + 1)
    const length = readSync(held, after, 0, after.length, 0)
    closeSync(held)
    // The open descriptor still reads the whole old file.
    expect(after.subarray(0, length)).toEqual(before)
    expect(readFileSync(join(root, file)).equals(before)).toBe(!replaces)
    expect(readdirSync(root).filter((name) => /\.tmp$|^\.draft-/.test(name))).toEqual([])
  })

  it('leaves no draft when the name is taken by a folder', async () => {
    mkdirSync(join(root, file))
    await write(root).catch(() => {})
    expect(readdirSync(root).filter((name) => /\.tmp$|^\.draft-/.test(name))).toEqual([])
  })
})
