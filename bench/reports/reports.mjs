// Is what `warrant report` says of public repositories true, and is it complete?

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { main, readOptions, text } from '../lib/cli.mjs'
import { drawSample, readContext } from '../lib/random-sample.mjs'
import { Stop } from '../lib/stop.mjs'
import { table, wilsonInterval } from '../precision/table.mjs'

/**
 * A repository at a fixed commit, and what a reader counted in it. `known`: detectors were written with it in
 * view; the others were not known to them at the first look, whose figures are in `README.md`. `firstLook`: the
 * figures are those of the first look; nothing was repaired for it. `before`: found and counted at the first look, of
 * a repository for which causes were repaired afterwards.
 *
 * @typedef {{ name: string, commit: string, kind: string, known: boolean, firstLook?: boolean,
 *   before?: { statements: [number, number], endpoints: [number, number], calls: [number, number] },
 *   endpoints?: { counted: number, missing: string[], how: string },
 *   calls?: { counted: number, missing: string[], how: string } }} Repository
 * @typedef {{ repository: string, statement: string, file: string, line: number, right: boolean | null,
 *   reason: string }} Label
 * @typedef {{ id: string, file: string, line: number }} Statement
 */

const SEED = 18
const WARRANT = fileURLToPath(new URL('../../dist/bin/warrant.js', import.meta.url))
const REPOSITORIES = fileURLToPath(new URL('repositories.json', import.meta.url))
const LABELS = fileURLToPath(new URL('labels.json', import.meta.url))

/**
 * @template T
 * @param {string} file
 * @returns {T[]}
 */
const readList = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [])

/**
 * The files of a commit, without the history: the measurer's clone is only read.
 *
 * @param {Repository} repository
 * @param {string} clones
 * @param {string} home
 */
function checkOut({ name, commit }, clones, home) {
  const clone = join(clones, basename(name))
  if (!existsSync(clone)) throw new Stop(`no clone of ${name}: git clone it to ${clone}`)
  const folder = join(home, basename(name))
  const env = { ...process.env, GIT_INDEX_FILE: join(home, `${basename(name)}.index`) }
  const run = (/** @type {string[]} */ words) => spawnSync('git', ['-C', clone, ...words], { env })
  if (run(['read-tree', commit]).status !== 0)
    throw new Stop(`the clone of ${name} has no commit ${commit}: git -C ${clone} fetch origin ${commit}`)
  run(['checkout-index', '-a', '-q', `--prefix=${folder}/`])
  return folder
}

/**
 * @param {string} folder
 * @param {string} home
 */
function reportOf(folder, home) {
  const env = { ...process.env, XDG_STATE_HOME: home }
  const words = [WARRANT, 'report', '--root', folder, '--json']
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  })
  if (status !== 0) throw new Stop(`the report on ${basename(folder)} ended with ${status}: ${stderr}`)
  return JSON.parse(stdout).system
}

/**
 * Every sentence of a report that can be held against the code: services and stores, relations, endpoints.
 *
 * @param {any} system
 * @returns {Statement[]}
 */
const statementsOf = ({ nodes, relations, endpoints }) => [
  ...nodes.map((/** @type {any} */ { id, technology, sources: [at] }) => ({
    id: `${id} is ${technology}`,
    file: at?.file ?? '',
    line: at?.line ?? 1,
  })),
  ...relations.map((/** @type {any} */ { id, sources: [at] }) => ({
    id,
    file: at?.file ?? '',
    line: at?.line ?? 1,
  })),
  ...endpoints.map((/** @type {any} */ { id, source_file: file, line }) => ({ id, file, line })),
]

/**
 * @template T
 * @param {{ folder?: string | undefined, only?: string | undefined }} options
 * @param {(repository: Repository, folder: string, home: string) => T} use
 */
function eachClone({ folder, only }, use) {
  if (folder === undefined) throw new Stop('say where the clones are: --folder FOLDER')
  const clones = resolve(process.env.INIT_CWD ?? '.', folder)
  const home = mkdtempSync(join(tmpdir(), 'warrant-reports-'))
  const wanted = only?.split(',')
  /** @type {Repository[]} */
  const all = readList(REPOSITORIES)
  try {
    return all
      .filter(({ name }) => wanted === undefined || wanted.includes(basename(name)))
      .map((one) => use(one, checkOut(one, clones, home), home))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** @param {Label} label */
const keyOf = ({ repository, statement }) => `${repository}\0${statement}`

/**
 * Draws statements of each repository, and writes those without a judgement for a reader.
 *
 * @param {{ folder?: string | undefined, only?: string | undefined, each: number, output?: string | undefined }} options
 */
function sample({ folder, only, each, output }) {
  if (output === undefined) throw new Stop('say where the text to read goes: --output FILE')
  /** @type {Label[]} */
  const known = readList(LABELS)
  const judged = new Map(known.map((one) => [keyOf(one), one]))
  /** @type {string[]} */
  const texts = []
  const drawn = eachClone({ folder, only }, ({ name }, place, home) =>
    drawSample(statementsOf(reportOf(place, home)), each, SEED).map(({ id, file, line }) => {
      /** @type {Label} */
      const label = { repository: name, statement: id, file, line, right: null, reason: '' }
      const old = judged.get(keyOf(label))
      if (old?.right === undefined || old.right === null)
        texts.push(
          `## ${name} ${file}:${line}\n${id}\n\n${file === '' ? '' : readContext(place, file, line)}\n`,
        )
      return old ?? label
    }),
  ).flat()
  const others = known.filter(
    (one) => only !== undefined && !drawn.some(({ repository }) => repository === one.repository),
  )
  const placeOf = (/** @type {Label} */ one) => `${one.repository} ${one.statement}`
  const all = [...others, ...drawn].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
  writeFileSync(LABELS, `${JSON.stringify(all, null, 2)}\n`)
  writeFileSync(resolve(process.env.INIT_CWD ?? '.', output), texts.join('\n'))
  return `${drawn.length} statements drawn with seed ${SEED}; ${texts.length} to judge in ${LABELS}`
}

/**
 * @param {number} right
 * @param {number} all
 */
const share = (right, all) => (all === 0 ? '' : `${right} of ${all} (${((100 * right) / all).toFixed(1)} %)`)

/** What the judgements say, by repository and in all. */
function figures() {
  /** @type {Repository[]} */
  const repositories = readList(REPOSITORIES)
  /** @type {Label[]} */
  const labels = readList(LABELS)
  const open = labels.filter(({ right }) => right === null).length
  if (open > 0) throw new Stop(`${open} statements of ${LABELS} are not judged`)
  const found = (/** @type {Repository['calls']} */ one) =>
    one === undefined
      ? { found: 0, counted: 0 }
      : { found: one.counted - one.missing.length, counted: one.counted }
  const row = (/** @type {string} */ name, /** @type {Repository[]} */ own) => {
    const names = own.map((one) => one.name)
    const judged = labels.filter(({ repository }) => names.includes(repository))
    const right = judged.filter((one) => one.right).length
    const sum = (/** @type {'endpoints' | 'calls'} */ part) =>
      own
        .map((one) => found(one[part]))
        .reduce((a, b) => ({ found: a.found + b.found, counted: a.counted + b.counted }))
    const [endpoints, calls] = [sum('endpoints'), sum('calls')]
    const statements =
      judged.length === 0 ? '' : `${share(right, judged.length)}, ${wilsonInterval(right, judged.length)}`
    return [name, statements, share(endpoints.found, endpoints.counted), share(calls.found, calls.counted)]
  }
  const sets = [
    { name: 'all', of: repositories },
    { name: 'seen while detectors were written', of: repositories.filter(({ known }) => known) },
    {
      name: 'first read for this measurement',
      of: repositories.filter(
        ({ known, firstLook, before }) => !known && firstLook !== true && before === undefined,
      ),
    },
    { name: 'looked at later, after repair', of: repositories.filter(({ before }) => before !== undefined) },
    {
      name: 'first look, nothing repaired since',
      of: repositories.filter(({ firstLook }) => firstLook === true),
    },
  ].filter(({ of }) => of.length > 0)
  return table([
    ['repository', 'statements right, interval of 95 %', 'endpoints found', 'calls between services found'],
    ...sets.map(({ name, of }) => row(name, of)),
    ...repositories.flatMap((one) => {
      const name = `${one.name} ${one.commit.slice(0, 12)}, ${one.kind}`
      if (one.before === undefined) return [row(name, [one])]
      const { statements, endpoints, calls } = one.before
      const judged = `${share(...statements)}, ${wilsonInterval(...statements)}`
      return [
        [`${name}: first look`, judged, share(...endpoints), share(...calls)],
        row(`${name}: after repair`, [one]),
      ]
    }),
  ])
}

await main(async () => {
  const [name = ''] = process.argv.splice(2, 1)
  const options = readOptions(['folder', 'only', 'each', 'output'], ['json'])
  const each = Number(text(options, 'each') ?? 20)
  if (name === 'sample')
    console.log(
      sample({
        folder: text(options, 'folder'),
        only: text(options, 'only'),
        output: text(options, 'output'),
        each,
      }),
    )
  else if (name === 'figures') console.log(figures())
  else throw new Stop('say what to do: sample, figures')
})
