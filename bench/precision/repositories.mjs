// What does the gate say of public repositories at a fixed commit? They are cloned by the measurer, never kept here.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { Stop } from '../lib/stop.mjs'
import { git, isAtLeast, makeHome, runGate, stageAll } from './gate.mjs'
import { table } from './table.mjs'

/**
 * @typedef {import('./gate.mjs').Finding} Finding
 * @typedef {{ name: string, commit: string, kind: 'healthy' | 'ordinary' | 'examples' | 'vulnerable',
 *   set: 'first' | 'development' | 'held-out' | 'second-held-out' | 'third-held-out' | 'fourth' | 'fifth' | 'sixth' }} Repository
 * @typedef {Repository & { files: number, lines: number, seconds: number, findings: Finding[] }} Judged
 */

const SEVERITIES = /** @type {const} */ (['CRITICAL', 'ERROR', 'WARN', 'INFO'])

/** What counts as a line of code: the languages the packs are for, without minified files. */
const CODE = /(?<!\.min)\.(?:[cm]?[jt]sx?|vue|py|go|java|kts?|swift)$/

/** @returns {Repository[]} */
const listed = () => JSON.parse(readFileSync(new URL('repositories.json', import.meta.url), 'utf8'))

/**
 * The files of a commit as a repository of its own: the measurer's clone is only read.
 *
 * @param {Repository} repository
 * @param {string} clones
 * @param {string} home
 */
function checkOut({ name, commit }, clones, home) {
  const clone = join(clones, basename(name))
  if (!existsSync(clone)) throw new Stop(`no clone of ${name}: git clone it to ${clone}`)
  const folder = join(home, basename(name))
  mkdirSync(folder)
  const read = (/** @type {string[]} */ words) =>
    spawnSync('git', ['-C', clone, ...words], {
      env: { ...process.env, GIT_INDEX_FILE: join(home, `${basename(name)}.index`) },
      encoding: 'utf8',
    })
  if (read(['read-tree', commit]).status !== 0)
    throw new Stop(`the clone of ${name} has no commit ${commit}: git -C ${clone} fetch origin ${commit}`)
  const { stderr } = read(['checkout-index', '-a', '-q', `--prefix=${folder}/`])
  // A partial clone may be without pictures and films, which no rule reads; the measurer is told.
  if (stderr !== '') console.error(`${name}: not in the clone:\n${stderr}`)
  stageAll(home, folder)
  git(home, folder, ['commit', '-q', '--no-verify', '-m', commit])
  return folder
}

/**
 * @param {string} home
 * @param {string} folder
 */
function countLines(home, folder) {
  const names = git(home, folder, ['ls-files', '-z']).split('\0').filter(Boolean)
  let lines = 0
  for (const name of names.filter((one) => CODE.test(one)))
    if (existsSync(join(folder, name)))
      lines += readFileSync(join(folder, name), 'utf8').split('\n').length - 1
  return { files: names.length, lines }
}

/**
 * @template T
 * @param {{ folder?: string | undefined, only?: string | undefined, set?: string | undefined }} options
 * @param {(judged: Judged, folder: string) => T} use
 */
export function eachRepository({ folder, only, set }, use) {
  if (folder === undefined) throw new Stop('say where the clones are: --folder FOLDER')
  const clones = resolve(process.env.INIT_CWD ?? '.', folder)
  const wanted = only?.split(',')
  const home = makeHome()
  const results = []
  try {
    for (const repository of listed()) {
      if (wanted !== undefined && !wanted.includes(basename(repository.name))) continue
      if (set !== undefined && repository.set !== set) continue
      const place = checkOut(repository, clones, home)
      const began = performance.now()
      const { findings } = runGate(home, place, ['--all'])
      const seconds = (performance.now() - began) / 1000
      results.push(use({ ...repository, ...countLines(home, place), seconds, findings }, place))
      rmSync(place, { recursive: true, force: true })
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
  return results
}

/** @param {Finding} finding */
export const isSevere = ({ severity }) => isAtLeast(severity, 'ERROR')

/**
 * @param {string} name
 * @param {Judged[]} judged
 */
function row(name, judged) {
  const findings = judged.flatMap((one) => one.findings)
  const lines = judged.reduce((sum, one) => sum + one.lines, 0)
  const parse = findings.filter(({ ruleId }) => /parse|syntax/.test(ruleId))
  const by = (/** @type {Finding[]} */ some) =>
    SEVERITIES.map((severity) => some.filter((one) => one.severity === severity).length)
  return [
    name,
    judged.reduce((sum, one) => sum + one.files, 0),
    lines,
    ...by(findings),
    lines === 0 ? '–' : ((1000 * findings.filter(isSevere).length) / lines).toFixed(2),
    by(parse).join(' / '),
    judged.reduce((sum, one) => sum + one.seconds, 0).toFixed(1),
  ]
}

/** @param {{ folder?: string, only?: string, set?: string, output?: string, json: boolean }} options */
export function measureRepositories({ output, json, ...options }) {
  const judged = eachRepository(options, (one) => one)
  if (output !== undefined)
    writeFileSync(resolve(process.env.INIT_CWD ?? '.', output), `${JSON.stringify(judged, null, 2)}\n`)
  if (json) return JSON.stringify(judged, null, 2)
  const kinds = [...new Set(judged.map(({ kind }) => kind))]
  const head = [
    'repository at commit',
    'files',
    'lines of code',
    ...SEVERITIES,
    'ERROR or above per 1,000 lines',
    `parse errors (${SEVERITIES.join(' / ')})`,
    'seconds',
  ]
  const rows = judged.map((one) => {
    const note = one.kind === 'healthy' ? '' : `, ${one.kind}`
    return row(`${one.name}@${one.commit.slice(0, 9)}${note}`, [one])
  })
  const sums = kinds.map((kind) =>
    row(
      `**${kind}**`,
      judged.filter((one) => one.kind === kind),
    ),
  )
  return table([head, ...rows, ...sums])
}
