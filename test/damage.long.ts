import { type ExecFileException, execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { BeliefServer, endServers } from './history/belief-server.ts'
import { type Random, seededRandom } from './history/random.ts'
import { BINARY, cleanEnvironment, makeFolder, sweep } from './support/binary.ts'
import { request } from './support/messages.ts'
import { readIfThere, SPOILS, spoilFile } from './support/spoil-file.ts'

/** The database of a graph and its write-ahead log, as a kill leaves them, spoiled and then served. */

afterAll(async () => {
  await endServers()
  await sweep()
})

/** Of each kind, for each of the two files. */
const ROUNDS = Number(process.env.WARRANT_TEST_DAMAGES ?? 70)
const SERVER = join(dirname(BINARY), 'scg-mcp-server.js')
const NODES = 12
const PART = NODES / 3
/** Every third node was changed once. */
const SIZE = NODES + PART
const SUFFIXES = ['', '-wal', '-shm']

interface Ended {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
}

interface Place {
  readonly folder: string
  readonly store: string
  readonly state: string
}

const run = (
  { folder, state }: Place,
  program: string,
  words: readonly string[],
  input = '',
): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { cwd: folder, env: cleanEnvironment({ XDG_STATE_HOME: state }), timeout: 60_000 }
    const child = execFile(
      process.execPath,
      [program, ...words],
      options,
      (error: ExecFileException | null, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })

const log = (place: Place, verb: string): Promise<Ended> =>
  run(place, BINARY, ['log', verb, '--graph', 'default', '--store', place.store, '--json'])

interface Answer {
  /** The structured content; undefined for a refusal. */
  readonly value: Readonly<Record<string, unknown>> | undefined
  readonly said: string
}

/** Calls tools in one life of a server. */
const converse = async (place: Place, calls: readonly (readonly [string, object])[]): Promise<Answer[]> => {
  const lines = calls.map(([name, args], id) => `${request(id, name, args)}\n`).join('')
  const { stdout, stderr } = await run(place, SERVER, ['--store', place.store], lines)
  expect(stderr).not.toMatch(/bug in|Internal error/)
  const answers: Answer[] = []
  for (const line of stdout.split('\n').filter(Boolean)) {
    const { id, result, error } = JSON.parse(line)
    expect(error?.code, line).not.toBe(-32603)
    answers[id] = { value: result?.structuredContent, said: JSON.stringify(result?.content ?? error) }
  }
  expect(answers.filter(Boolean), stderr).toHaveLength(calls.length)
  return answers
}

const NODE = { belief: 0.5, energy: 1 }
const queries = Array.from({ length: NODES }, (_, id) => ['node.query', { node_id: String(id) }] as const)

/** What `node.query` says of each node, without the time of the answer. */
const contentOf = ({ belief, energy }: Readonly<Record<string, unknown>> = {}): string =>
  `${belief} ${energy}`

/** A third of the nodes each in a life that ended, another, and one that was killed; with copies of the files. */
const makeImage = async () => {
  const folder = await makeFolder()
  const place: Place = { folder, store: join(folder, 'beliefs.db'), state: join(folder, 'state') }
  const image = join(folder, 'image')
  mkdirSync(image)
  process.env.XDG_STATE_HOME = place.state
  const copy = (from: string, name: string) => {
    for (const suffix of SUFFIXES)
      if (existsSync(`${from}${suffix}`)) cpSync(`${from}${suffix}`, join(image, `${name}${suffix}`))
  }
  const start = (store = place.store) => new BeliefServer({ store, folder, args: ['--snapshot-every', '7'] })
  let server = start()
  for (let id = 0; id < NODES; id += 1) {
    await server.must('node.create', { belief: 0.5, energy: id + 1 })
    if (id % 3 === 0) await server.must('node.mutate', { node_id: String(id), delta: 0.25 })
    if (id % PART !== PART - 1 || id === NODES - 1) continue
    await server.finish()
    if (id < PART) copy(place.store, 'old')
    server = start()
  }
  const truth = await Promise.all(
    queries.map(async ([name, args]) => contentOf(await server.must(name, args))),
  )
  await server.kill()
  copy(place.store, 'whole')
  cpSync(place.state, join(image, 'state'), { recursive: true })
  const other = start(join(folder, 'other.db'))
  for (let id = 0; id < NODES; id += 1) await other.must('node.create', { belief: 0.25, energy: 2 })
  await other.kill()
  copy(join(folder, 'other.db'), 'foreign')
  const restore = () => {
    for (const suffix of SUFFIXES) {
      rmSync(`${place.store}${suffix}`, { force: true })
      if (suffix !== '-shm' && existsSync(join(image, `whole${suffix}`)))
        cpSync(join(image, `whole${suffix}`), `${place.store}${suffix}`)
    }
    rmSync(place.state, { recursive: true })
    cpSync(join(image, 'state'), place.state, { recursive: true })
  }
  return { place, image, restore, truth }
}

/** What is served has to be whole, or be marked. Returns whether it was whole. */
const judge = async (place: Place, truth: readonly string[]): Promise<boolean> => {
  const answers = await converse(place, [...queries, ['governance.status', {}], ['node.create', NODE]])
  const status = answers[NODES]?.value
  const created = answers[NODES + 1]?.value
  const wrong = truth.flatMap((content, id) => (contentOf(answers[id]?.value) === content ? [] : [id]))
  for (const id of wrong) {
    const { value, said = '' } = answers[id] ?? {}
    // A refusal must not say that a node which was acknowledged never was.
    if (value !== undefined || said.includes('not found')) expect(said, `node ${id}`).toMatch(/quarantined/i)
  }
  if (status?.healthy === true)
    expect({ ...status, wrong }).toMatchObject({ lineage_length: SIZE, quarantined: false, wrong: [] })
  if (created !== undefined) expect({ ...created, wrong }).toMatchObject({ node_id: NODES, wrong: [] })
  return status?.healthy === true && created !== undefined
}

/** Does what the verification says: moves the files away, puts the copy in their place, and accepts it. */
const repair = async (place: Place, image: string, random: Random): Promise<void> => {
  const verdict = await log(place, 'verify')
  expect(verdict.code, verdict.stdout).not.toBe(0)
  expect(verdict.stdout).toMatch(/log (?:adopt|repair) --graph default/)
  for (const suffix of SUFFIXES)
    if (existsSync(`${place.store}${suffix}`))
      renameSync(`${place.store}${suffix}`, `${place.store}.away${suffix}`)
  const hasCopy = random(2) === 0
  if (hasCopy) cpSync(join(image, 'old'), place.store)
  const adopted = await log(place, 'adopt')
  expect(adopted.code, `${adopted.stdout} ${adopted.stderr}`).toBe(0)
  const [created] = await converse(place, [['node.create', NODE]])
  expect(created?.value, created?.said).toMatchObject({ node_id: hasCopy ? PART : 0 })
  const verified = await log(place, 'verify')
  expect(verified.code, verified.stdout).toBe(0)
}

describe('a graph whose files were spoiled after a kill', () => {
  const counts = { cases: 0, whole: 0, told: 0 }
  afterAll(() => {
    process.stdout.write(
      `${counts.cases} damages: ${counts.whole} left the graph whole, ${counts.told} were told and repaired as named\n`,
    )
  })
  it.each(
    Object.entries(SPOILS).flatMap(([name, spoil], at) =>
      ['', '-wal'].map(
        (suffix) => [name, suffix === '' ? 'database' : 'write-ahead log', suffix, spoil, at] as const,
      ),
    ),
  )(
    'by %s of the %s is served whole or marked, and the named repair works',
    async (name, _, suffix, spoil, at) => {
      const random = seededRandom(1_000 + 2 * at + suffix.length)
      const { place, image, restore, truth } = await makeImage()
      const others = {
        old: readIfThere(join(image, `old${suffix}`)),
        foreign: readIfThere(join(image, `foreign${suffix}`)),
      }
      const isSame = ['emptying', 'an old copy', 'a foreign copy', 'removal'].includes(name)
      for (let round = 0; round < (isSame ? 2 : ROUNDS); round += 1) {
        restore()
        if (!spoilFile(`${place.store}${suffix}`, spoil, random, others)) continue
        counts.cases += 1
        try {
          if (await judge(place, truth)) {
            counts.whole += 1
            expect((await log(place, 'verify')).code).toBe(0)
          } else {
            counts.told += 1
            await repair(place, image, random)
          }
        } catch (cause) {
          throw new Error(`round ${round}`, { cause })
        }
      }
    },
  )
})
