// What does the gate on every file cost the first time and the second, how does that grow, and what do checks add?

import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { roundCount, runBench, text } from './lib/cli.mjs'
import { projectDir } from './lib/contestants.mjs'
import { waitedNs } from './lib/proc.mjs'
import { Samples } from './lib/report.mjs'
import { freshDir } from './lib/server.mjs'
import { sourceFile } from './lib/source-file.mjs'
import { Stop } from './lib/stop.mjs'

const program = join(projectDir, 'dist/bin/warrant.js')
// A build server has no cache, and certificates of the machine are read by every Node that starts.
const { CI: _, NODE_EXTRA_CA_CERTS: __, ...rest } = process.env
const env = { ...rest, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
const SECONDS = 1
const CHECKS = 8
const POLL_MS = 50

/** @type {import('./lib/report.mjs').Column[]} */
const columns = [
  { key: 'cpu', label: 'CPU, ms', digits: 0, best: 'min' },
  { key: 'wall', label: 'wall, ms', digits: 0, best: 'min' },
  { key: 'memory', label: 'most memory of the gate, MiB', digits: 0, best: 'min' },
]

/** @param {string} cwd @param {string[]} words */
function git(cwd, ...words) {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org']
  const { status, stderr } = spawnSync('git', [...identity, ...words], { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Stop(`git ${words[0]}: ${stderr}`)
}

/** @param {string} cwd */
function commit(cwd) {
  git(cwd, 'init', '-q', '-b', 'feature/bench')
  git(cwd, 'add', '-A')
  git(cwd, 'commit', '-qm', 'files')
}

/** @param {number} count */
function makeRepository(count) {
  const cwd = freshDir()
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ dependencies: { express: '5' } }))
  for (let number = 0; number < count; number++) {
    const folder = join(cwd, `services/area-${number % Math.max(50, count / 200)}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `service-${number}.ts`), sourceFile(number))
  }
  commit(cwd)
  return cwd
}

/** The most memory that a process has had so far, in MiB; 0 when it has ended. @param {number} pid */
function peakMemory(pid) {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** @param {string} cwd @param {string} state @param {string[]} words */
async function measureGate(cwd, state, words) {
  const before = waitedNs()
  const began = performance.now()
  const child = spawn(process.execPath, [program, 'gate', '--quiet', '--no-evidence', ...words], {
    cwd,
    env: { ...env, XDG_STATE_HOME: state },
    stdio: 'ignore',
  })
  let memory = 0
  const timer = setInterval(() => {
    memory = Math.max(memory, peakMemory(child.pid ?? 0))
  }, POLL_MS)
  const code = await new Promise((resolve) => child.once('exit', resolve))
  clearInterval(timer)
  if (code !== 0 && code !== 1) throw new Stop(`the gate ended with ${code}`)
  return { wall: performance.now() - began, cpu: (waitedNs() - before) / 1e6, memory }
}

/** @param {number} count how many checks: one takes a second, the others a tenth */
function makeChecks(count) {
  const cwd = freshDir()
  const state = freshDir()
  mkdirSync(join(cwd, '.warrant'))
  const lines = Array.from({ length: count }, (_, index) => {
    const seconds = index === 0 ? SECONDS : SECONDS / 10
    return `  check-${index}: { run: sleep ${seconds}, reads: exit, stages: [PRE_COMMIT] }\n`
  })
  writeFileSync(join(cwd, '.warrant/checks.yml'), `checks:\n${lines.join('')}`)
  commit(cwd)
  const listed = spawnSync(process.execPath, [program, 'checks', 'list', '--json'], {
    cwd,
    env: { ...env, XDG_STATE_HOME: state },
    encoding: 'utf8',
  })
  const digest = /sha256:[0-9a-f]{64}/.exec(listed.stdout)?.[0]
  if (digest === undefined) throw new Stop(`no digest of the checks: ${listed.stderr}`)
  writeFileSync(join(cwd, 'package.json'), '{}\n')
  git(cwd, 'add', '-A')
  return () => measureGate(cwd, state, ['--allow-checks', digest])
}

/** @param {number} rounds @param {number[]} sizes */
async function measureSizes(rounds, sizes) {
  const samples = new Samples('every file of a repository', columns)
  const names = sizes.map((size) => [`first, ${size} files`, `second, ${size} files`])
  for (const [at, size] of sizes.entries()) {
    const cwd = makeRepository(size)
    for (let round = 0; round < rounds; round++) {
      const state = freshDir()
      for (const name of names[at] ?? []) samples.add(name, await measureGate(cwd, state, ['--all']))
    }
  }
  return samples.table(names.flat(), names.flat())
}

/** @param {number} rounds */
async function measureChecks(rounds) {
  const samples = new Samples(`checks, the longest ${SECONDS} s`, columns.slice(0, 2))
  const [one, all] = [makeChecks(1), makeChecks(CHECKS)]
  for (let round = 0; round < rounds; round++) {
    const [alone, together] = [await one(), await all()]
    samples.add('the longest alone', { cpu: alone.cpu, wall: alone.wall })
    samples.add(`${CHECKS} checks`, { cpu: together.cpu, wall: together.wall })
    samples.add('added', { cpu: together.cpu - alone.cpu, wall: together.wall - alone.wall })
  }
  return samples.table(['the longest alone', `${CHECKS} checks`, 'added'], [])
}

await runBench(['rounds', 'files'], async (options) => {
  const usual = options.quick ? '200,2000' : '10000,100000'
  const sizes = (text(options, 'files') ?? usual).split(',').map(Number)
  const rounds = roundCount(options, 1)
  const tables = [await measureSizes(rounds, sizes), await measureChecks(5 * rounds)]
  return { bench: 'gate-all', rounds, tables }
})
