// What does the hook of an agent cost: an edit of a file with 1,000 lines, and a command, against starting Node?

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { roundCount, runBench } from './lib/cli.mjs'
import { projectDir } from './lib/contestants.mjs'
import { Samples } from './lib/report.mjs'
import { interleave } from './lib/rounds.mjs'
import { freshDir } from './lib/server.mjs'
import { Stop } from './lib/stop.mjs'

/** Programs that are over are counted in ticks, so several runs make one figure. */
const RUNS = 10
const TICK_MS = 10
const LINES = 1_000

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
  { key: 'slowest', label: 'slowest wall, ms', digits: 1, best: 'min' },
]

/**
 * @param {string} cwd
 * @param {string[]} command
 * @param {string} [input]
 */
function run(cwd, [file = '', ...args], input = '') {
  const { status, stdout, error } = spawnSync(file, args, { cwd, env, input, encoding: 'utf8' })
  if (error) throw new Stop(`${file}: ${error.message}`)
  return { status, stdout }
}

/** @param {string} cwd */
function build(cwd) {
  const functions = Array.from(
    { length: LINES / 4 },
    (_, at) =>
      `export const f${at} = (a: number): string => {\n  const value = a * ${at}\n  return String(value)\n}\n`,
  )
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ dependencies: { express: '5' } }))
  writeFileSync(join(cwd, 'large.ts'), functions.join(''))
  const git = ['git', '-c', 'user.name=a', '-c', 'user.email=a@example.org']
  run(cwd, ['git', 'init', '-q', '-b', 'feature/bench'])
  run(cwd, ['git', 'add', '-A'])
  run(cwd, [...git, 'commit', '-qm', 'files'])
}

/** CPU of everything that was started here and is over, in milliseconds. */
function spent() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS
}

/** @param {string} tool_name @param {object} tool_input */
function hook(tool_name, tool_input) {
  /** @param {string} cwd */
  return (cwd) => {
    const event = JSON.stringify({ hook_event_name: 'PreToolUse', cwd, tool_name, tool_input })
    const { status, stdout } = run(cwd, [node, program, 'hook', 'claude', '--budget', '9000'], event)
    if (status !== 0 || stdout !== '') throw new Stop(`the hook did not allow what it must: ${stdout}`)
  }
}

await runBench(['rounds'], async (options) => {
  const rounds = roundCount(options, 9)
  const cwd = freshDir()
  build(cwd)
  const samples = new Samples(`one event, a file of ${LINES} lines`, columns)
  const edit = { file_path: 'large.ts', old_string: 'a * 77', new_string: 'a * 78' }
  const contestants = [
    { name: 'node -e 0', once: (/** @type {string} */ at) => void run(at, [node, '-e', '0']) },
    { name: 'hook, command', once: hook('Bash', { command: 'npm test && git commit -m "a"' }) },
    { name: 'hook, edit', once: hook('Edit', edit) },
  ]
  /** @param {{ once: (cwd: string) => void }} contestant */
  const visit = async ({ once }) => {
    const [before, walls] = [spent(), /** @type {number[]} */ ([])]
    for (let turn = 0; turn < RUNS; turn += 1) {
      const began = performance.now()
      once(cwd)
      walls.push(performance.now() - began)
    }
    const wall = walls.reduce((sum, one) => sum + one, 0) / RUNS
    return { cpu: (spent() - before) / RUNS, wall, slowest: Math.max(...walls) }
  }
  await interleave(contestants, rounds, visit, ({ name }, values) => samples.add(name, values))
  return {
    bench: 'hook',
    rounds,
    tables: [samples.table(['node -e 0', 'hook, command', 'hook, edit'], ['node -e 0'])],
  }
})
