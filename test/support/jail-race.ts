import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { Fault } from '../../src/kernel/fault.ts'
import type { PathRules } from '../../src/kernel/jail.ts'
import { holdRoot } from '../../src/platform/jail/handles.ts'
import { openJail } from '../../src/platform/jail/jail.ts'
import { syntaxTrees } from '../../src/platform/syntax/syntax-trees.ts'
import { JOBS } from '../../src/project/jobs.ts'
import { SECRET } from './jail-attacks.ts'

/** Replaces a file and a folder by a symlink and restores them, in an endless loop. */
const SWAPPER = `
  const { renameSync } = require('node:fs')
  const swap = (name) => {
    renameSync(name, name + '.kept')
    renameSync(name + '.link', name)
    renameSync(name, name + '.link')
    renameSync(name + '.kept', name)
  }
  process.send('ready')
  for (;;) { swap('leaf.java'); swap('folder') }
`

const ANY: PathRules = { blocked: () => false }
const LIMITS = { bytes: 1_000_000, checkDeadline: () => {} }

type Ask = (path: string) => string
interface TestedJail {
  readonly read: Ask
  readonly list: Ask
  /** All content that a walk of the project returns. */
  readonly walk: () => string
}

/** The usual check with a TOCTOU hole: `realpath`, compare, open the path. */
const naiveJail = (root: string): TestedJail => {
  const judge = (path: string) => {
    const full = join(root, path)
    const real = realpathSync(full)
    if (real !== root && !real.startsWith(root + sep))
      throw new Fault({ code: 'x', kind: 'refused', fix: '' }, '')
    return full
  }
  return {
    read: (path) => readFileSync(judge(path), 'utf8'),
    list: (path) => readdirSync(judge(path)).join(),
    walk: () =>
      readdirSync(root)
        .flatMap((name) => naiveWalk(join(root, name)))
        .join(),
  }
}

/** A walk with the same hole: `lstat`, then list or read the path. */
const naiveWalk = (path: string): string[] => {
  const stats = lstatSync(path)
  if (stats.isDirectory()) return readdirSync(path).flatMap((name) => naiveWalk(join(path, name)))
  return stats.isFile() ? [readFileSync(path, 'utf8')] : []
}

const ourJail = (root: string): TestedJail => {
  const jail = openJail(holdRoot(root))
  const context = {
    jail,
    rules: ANY,
    ...LIMITS,
    now: () => 0,
    parser: syntaxTrees(),
    fileBytes: LIMITS.bytes,
  }
  return {
    read: (path) => Buffer.from(jail.read(path, ANY, LIMITS).bytes).toString(),
    list: (path) =>
      jail.within(path, ANY, (folder) =>
        folder
          .entries(LIMITS.checkDeadline)
          .map(({ name }) => `${name}:${Buffer.from(folder.read(name, 1_000)?.bytes ?? []).toString()}`)
          .join(),
      ),
    walk: () => `${JOBS.search(context, SEARCH).text}\n${JOBS.tree(context, TREE).text}`,
  }
}

const SEARCH = {
  pattern: SECRET,
  literal: true,
  ignoreCase: false,
  path: '.',
  ignored: true,
  context: 0,
  limit: 9,
  bytes: 9_999,
}
const TREE = { path: '.', depth: 9, exclude: [], ignored: true, limit: 99, bytes: 100_000 }

export interface RaceReport {
  /** Answers that hold something from outside. */
  readonly leaks: number
  readonly answers: number
  readonly refusals: number
}

const isSystem = (thrown: unknown): boolean => typeof (thrown as NodeJS.ErrnoException).code === 'string'

const newReport = () => ({ leaks: 0, answers: 0, refusals: 0 })

const tryOnce = ({ read, list, walk }: TestedJail, report: ReturnType<typeof newReport>): void => {
  for (const ask of [() => read('leaf.java'), () => read('folder/in.java'), () => list('folder'), walk]) {
    try {
      const answer = ask()
      if (answer.includes(SECRET) || answer.includes('outside-name')) report.leaks += 1
      else report.answers += 1
    } catch (thrown) {
      if (!(thrown instanceof Fault) && !isSystem(thrown)) throw thrown
      report.refusals += 1
    }
  }
}

const createRaceFolders = (): { base: string; root: string } => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'warrant-race-')))
  const root = join(base, 'root')
  mkdirSync(join(root, 'folder'), { recursive: true })
  mkdirSync(join(base, 'outside'))
  writeFileSync(join(root, 'leaf.java'), 'inside')
  writeFileSync(join(root, 'folder/in.java'), 'inside')
  writeFileSync(join(base, 'outside/in.java'), SECRET)
  writeFileSync(join(base, 'outside/outside-name.java'), SECRET)
  symlinkSync('../outside/in.java', join(root, 'leaf.java.link'))
  symlinkSync('../outside', join(root, 'folder.link'))
  return { base, root }
}

const stop = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL')
  await once(child, 'close')
}

/** Races both jails against the swapper for `ms`, and the naive one for longer when it has not leaked yet. */
export const raceJails = async (ms: number): Promise<{ naive: RaceReport; real: RaceReport }> => {
  const { base, root } = createRaceFolders()
  const swapper = spawn(process.execPath, ['-e', SWAPPER], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  try {
    await once(swapper, 'message')
    const naive = newReport()
    const real = newReport()
    const [control, jail] = [naiveJail(root), ourJail(root)]
    const start = performance.now()
    while (performance.now() - start < ms) {
      tryOnce(control, naive)
      tryOnce(jail, real)
    }
    while (naive.leaks === 0 && performance.now() - start < ms + 15_000) tryOnce(control, naive)
    return { naive, real }
  } finally {
    await stop(swapper)
    rmSync(base, { recursive: true, force: true })
  }
}
