import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from './history/random.ts'
import { BINARY, makeFolder, sweep } from './support/binary.ts'
import { type Ended, keepState, restoreState, runThere } from './support/machine-state.ts'
import { Repo } from './support/repository.ts'
import { readIfThere, SPOILS, spoilFile } from './support/spoil-file.ts'

/** What the gate keeps in files other than its log, spoiled, read and repaired as the message says. */

/** Of each kind that is not the same each time. */
const ROUNDS = Number(process.env.WARRANT_TEST_DAMAGES ?? 16)

/** Blocks wherever it is. */
const KEY = `export const key = '${['AKIA', 'Z7QXN4RTP2LKW6HD'].join('')}'\n`

let repo: Repo
let state: string
let kept: string

const machine = () => ({ repo: repo.folder, state })
const run = (program: string, words: readonly string[]) => runThere(machine(), program, words)

const warrant = async (...words: readonly string[]): Promise<Ended> => {
  const ended = await run(process.execPath, [BINARY, ...words])
  expect(ended.said, words.join(' ')).not.toMatch(/internal error|Node\.js v/)
  expect(ended.status, `${words.join(' ')}: ${ended.said}`).not.toBe(70)
  return ended
}

/** The only file in a folder of this user. */
const kind = (name: string, suffix = ''): string => {
  const folder = join(state, 'warrant', name)
  const [file] = readdirSync(folder).filter((one) => one.endsWith(suffix))
  return join(folder, String(file))
}

const restore = (from: string): void => restoreState(machine(), from)
const keep = (to: string): void => keepState(machine(), to)

const files = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`src/f${at}.ts`, `export const a${at} = ${at}\n`]),
  )

beforeAll(async () => {
  repo = Repo.init().commit({ ...files(80), 'a.ts': 'export const a = 1\n' })
  state = await makeFolder()
  kept = await makeFolder()
  for (const name of ['old', 'whole', 'foreign']) mkdirSync(join(kept, name))
  expect((await warrant('gate', '--all')).status).toBe(0)
  repo.stage({ 'b.ts': 'export const b = 1\n' })
  expect((await warrant('gate')).status).toBe(0)
  keep(join(kept, 'old'))
  repo.stage({ 'c.ts': 'export const c = 1\n' })
  expect((await warrant('gate')).status).toBe(0)
  keep(join(kept, 'whole'))
})
afterAll(async () => {
  rmSync(repo.folder, { recursive: true, force: true })
  await sweep()
})

const receiptFile = (): string => {
  const top = repo.path('.warrant', 'receipts')
  const [folder = ''] = readdirSync(top)
  const [name = ''] = readdirSync(join(top, folder))
  return join(top, folder, name)
}

/** The files, and whether the verdict rests on their bytes. */
const FILES: Readonly<Record<string, () => string>> = {
  evidence: () => repo.path('.ai_evidence.json'),
  receipts: receiptFile,
  'the signing key': () => join(state, 'warrant', 'signing.key'),
  'what was seen of the log': () => kind('logs', '.newest'),
  'what is remembered of the store': () => kind('logs', '.json'),
  'results of scans': () => kind('scans'),
  'the ignore file of the state folder': () => repo.path('.warrant', '.gitignore'),
  'a claim to the lock': () => repo.path('.git', 'warrant-evidence.lock.1'),
}

/** Carries out what a message says: its commands, or the file that it wants moved away. */
const obey = async (said: string, file: string): Promise<void> => {
  for (const [, command = ''] of said.matchAll(/`((?:warrant|chmod|chown) [^`]+)`/g)) {
    const words = command.replaceAll("'", '').split(' ')
    if (command.includes('allow-unrecorded') || command === 'warrant doctor') continue
    if (words[0] === 'warrant') await warrant(...words.slice(1))
    else await run('sh', ['-c', command])
  }
  if (/[Mm]ove the existing file away|remove \/|delete its lock file/.test(said) && existsSync(file))
    renameSync(file, `${file}.away`)
}

describe('a file of the gate', () => {
  const counts = { damages: 0, told: 0 }
  afterAll(() => {
    process.stdout.write(
      `${counts.damages} damages of files: ${counts.told} stopped the gate until the named repair was made, the others did no harm\n`,
    )
  })
  it.each(Object.entries(FILES))(
    '%s, spoiled, never makes a wrong verdict, and the named repair works',
    async (name, where) => {
      const random = seededRandom(name.length)
      for (const [how, spoil] of Object.entries(SPOILS)) {
        const isSame = ['emptying', 'an old copy', 'a foreign copy', 'removal'].includes(how)
        for (let round = 0; round < (isSame ? 1 : ROUNDS); round += 1) {
          restore(join(kept, 'whole'))
          const file = where()
          const others = {
            old: readIfThere(
              file.replace(repo.folder, join(kept, 'old', 'repo')).replace(state, join(kept, 'old', 'state')),
            ),
            foreign: Buffer.from('a foreign file\n'),
          }
          if (name === 'a claim to the lock')
            writeFileSync(file, JSON.stringify({ pid: 2 ** 22 + 1, start: '1', host: 'x', id: 'y' }))
          if (!spoilFile(file, spoil, random, others)) continue
          counts.damages += 1
          const what = `${name}, ${how}, round ${round}`
          const why = await warrant('why')
          expect(why.said, what).not.toMatch(
            name === 'evidence' ? /evidence +\.ai_evidence\.json .*ALLOWED/ : /^$/,
          )
          repo.stage({ 'd.ts': KEY })
          const blocked = await warrant('gate', '--all')
          expect(blocked.status, `${what}: ${blocked.said}`).not.toBe(0)
          repo.stage({ 'd.ts': 'export const d = 1\n' })
          let next = await warrant('gate', '--all')
          if (next.status !== 0) {
            counts.told += 1
            await obey(next.said, file)
            next = await warrant('gate', '--all')
          }
          expect(next.status, `${what}: ${next.said}`).toBe(0)
          const verified = await warrant('log', 'verify')
          expect(verified.status, `${what}: ${verified.said}`).toBe(0)
        }
      }
    },
  )
})
