import { spawnSync } from 'node:child_process'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/platform/log-stores/sqlite/database.ts'
import { BINARY } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { gateEnvironment } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'
import { changeStored } from '../support/stored-entry.ts'

const LOG = 'gate-decisions'

type Part = 'entry' | 'payload'

/** What gets into a stored text, and as what it must not come out. */
const CHARACTERS: readonly (readonly [string, Part, Buffer])[] = [
  ['NUL', 'payload', Buffer.of(0)],
  ['ESC', 'payload', Buffer.from('\u001b[31m')],
  ['ESC', 'entry', Buffer.from('\u001b[31m')],
  ['U+2028', 'payload', Buffer.from('\u2028')],
  ['U+202E', 'entry', Buffer.from('\u202e')],
  ['a lone surrogate', 'payload', Buffer.of(0xed, 0xa0, 0x80)],
  ['an escaped lone surrogate', 'payload', Buffer.from('\\ud800')],
  ['an escaped ESC', 'payload', Buffer.from('\\u001b')],
  ['invalid UTF-8', 'payload', Buffer.of(0xff)],
  ['invalid UTF-8', 'entry', Buffer.of(0xff)],
]

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what we look for
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f\u2028\u2029\u202e\ud800-\udfff\ufffd]/

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const warrant = (repo: Repo, ...words: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, ...words], {
    cwd: repo.folder,
    env: gateEnvironment(),
    encoding: 'utf8',
  })
  const said = `${stdout}${stderr}`
  expect(said, words.join(' ')).not.toMatch(RAW)
  expect(said, words.join(' ')).not.toMatch(/internal error/i)
  return { status, said }
}

/** A log of three entries; the newest is that of a run. */
const makeLog = (): Repo => {
  const repo = Repo.init().commit({ 'a.ts': 'export const a = 1\n' })
  folders.push(repo.folder)
  for (const name of ['b', 'c']) {
    repo.stage({ [`${name}.ts`]: `export const ${name} = 1\n` })
    expect(warrant(repo, 'gate').status).toBe(0)
  }
  return repo
}

/** Inside of a text that every reader shows. */
const TEXT = { entry: '"operation":"g', payload: '"stage":"P' }

const spoil = async (repo: Repo, part: Part, bytes: Buffer): Promise<void> => {
  const db = await openDatabase(repo.path('.warrant', 'lineage.db'))
  changeStored(db, { log: LOG, seq: 2, part }, (text) => {
    const at = text.indexOf(TEXT[part]) + TEXT[part].length
    return Buffer.concat([text.subarray(0, at), bytes, text.subarray(at)])
  })
  db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
  db.close()
}

describe('a character in a stored text that is not of its writer', () => {
  it.each(someRows(CHARACTERS, 5))(
    '%s in the %s is told by every reader, and the named repair works',
    async (_, part, bytes) => {
      const repo = makeLog()
      await spoil(repo, part, bytes)
      for (const words of [['log', 'entries'], ['log', 'show', '2'], ['log', 'prove', '2'], ['log'], ['why']])
        warrant(repo, ...words)
      warrant(repo, 'receipts', 'list')
      expect(warrant(repo, 'doctor')).toMatchObject({ status: 1, said: expect.stringContaining('FAIL') })
      expect(warrant(repo, 'log', 'verify').status).toBe(1)
      const { status, said } = warrant(repo, 'gate')
      expect(status).toBe(8)
      expect(warrant(repo, 'log', 'adopt', '--graph', LOG).status).toBe(1)
      expect(said).toMatch(
        /Move the database away, .*-wal and -shm.* run `warrant log adopt --graph gate-decisions`/,
      )
      for (const suffix of ['', '-wal', '-shm']) {
        const file = repo.path('.warrant', `lineage.db${suffix}`)
        if (existsSync(file)) renameSync(file, `${file}.away`)
      }
      expect(warrant(repo, 'log', 'adopt', '--graph', LOG).status).toBe(0)
      expect(warrant(repo, 'gate').status).toBe(0)
      expect(warrant(repo, 'log', 'verify').status).toBe(0)
      expect(warrant(repo, 'doctor').said).toMatch(/ok +decision log/)
    },
  )
})
