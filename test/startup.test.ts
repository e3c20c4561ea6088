import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  ALWAYS_LOADED,
  INTERNAL,
  MERGED,
  STANDALONE,
  TASKS,
  THREADS,
  WITH_BYTECODE,
} from '../scripts/chunks.mjs'
import { initialize, request } from './support/messages.ts'

/** Start-up is felt at every launch of an agent: what it loads is a promise. */

const PRELOAD = `data:text/javascript,${encodeURIComponent(`
  import { writeFileSync } from 'node:fs'
  process.on('exit', () => {
    const builtins = process.moduleLoadList.filter((name) => name.startsWith('NativeModule ')).map((name) => name.slice(13))
    writeFileSync(process.env.TEST_LOADED, JSON.stringify(builtins))
  })
`)}`

const builtinsAfter = (lines: readonly string[]): readonly string[] => {
  const file = `node_modules/.loaded-${process.pid}-${lines.length}.json`
  execFileSync(process.execPath, ['--import', PRELOAD, 'dist/bin/warrant.js', 'mcp'], {
    input: `${lines.join('\n')}\n`,
    env: { PATH: process.env.PATH, TEST_LOADED: file },
  })
  return JSON.parse(readFileSync(file, 'utf8'))
}

interface Output {
  readonly inputs: readonly string[]
  readonly imports: readonly string[]
}

/** Source files that a bundle loads before anything is asked of it. */
const staticInputs = (entry: string): readonly string[] => {
  const { outputs } = JSON.parse(readFileSync('dist/meta.json', 'utf8')) as {
    outputs: Readonly<Record<string, Output>>
  }
  const seen = new Set<string>()
  const visit = (path: string) => {
    const output = outputs[path]
    if (seen.has(path) || output === undefined) return
    seen.add(path)
    for (const next of output.imports) visit(next)
  }
  const start = Object.keys(outputs).find((path) => outputs[path]?.inputs.includes(entry))
  if (start === undefined) throw new Error(`no bundle for ${entry}`)
  visit(start)
  return [...seen].flatMap((path) => outputs[path]?.inputs ?? [])
}

const HEAVY = /node_modules\/(zod|@modelcontextprotocol|@ast-grep|@photostructure|pg)\b|^web\//

describe('the table of chunks', () => {
  it('names only files that exist, and each of them once in a table', () => {
    const named = [...STANDALONE, ...INTERNAL, ...THREADS, ...Object.values(TASKS).flat(), ...ALWAYS_LOADED]
    expect(named.filter((path) => !existsSync(path))).toEqual([])
    const tables = [[...STANDALONE, ...INTERNAL], THREADS, ...Object.values(TASKS), ALWAYS_LOADED]
    for (const paths of tables) expect([...new Set(paths)]).toEqual(paths)
  })

  it('merges and caches only chunks whose names are made of tasks, in their order', () => {
    const tasks = Object.keys(TASKS)
    const isMadeOfTasks = (chunk: string) => {
      const places = chunk.split('-').map((task) => tasks.indexOf(task))
      return !places.includes(-1) && [...places].sort((a, b) => a - b).join() === places.join()
    }
    // The chunk of every start, and the library that checks what packets say.
    const others = ['start', 'zod']
    const chunks = [...[...MERGED].flat(), ...WITH_BYTECODE.filter((chunk) => !others.includes(chunk))]
    expect(chunks.filter((chunk) => !isMadeOfTasks(chunk))).toEqual([])
  })

  it('has bytecode for every chunk that it lists', () => {
    const cached = readdirSync('dist/chunks').filter((name) => name.endsWith('.code.js'))
    const chunks = cached.map((name) => name.replace(/-[\w-]{8}\.code\.js$/, ''))
    expect(chunks.sort()).toEqual([...WITH_BYTECODE].sort())
  })
})

describe('starting', () => {
  it.each([
    'src/bin/warrant.ts',
    'src/bin/sentinel-mcp.ts',
    'src/cli/server/mcp.ts',
    'src/bin/pumuki-mcp-evidence.ts',
    'src/app/servers/evidence-http.ts',
    'src/app/threads/project.ts',
  ])('%s loads no schema library, SDK, parser or store', (entry) => {
    const inputs = staticInputs(entry)
    expect(inputs.length).toBeGreaterThan(3)
    expect(inputs.filter((path) => HEAVY.test(path))).toEqual([])
  })

  // Crypto is there: the bytecode is checked with it.
  it('answers the handshake without HTTP, child processes or SQLite', () => {
    const loaded = builtinsAfter([initialize()])
    expect(loaded.length).toBeGreaterThan(50)
    const heavy = ['http', 'https', 'child_process', 'sqlite', 'worker_threads', 'perf_hooks']
    expect(loaded.filter((name) => heavy.includes(name))).toEqual([])
  })

  it('lists the tools without loading the SDK', () => {
    const inputs = staticInputs('src/app/compose.ts')
    expect(inputs.some((path) => path.includes('node_modules/zod'))).toBe(true)
    expect(inputs.filter((path) => path.includes('node_modules/@modelcontextprotocol'))).toEqual([])
    const loaded = builtinsAfter([initialize(), request(1, 'tools/list')])
    expect(loaded.filter((name) => ['http', 'child_process'].includes(name))).toEqual([])
  })

  it('takes the bytecode that was made when it was built', () => {
    const program = `
      process.argv = ['node', 'warrant', 'gate', '--help']
      require('./dist/bin/warrant.js')
      const { loaded } = require('./dist/chunks/loader.js')
      console.error(JSON.stringify(loaded.map(({ script }) => script.cachedDataRejected)))`
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' })
    expect(stdout).toContain('Usage: warrant gate')
    expect(JSON.parse(stderr)).toEqual([false])
  })

  it('imports nothing from chunks with bytecode: such a script does not know how', () => {
    const codes = readdirSync('dist/chunks').filter((name) => name.endsWith('.code.js'))
    expect(codes.length).toBeGreaterThan(4)
    const importing = codes.filter((name) => /\bimport\(/.test(readFileSync(`dist/chunks/${name}`, 'utf8')))
    expect(importing).toEqual([])
  })

  it('asks a packet without the gate, the tools of the server and worker threads', () => {
    const inputs = staticInputs('src/cli/packet/ask.ts')
    expect(inputs.length).toBeGreaterThan(100)
    const others = /^src\/gate\/(run|rules\/compile)\.ts|tools\.ts$|worker-pool|node_modules\/(?!zod)/
    expect(inputs.filter((path) => others.test(path))).toEqual([])
  })

  it('fetches a packet without what only other commands need', () => {
    const inputs = staticInputs('src/cli/packet/pull.ts')
    expect(inputs.length).toBeGreaterThan(20)
    expect(inputs.filter((path) => HEAVY.test(path) || /search|vectors|chunk\.ts/.test(path))).toEqual([])
  })

  it('leaves with the code of a bug when nothing is left to do and nothing was decided', () => {
    const program = `
      process.argv = ['node', 'warrant', 'gate']
      Promise.prototype.then = () => new Promise(() => {})
      require('./dist/bin/warrant.js')`
    expect(spawnSync(process.execPath, ['-e', program]).status).toBe(70)
  })
})
