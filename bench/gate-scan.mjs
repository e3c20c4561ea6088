// What does a scan of a whole tree cost, next to the ast-grep program with the same rules on the same files?

import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { roundCount, runBench, text } from './lib/cli.mjs'
import { benchDir, projectDir } from './lib/contestants.mjs'
import { waitedNs } from './lib/proc.mjs'
import { Samples } from './lib/report.mjs'
import { interleave } from './lib/rounds.mjs'
import { sourceFile } from './lib/source-file.mjs'
import { Stop } from './lib/stop.mjs'

const build = join(projectDir, 'dist')
const program = join(benchDir, 'node_modules/.bin/ast-grep')

/** @type {import('./lib/report.mjs').Column[]} */
const columns = [
  { key: 'cpu', label: 'CPU, ms', digits: 0, best: 'min' },
  { key: 'wall', label: 'wall, ms', digits: 0, best: 'min' },
]

/**
 * @param {string} folder
 * @param {number} count
 */
function makeTree(folder, count) {
  for (let number = 0; number < count; number++) {
    const place = join(folder, `services/area-${number % 50}`)
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, `service-${number}.ts`), sourceFile(number))
  }
  const real = join(benchDir, 'node_modules/zod')
  if (!existsSync(real)) throw new Stop('install the bench first: npm ci --prefix bench')
  cpSync(real, join(folder, 'zod'), {
    recursive: true,
    filter: (path) => !/\.\w+$/.test(path.slice(real.length)) || path.endsWith('.ts'),
  })
}

/** @param {string} folder */
function copyRules(folder) {
  mkdirSync(folder)
  const packs = readdirSync(join(projectDir, 'rules'), { withFileTypes: true })
  for (const { name: pack } of packs.filter((entry) => entry.isDirectory())) {
    for (const name of readdirSync(join(projectDir, 'rules', pack))) {
      const body = readFileSync(join(projectDir, 'rules', pack, name), 'utf8')
      if (/\.test\.yml$/.test(name) || !/^language: TypeScript$/m.test(body)) continue
      writeFileSync(join(folder, `${pack}-${name}`), body)
    }
  }
}

/** @param {string} outfile */
async function buildRunner(outfile) {
  const esbuild = createRequire(join(projectDir, 'package.json'))('esbuild')
  await esbuild.build({
    entryPoints: [join(benchDir, 'lib/scan-tree.ts')],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    external: ['@ast-grep/*'],
  })
}

/** @param {string[]} command */
function run([file = '', ...words]) {
  const { status, stdout, stderr } = spawnSync(file, words, { encoding: 'utf8', maxBuffer: 1 << 30 })
  // The ast-grep program leaves with 1 when it has found errors.
  if (status !== 0 && status !== 1) throw new Stop(`${file} failed: ${stderr.slice(0, 500)}`)
  return stdout
}

/**
 * @param {string} ours
 * @param {string} theirs
 */
function compare(ours, theirs) {
  const wanted = theirs
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .map(({ ruleId, file, range: { start } }) => `${ruleId} ${file}:${start.line + 1}:${start.column + 1}`)
  const found = new Set(JSON.parse(ours).found)
  const missed = wanted.filter((line) => !found.has(line))
  const extra = found.size - new Set(wanted).size
  if (missed.length > 0 || extra !== 0)
    throw new Stop(`the findings differ: ${missed.slice(0, 3)} ${extra} more`)
  return found.size
}

await runBench(['rounds', 'files'], async (options) => {
  const rounds = roundCount(options, 5)
  const count = Number(text(options, 'files') ?? (options.quick ? 300 : 4_000))
  const home = mkdtempSync(join(tmpdir(), 'gate-scan-'))
  const runner = join(build, 'scan-tree.mjs')
  const from = process.cwd()
  try {
    makeTree(join(home, 'tree'), count)
    copyRules(join(home, 'rules'))
    writeFileSync(join(home, 'sgconfig.yml'), 'ruleDirs: [rules]\n')
    await buildRunner(runner)
    process.chdir(join(home, 'tree'))
    const scan = [program, 'scan', '-c', join(home, 'sgconfig.yml')]
    const ours = [process.execPath, runner, build, join(home, 'tree')]
    const findings = compare(run(ours), run([...scan, '--json=stream', '.']))
    const contestants = [
      { name: 'ast-grep', command: [...scan, '--report-style', 'short', '--color', 'never', '.'] },
      { name: 'warrant', command: ours },
    ]
    const samples = new Samples(`${count} files and those of zod, ${findings} findings`, columns)
    await interleave(
      contestants,
      rounds,
      async ({ command }) => {
        const before = waitedNs()
        const began = performance.now()
        run(command)
        return { wall: performance.now() - began, cpu: (waitedNs() - before) / 1e6 }
      },
      ({ name }, values) => samples.add(name, values),
    )
    return { bench: 'gate-scan', rounds, tables: [samples.table(['ast-grep', 'warrant'], ['ast-grep'])] }
  } finally {
    process.chdir(from)
    rmSync(home, { recursive: true, force: true })
    rmSync(runner, { force: true })
  }
})
