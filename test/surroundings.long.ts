import { spawnSync } from 'node:child_process'
import {
  closeSync,
  cpSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BINARY, makeFolder, Program, sweep } from './support/binary.ts'
import { gateEnvironment } from './support/gate.ts'
import { Repo } from './support/repository.ts'

/** Disks, limits and files that a run of the gate does not choose. */

let state: string
let repo: Repo

const run = (folder: string, program: string, ...words: readonly string[]) => {
  const env = gateEnvironment({ XDG_STATE_HOME: state })
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, env, encoding: 'utf8' })
  const said = `${stdout}${stderr}`
  expect(said).not.toMatch(/internal error/i)
  return { status, said }
}
const warrant = (folder: string, ...words: readonly string[]) =>
  run(folder, process.execPath, BINARY, ...words)

beforeAll(async () => {
  state = await makeFolder()
  repo = Repo.init().commit({ 'a.ts': 'export const a = 1\n' }).stage({ 'b.ts': 'export const b = 1\n' })
  expect(warrant(repo.folder, 'gate').status).toBe(0)
})
afterAll(async () => {
  rmSync(repo.folder, { recursive: true, force: true })
  await sweep()
})

const isRoot = process.platform === 'linux' && process.getuid?.() === 0

/** Uses a copy of the repository on a small disk of its own. */
const withDisk = async (work: (folder: string, mount: (...options: readonly string[]) => void) => void) => {
  const disk = await makeFolder()
  const mount = (...options: readonly string[]) =>
    expect(spawnSync('mount', ['-o', options.join(','), 'tmpfs', disk, '-t', 'tmpfs']).status).toBe(0)
  mount('size=16m')
  try {
    const folder = join(disk, 'repo')
    cpSync(repo.folder, folder, { recursive: true })
    work(folder, (...options) => mount('remount', ...options))
  } finally {
    spawnSync('umount', ['-l', disk])
  }
}

describe.runIf(isRoot)('a disk', () => {
  it('that is mounted read-only keeps nobody from reading the log', () =>
    withDisk((folder, remount) => {
      remount('ro')
      for (const words of [
        ['log', 'verify'],
        ['log', 'entries'],
        ['receipts', 'list'],
        ['why'],
        ['gate', '--read-only'],
      ])
        expect(warrant(folder, ...words), words.join(' ')).toMatchObject({ status: 0 })
      expect(warrant(folder, 'gate').status).toBe(8)
      expect(warrant(folder, 'doctor').said).toMatch(/ok +decision log/)
    }))

  it('that is full is said to be full, and the next run works when it has room', () =>
    withDisk((folder) => {
      const filler = join(folder, '..', 'filler')
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1k'])
      for (const words of [['gate'], ['log', 'verify'], ['why'], ['doctor']]) {
        const { status, said } = warrant(folder, ...words)
        expect(status, said).not.toBe(0)
        expect(said).toMatch(/the disk is full/)
      }
      rmSync(filler)
      expect(warrant(folder, 'gate').status).toBe(0)
      expect(warrant(folder, 'log', 'verify').status).toBe(0)
    }))
})

describe.runIf(process.platform === 'linux')('a limit', () => {
  it('of open files is told by the gate', () => {
    const told: number[] = []
    for (let files = 22; files <= 40; files += 2) {
      const line = `ulimit -n ${files}; exec "${process.execPath}" "${BINARY}" gate`
      const { status, said } = run(repo.folder, 'sh', '-c', line)
      // Node.js itself needs some of them.
      if (/Node\.js v/.test(said) && told.length === 0) continue
      expect([0, 6, 8], `${files}: ${said}`).toContain(status)
      if (status !== 0) expect(said).toMatch(/too many files are open|ulimit -n|EMFILE/)
      told.push(files)
    }
    expect(told.length).toBeGreaterThan(4)
  })

  it.each(['/proc/warrant-test/a', '/dev/null/a'])('a state folder at %s ends in a message', (place) => {
    const { status, said } = warrant(repo.folder, 'gate', '--state-dir', place)
    expect(status, said).toBe(8)
    expect(said).toMatch(/state folder cannot be created|is not a folder/)
  })
})

describe('a file of 2 GB that git does not track', () => {
  it('is read by nobody, and the receipt covers what can be committed without it', () => {
    const path = repo.path('large.bin')
    const file = openSync(path, 'w')
    ftruncateSync(file, 2_200 * 1024 * 1024)
    closeSync(file)
    const { status, said } = warrant(repo.folder, 'gate', '--all')
    rmSync(path)
    expect(status, said).toBe(0)
    expect(said).not.toMatch(/partial/)
    repo.commit({ 'b.ts': 'export const b = 1\n' })
    const head = repo.git('rev-parse', 'HEAD^{tree}').trim()
    expect(warrant(repo.folder, 'receipts', 'list').said).toContain(head.slice(0, 12))
  })
})

describe('a scan that is killed', () => {
  it('goes on where it was', async () => {
    const large = Repo.init()
    const text = Array.from(
      { length: 40 },
      (_, at) => `export const f${at} = (x: number) => x + ${at}\n`,
    ).join('')
    const names = Array.from({ length: 20_000 }, (_, at) => `d${at % 100}/f${at}.ts`)
    large.commit(Object.fromEntries(names.slice(0, 1_000).map((name, at) => [name, `${text}// ${at}\n`])))
    for (const [at, name] of names.slice(1_000).entries())
      writeFileSync(large.path(name), `${text}/* ${at} */\n`)
    large.git('add', '-A')
    const killed = new Program(['gate', '--all'], { cwd: large.folder, env: { XDG_STATE_HOME: state } })
    const folder = join(state, 'warrant', 'scans')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const before = new Set(readdirSync(folder))
    let kept = ''
    while (kept === '') {
      await new Promise((resolve) => setTimeout(resolve, 200))
      const [name] = readdirSync(folder).filter((one) => !before.has(one) && !one.startsWith('.draft'))
      kept = name ?? ''
    }
    killed.child.kill('SIGKILL')
    await killed.ended()
    expect(readFileSync(join(folder, kept), 'utf8').split('\n').length).toBeGreaterThan(32)
    rmSync(large.folder, { recursive: true, force: true })
  })
})
