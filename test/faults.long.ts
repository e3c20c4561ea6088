import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { optional } from '../src/kernel/optional.ts'
import { isPathInside } from '../src/kernel/text/path-inside.ts'
import { BINARY, makeFolder, sweep } from './support/binary.ts'
import { type Ended, keepState, restoreState, runThere } from './support/machine-state.ts'
import { Repo } from './support/repository.ts'

/** Single and lasting errors of system calls under a run of the gate, as strace injects them. */

const hasStrace = spawnSync('strace', ['-V']).status === 0
/** In the long run every case; fewer while a case is worked on. */
const EVERY_NTH = Number(process.env.WARRANT_TEST_FAULTS_NTH ?? 1)

let repo: Repo
let state: string
let kept: string
let size: number

const machine = () => ({ repo: repo.folder, state })
const run = (program: string, words: readonly string[]) => runThere(machine(), program, words)

const warrant = (...words: readonly string[]) => run(process.execPath, [BINARY, ...words])

const countEntries = async (): Promise<number> =>
  JSON.parse((await warrant('log', 'entries', '--limit', '0', '--json')).said).size

beforeAll(async () => {
  repo = Repo.init().commit({ 'a.ts': 'export const a = 1\n' })
  state = await makeFolder()
  kept = await makeFolder()
  repo.stage({ 'b.ts': 'export const b = 1\n' })
  expect((await warrant('gate')).status).toBe(0)
  repo.stage({ 'c.ts': 'export const c = 1\n' })
  expect((await warrant('gate')).status).toBe(0)
  size = await countEntries()
  keepState(machine(), kept)
})
afterAll(async () => {
  rmSync(repo.folder, { recursive: true, force: true })
  await sweep()
})

const restore = (): void => restoreState(machine(), kept)

const OPEN_ERRORS = ['EMFILE', 'ENOSPC', 'EIO', 'EACCES', 'EROFS']
const WRITE_ERRORS = ['ENOSPC', 'EIO', 'EDQUOT']
const CALLS: Readonly<Record<string, readonly string[]>> = {
  openat: OPEN_ERRORS,
  write: WRITE_ERRORS,
  pwrite64: WRITE_ERRORS,
  fsync: ['EIO', 'ENOSPC'],
  fdatasync: ['EIO', 'ENOSPC'],
  ftruncate: ['EIO', 'ENOSPC'],
  rename: ['ENOSPC', 'EIO', 'EACCES'],
  link: ['ENOSPC', 'EMLINK', 'EPERM'],
  mkdir: ['ENOSPC', 'EROFS', 'EACCES'],
  unlink: ['EIO', 'EROFS'],
}

interface Case {
  readonly call: string
  readonly error: string
  /** The how manieth call of its kind fails; with a plus, all from there on. */
  readonly when: string
  readonly path?: string
}

/** How often a run makes each call: in all, and for each file of the repository and of the user that keeps its name. */
const countCalls = async (): Promise<Map<string, number>> => {
  const trace = join(kept, 'trace')
  const calls = Object.keys(CALLS).join(',')
  const traced = ['-f', '-y', '-qq', '-o', trace, '-e', `trace=${calls}`, process.execPath, BINARY, 'gate']
  expect((await run('strace', traced)).status).toBe(0)
  const counts = new Map<string, number>()
  for (const line of readFileSync(trace, 'utf8').split('\n')) {
    const [, call, rest = ''] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? []
    if (call === undefined) continue
    const open = /^\d+<([^>]+)>/.exec(rest)?.[1]
    const names = open === undefined ? [...rest.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name) : [open]
    const paths = names.map((name) => resolve(repo.folder, name))
    const own = paths.filter((path) => isPathInside(repo.folder, path) || isPathInside(state, path))
    for (const key of [
      call,
      ...own.filter((path) => !path.includes('.draft-')).map((path) => `${call} ${path}`),
    ])
      counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

const MAX_ORDINALS = 3

const makeCases = (counts: ReadonlyMap<string, number>): Case[] => {
  const cases: Case[] = []
  for (const [key, count] of counts) {
    const [call = '', path] = key.split(' ')
    // Most of these calls are of the program's own start.
    if (path === undefined && ['openat', 'write'].includes(call)) continue
    const ordinals = Array.from({ length: Math.min(count, MAX_ORDINALS) }, (_, at) => String(at + 1))
    for (const error of CALLS[call] ?? [])
      for (const when of [...ordinals, '1+']) cases.push({ call, error, when, ...optional({ path }) })
  }
  return cases
}

/** The gate under a fault; undefined when nothing was hit by it. */
const gateUnder = async ({ call, error, when, path }: Case): Promise<Ended | undefined> => {
  const trace = join(kept, 'trace')
  const where = path === undefined ? [] : ['-P', path]
  const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:error=${error}:when=${when}`]
  const ended = await run('strace', [
    '-f',
    '-qq',
    '-o',
    trace,
    ...where,
    ...inject,
    process.execPath,
    BINARY,
    'gate',
  ])
  return readFileSync(trace, 'utf8').includes('(INJECTED)') ? ended : undefined
}

describe.runIf(hasStrace)('a run of the gate in which a system call fails', () => {
  it('ends in a verdict on record or says what failed, and the next one works', async () => {
    const counts = { faults: 0, allowed: 0, told: 0 }
    for (const [at, one] of makeCases(await countCalls()).entries()) {
      if (at % EVERY_NTH !== 0) continue
      restore()
      const ended = await gateUnder(one)
      if (ended === undefined) continue
      const { call, error, when, path = '' } = one
      const what = `${call} ${error} ${when} ${path}: ${ended.status} ${ended.said}`
      counts.faults += 1
      expect([0, 1, 2, 3, 5, 6, 7, 8], what).toContain(ended.status)
      expect(ended.said, what).not.toMatch(/internal error|UnhandledPromise|Node\.js v/)
      if (ended.status === 0) {
        counts.allowed += 1
        expect(await countEntries(), what).toBe(size + 1)
        expect(ended.said, what).toMatch(/ALLOWED/)
      } else counts.told += 1
      const next = await warrant('gate')
      expect(next.status, `${what}\nthen ${next.said}`).toBe(0)
      const verified = await warrant('log', 'verify')
      expect(verified.status, `${what}\nthen ${verified.said}`).toBe(0)
    }
    process.stdout.write(
      `${counts.faults} faults: ${counts.allowed} verdicts on record, ${counts.told} were told; each next run worked\n`,
    )
    expect(counts.faults).toBeGreaterThanOrEqual(Math.floor(400 / EVERY_NTH))
  })
})
