// What does the gate add to a commit: one staged file among ten thousand, against starting Node and asking git?

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { roundCount, runBench } from './lib/cli.mjs'
import { projectDir } from './lib/contestants.mjs'
import { Samples } from './lib/report.mjs'
import { interleave } from './lib/rounds.mjs'
import { freshDir } from './lib/server.mjs'
import { Stop } from './lib/stop.mjs'

const FILES = 10_000
/** Programs that are over are counted in ticks, so several runs make one figure. */
const RUNS = 10
const TICK_MS = 10

const node = process.execPath
const program = join(projectDir, 'dist/bin/warrant.js')
// Certificates of the machine are read by every Node that starts, which would make the floor look higher.
const { CI: _, NODE_EXTRA_CA_CERTS: __, ...rest } = process.env
const env = {
  ...rest,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  XDG_STATE_HOME: freshDir(),
}

/** @type {import('./lib/report.mjs').Column[]} */
const columns = [
  { key: 'cpu', label: 'CPU, ms', digits: 1, best: 'min' },
  { key: 'wall', label: 'wall, ms', digits: 1, best: 'min' },
]

/** What the gate asks of git, beside contents: state and change in one, index, configuration, place of the hooks. */
const QUESTIONS = [
  ['rev-parse', '--show-toplevel', '--git-common-dir', '--git-path', 'hooks'],
  ['config', '--local', '-z', '--get-regexp', '^warrant\\.'],
  ['status', '--porcelain=v2', '--branch', '-z'],
  ['ls-files', '--stage', '-z'],
]

/**
 * @param {string} cwd
 * @param {string[]} command
 * @param {string} [input]
 */
function run(cwd, [file = '', ...args], input = '') {
  const { status, error } = spawnSync(file, args, { cwd, env, input, maxBuffer: 1 << 28 })
  if (error) throw new Stop(`${file}: ${error.message}`)
  return status
}

/** @param {string} cwd */
function build(cwd) {
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ dependencies: { express: '5' } }))
  for (let at = 0; at < FILES; at += 1) {
    const folder = join(cwd, 'src', String(at % 100))
    if (at < 100) mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `file-${at}.ts`), `export const value${at} = ${at}\n`)
  }
  const git = ['git', '-c', 'user.name=a', '-c', 'user.email=a@example.org']
  run(cwd, ['git', 'init', '-q', '-b', 'feature/bench'])
  run(cwd, ['git', 'add', '-A'])
  run(cwd, [...git, 'commit', '-qm', 'files'])
  writeFileSync(join(cwd, 'src/1/file-1.ts'), 'export const run = (input: string) => eval(input)\n')
  run(cwd, ['git', 'add', '-A'])
}

/** CPU of everything that was started here and is over, in milliseconds. */
function spent() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS
}

/** @param {string} cwd */
function floor(cwd) {
  run(cwd, [node, '-e', '0'])
  for (const question of QUESTIONS) run(cwd, ['git', ...question])
  run(cwd, ['git', 'cat-file', '--batch'], 'HEAD:package.json\n:src/1/file-1.ts\n')
}

/** @param {string[]} options */
function gate(...options) {
  /** @param {string} cwd */
  return (cwd) => {
    if (run(cwd, [node, program, 'gate', ...options]) !== 1)
      throw new Stop('the gate did not block what it must')
  }
}

await runBench(['rounds'], async (options) => {
  const rounds = roundCount(options, 9)
  const cwd = freshDir()
  build(cwd)
  const samples = new Samples(`one staged file among ${FILES}`, columns)
  const contestants = [
    { name: 'floor', once: floor },
    // Writes no evidence, records nothing and leaves no receipt.
    { name: 'warrant gate --no-evidence', once: gate('--no-evidence') },
    { name: 'warrant gate', once: gate() },
  ]
  /** @param {{ once: (cwd: string) => void }} contestant */
  const visit = async ({ once }) => {
    const [before, began] = [spent(), performance.now()]
    for (let turn = 0; turn < RUNS; turn += 1) once(cwd)
    return { cpu: (spent() - before) / RUNS, wall: (performance.now() - began) / RUNS }
  }
  await interleave(contestants, rounds, visit, ({ name }, values) => samples.add(name, values))
  return {
    bench: 'gate',
    rounds,
    tables: [samples.table(['floor', 'warrant gate --no-evidence', 'warrant gate'], ['floor'])],
  }
})
