// What do searching, outlines and architecture cost, and do they grow with the bytes and no faster?

import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { callCount, roundCount, runBench, text } from './lib/cli.mjs'
import { warrant } from './lib/contestants.mjs'
import { layJava, longClass } from './lib/java-tree.mjs'
import { LineClient } from './lib/line-client.mjs'
import { waitedNs } from './lib/proc.mjs'
import { Samples } from './lib/report.mjs'
import { interleave, measure } from './lib/rounds.mjs'
import { freshDir, Server } from './lib/server.mjs'
import { Stop, within } from './lib/stop.mjs'

/** @type {import('./lib/report.mjs').Column[]} */
const columns = [
  { key: 'cpu', label: 'CPU, ms', digits: 2, best: 'min' },
  { key: 'p50', label: 'wall p50, ms', digits: 2, best: 'min' },
  { key: 'rate', label: 'CPU per byte of source, ns', digits: 1, best: 'min' },
]

const SIZES = [500, 1000, 2000]
const LINE = '    private final Map<String, List<Order>> orders = new HashMap<>();\n'

/** A thousand files, 1.3 MB. */
function layTree() {
  const root = freshDir()
  for (let at = 0; at < 1000; at++) {
    const path = join(root, `module${at % 8}/src/main/java/com/example/part${at % 40}/Class${at}.java`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `class Class${at} {\n${LINE.repeat(20)}`)
  }
  return { root, bytes: 1000 * (20 * LINE.length + 16) }
}

/** @param {string} root @param {string | undefined} command */
async function open(root, command) {
  const server = new Server(warrant(command, ['mcp', '--root', root]))
  const client = new LineClient(server)
  await within(client.initialize(), 30, `${server.name} did not answer initialize`)
  client.initialized()
  return { server, client }
}

/**
 * @param {{ server: Server, client: LineClient }} running
 * @param {string} name
 * @param {object} args
 */
function asked({ server, client }, name, args) {
  const line = client.prepare('tools/call', { name, arguments: args })
  /** @type {import('./lib/rounds.mjs').Call} */
  const call = (done) => client.send(line, done)
  return async (/** @type {number} */ total) => {
    const { cpu, p50 } = await measure(server, call, { total, width: 1 })
    return { cpu: cpu / 1000, p50: p50 / 1000 }
  }
}

/** A program that starts anew for each search, as it is used. @param {string} root @param {string} pattern */
function searched(root, pattern) {
  return async (/** @type {number} */ total) => {
    const before = waitedNs()
    const began = performance.now()
    for (let at = 0; at < total; at++) {
      const { status } = spawnSync(rgPath, ['--threads', '1', '-n', pattern, root], { stdio: 'ignore' })
      if (status !== 0 && status !== 1) throw new Stop('ripgrep failed')
    }
    return { cpu: (waitedNs() - before) / 1e6 / total, p50: (performance.now() - began) / total }
  }
}

await runBench(['rounds', 'warrant'], async (options) => {
  const rounds = roundCount(options, 5)
  const command = text(options, 'warrant')
  const tables = []
  /**
   * @param {string} title
   * @param {number} calls
   * @param {{ name: string, bytes: number, visit: (total: number) => Promise<{ cpu: number, p50: number }> }[]} all
   */
  const compare = async (title, calls, all) => {
    const samples = new Samples(title, columns)
    await interleave(
      all,
      rounds,
      ({ visit }) => visit(callCount(options, calls)),
      ({ name, bytes }, values) => samples.add(name, { ...values, rate: (values.cpu * 1e6) / bytes }),
    )
    const names = all.map(({ name }) => name)
    tables.push(samples.table(names, names.slice(0, 1)))
  }

  const { root, bytes } = layTree()
  const tree = await open(root, command)
  for (const [title, pattern] of [
    ['a pattern that is nowhere', 'List<Customer>\\s+\\w+'],
    ['a pattern on one line of each', '^class Class\\d+ '],
  ]) {
    const search = { path: '.', pattern, limit: 1000 }
    await compare(`search 1000 files (1.3 MB): ${title}`, 30, [
      { name: 'ripgrep, started for it', bytes, visit: searched(root, String(pattern)) },
      { name: 'warrant', bytes, visit: asked(tree, 'project_search', search) },
    ])
  }
  const long = longClass(5000)
  writeFileSync(join(root, 'Long.java'), long)
  await compare('outline of a file of 5000 lines', 20, [
    { name: 'warrant', bytes: long.length, visit: asked(tree, 'project_symbols', { path: 'Long.java' }) },
  ])
  await tree.server.stop()

  const projects = []
  for (const count of SIZES) {
    const place = freshDir()
    const size = layJava(place, count)
    projects.push({ count, size, running: await open(place, command) })
  }
  await compare(
    'architecture of a Spring project',
    3,
    projects.map(({ count, size, running }) => ({
      name: `${count} files, ${Math.round(size / 1000)} kB`,
      bytes: size,
      visit: asked(running, 'discover_service_interconnections', { projectPath: '.' }),
    })),
  )
  for (const { running } of projects) await running.server.stop()
  return { bench: 'project-depth', rounds, tables }
})
