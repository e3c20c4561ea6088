// What do reading, listing, trees and globs cost, against the server most people run, on the same files?

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { callCount, roundCount, runBench, text } from './lib/cli.mjs'
import { peer, warrant } from './lib/contestants.mjs'
import { LineClient } from './lib/line-client.mjs'
import { Samples } from './lib/report.mjs'
import { interleave, measure } from './lib/rounds.mjs'
import { freshDir, Server } from './lib/server.mjs'
import { within } from './lib/stop.mjs'

/** @type {import('./lib/report.mjs').Column[]} */
const columns = [
  { key: 'cpu', label: 'CPU per call, µs', digits: 1, best: 'min' },
  { key: 'p50', label: 'wall p50, µs', digits: 0, best: 'min' },
  { key: 'bytes', label: 'result, bytes', digits: 0, best: 'min' },
]

const LINE = '    private final Map<String, List<Order>> orders = new HashMap<>();\n'
const FILE = 'tree/src/main/java/com/example/Big.java'

/** More folders than lists of folders are kept, so that each is read anew. */
const FOLDERS = 12

/** A source tree of a thousand files, folders of a thousand, and one file of 50 KB. */
function layTree() {
  const root = freshDir()
  /** @param {string} path @param {string} content */
  const put = (path, content) => {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  put(FILE, LINE.repeat(Math.ceil(50_000 / LINE.length)).slice(0, 50_000))
  for (let at = 0; at < 1000; at++) {
    for (let folder = 0; folder < FOLDERS; folder++) put(`many${folder}/Service${at}.java`, LINE)
    const ending = at % 5 === 0 ? 'xml' : 'java'
    put(`tree/module${at % 8}/src/main/java/com/example/part${at % 40}/Class${at}.${ending}`, LINE.repeat(20))
  }
  return root
}

/** @param {(name: string) => object} ask */
const manyFolders = (ask) => Array.from({ length: FOLDERS }, (_, at) => ask(`many${at}`))

/** @param {string} root */
const questions = (root) => [
  {
    title: 'read a file of 50 KB, six folders down',
    calls: 2000,
    peer: ['read_text_file', { path: join(root, FILE) }],
    warrant: ['project_read', { path: FILE }],
  },
  {
    title: 'list a folder of 1000',
    calls: 500,
    peer: ['list_directory', { path: join(root, 'many0') }],
    warrant: ['project_list', { path: 'many0' }],
  },
  {
    title: 'list a folder of 1000, another each time',
    calls: 500,
    peer: ['list_directory', ...manyFolders((name) => ({ path: join(root, name) }))],
    warrant: ['project_list', ...manyFolders((path) => ({ path }))],
  },
  {
    title: 'draw a tree of 1000 files',
    calls: 60,
    peer: ['directory_tree', { path: join(root, 'tree') }],
    warrant: ['project_tree', { path: 'tree', depth: 64, limit: 2000 }],
  },
  {
    title: 'find 800 of 1000 files by a glob',
    calls: 60,
    peer: ['search_files', { path: join(root, 'tree'), pattern: '**/*.java' }],
    warrant: ['project_glob', { path: 'tree', pattern: '**/*.java', limit: 2000 }],
  },
  {
    title: 'search 1000 files for a regular expression',
    calls: 30,
    peer: undefined,
    warrant: ['project_search', { path: 'tree', pattern: 'List<Customer>\\s+\\w+' }],
  },
]

/** @param {import('./lib/contestants.mjs').Contestant} contestant */
async function open(contestant) {
  const server = new Server(contestant)
  const client = new LineClient(server)
  await within(client.initialize(), 30, `${server.name} did not answer initialize`)
  client.initialized()
  return { server, client }
}

/**
 * @param {{ server: Server, client: LineClient }} running
 * @param {any} call
 */
async function ask({ server, client }, [name, ...asked]) {
  const params = asked.map((/** @type {object} */ args) => ({ name, arguments: args }))
  const prepared = params.map((/** @type {object} */ one) => client.prepare('tools/call', one))
  const bytes = Buffer.byteLength(JSON.stringify(await client.request('tools/call', params[0])))
  let turn = 0
  /** @type {import('./lib/rounds.mjs').Call} */
  const call = (done) => client.send(prepared[turn++ % prepared.length], done)
  return { name: server.name, server, call, bytes }
}

await runBench(['rounds', 'warrant'], async (options) => {
  const rounds = roundCount(options, 5)
  const root = layTree()
  const other = { ...peer(), command: () => peer().command(root) }
  const servers = {
    peer: await open(other),
    warrant: await open(warrant(text(options, 'warrant'), ['mcp', '--root', root])),
  }
  const tables = []
  for (const { title, calls, ...asked } of questions(root)) {
    const contestants = []
    if (asked.peer) contestants.push(await ask(servers.peer, asked.peer))
    contestants.push(await ask(servers.warrant, asked.warrant))
    const samples = new Samples(title, columns)
    await interleave(
      contestants,
      rounds,
      async ({ server, call, bytes }) => ({
        ...(await measure(server, call, { total: callCount(options, calls), width: 1 })),
        bytes,
      }),
      ({ name }, values) => samples.add(name, values),
    )
    tables.push(
      samples.table(
        contestants.map(({ name }) => name),
        ['peer'],
      ),
    )
  }
  for (const { server } of Object.values(servers)) await server.stop()
  return { bench: 'project', rounds, tables }
})
