// The same plants before tools that people run already, each on the files it is made for.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { benchDir } from '../lib/contestants.mjs'
import { Stop } from '../lib/stop.mjs'
import { readCorpus, writeGroup } from './corpus.mjs'
import { makeHome } from './gate.mjs'
import { isOn, judgeCorpus } from './recall.mjs'
import { table } from './table.mjs'

/**
 * @typedef {import('./corpus.mjs').Group} Group
 * @typedef {import('./corpus.mjs').Marked} Marked
 * @typedef {{ rule: string, file: string, line: number, last?: number }} Report
 * @typedef {object} Peer
 * @property {string} name
 * @property {(marked: Marked & { cwe?: string }) => boolean} takes whether the tool is made for this place
 * @property {(group: Group, folder: string) => Promise<Report[]>} run
 */

const load = createRequire(import.meta.url)
const SCRIPT = /\.(?:ts|tsx|js|mjs)$/
const SECRET = /^CWE-(?:798|321)$/

/** @param {string} name */
const versionOf = (name) =>
  JSON.parse(readFileSync(join(benchDir, 'node_modules', name, 'package.json'), 'utf8')).version

/** Rules of ESLint's sets that speak of style or of types that the corpus does not bring along. */
const STYLE =
  /(?:^|\/)(?:no-undef|no-unused-vars|no-explicit-any|no-require-imports|no-redeclare|ban-ts-comment)$/

/** @returns {Peer} */
function eslint() {
  return {
    name: `ESLint ${versionOf('eslint')}, recommended with typescript-eslint, security and no-unsanitized`,
    takes: ({ file, group }) => SCRIPT.test(file) && !/secrets|agents/.test(group),
    async run(group, folder) {
      const { ESLint } = load('eslint')
      const engine = new ESLint({
        cwd: folder,
        overrideConfigFile: true,
        overrideConfig: [
          load('@eslint/js').configs.recommended,
          ...load('typescript-eslint').configs.recommended,
          load('eslint-plugin-security').configs.recommended,
          load('eslint-plugin-no-unsanitized').configs.recommended,
        ].map((config) => ({ files: ['**/*.{js,mjs,ts,tsx}'], ...config })),
      })
      const files = [...group.files.keys()].filter((file) => SCRIPT.test(file))
      if (files.length === 0) return []
      const results = await engine.lintFiles(files)
      return results.flatMap(({ filePath, messages }) =>
        messages
          .filter(({ ruleId }) => !STYLE.test(ruleId ?? ''))
          .map(({ ruleId, line, endLine }) => ({
            rule: ruleId ?? 'syntax',
            file: filePath.slice(folder.length + 1),
            line,
            last: endLine,
          })),
      )
    },
  }
}

/** @returns {Peer} */
function secretlint() {
  return {
    name: `secretlint ${versionOf('@secretlint/core')}, recommended preset`,
    takes: ({ group, cwe }) => group.endsWith('secrets') || SECRET.test(cwe ?? ''),
    async run(group) {
      const { lintSource } = await import('@secretlint/core')
      const { creator } = await import('@secretlint/secretlint-rule-preset-recommend')
      const reports = []
      for (const [file, content] of group.files) {
        const { messages } = await lintSource({
          source: { content, filePath: `/${file}`, ext: '', contentType: 'text' },
          options: { config: { rules: [{ id: 'preset', rule: creator, options: {} }] }, maskSecrets: true },
        })
        for (const { ruleId, loc } of messages)
          reports.push({ rule: ruleId, file, line: loc.start.line, last: loc.end.line })
      }
      return reports
    },
  }
}

/** @returns {Peer} */
function ruff() {
  return {
    name: `ruff ${versionOf('@astral-sh/ruff-wasm-nodejs')}, its default rules and S (bandit's)`,
    takes: ({ file, group }) => file.endsWith('.py') && !group.endsWith('secrets'),
    async run(group) {
      const { Workspace, PositionEncoding } = load('@astral-sh/ruff-wasm-nodejs')
      const workspace = new Workspace(
        { lint: { select: ['E4', 'E7', 'E9', 'F', 'S'] } },
        PositionEncoding.Utf16,
      )
      return [...group.files]
        .filter(([file]) => file.endsWith('.py'))
        .flatMap(([file, content]) =>
          workspace.check(content).map((/** @type {any} */ { code, start_location, end_location }) => ({
            rule: code ?? 'syntax',
            file,
            line: start_location.row,
            last: end_location.row,
          })),
        )
    },
  }
}

/**
 * The program ships no rules; folders of rules are named by the measurer.
 *
 * @param {string | undefined} rules with commas between them
 * @returns {Peer}
 */
function astGrep(rules) {
  const program = join(benchDir, 'node_modules/.bin/ast-grep')
  const kind = /\.(?:ts|tsx|js|mjs|py|go|java|kt|kts|swift)$/
  const name = `ast-grep ${versionOf('@ast-grep/cli')}`
  return {
    name:
      rules === undefined ? `${name} as it is installed: it ships no rules` : `${name} with the rules given`,
    takes: ({ file, group }) => kind.test(file) && !/agents|syntax/.test(group),
    async run(_, folder) {
      if (rules === undefined) return []
      const config = join(folder, '..', 'sgconfig.yml')
      const dirs = rules.split(',').map((dir) => resolve(process.env.INIT_CWD ?? '.', dir))
      writeFileSync(config, `ruleDirs: ${JSON.stringify(dirs)}\n`)
      const { stdout, stderr } = spawnSync(program, ['scan', '-c', config, '--json=stream', '.'], {
        cwd: folder,
        encoding: 'utf8',
        maxBuffer: 1 << 28,
      })
      if (stdout === '' && /error/i.test(stderr)) throw new Stop(`ast-grep failed: ${stderr.slice(0, 500)}`)
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
        .map(({ ruleId, file, range }) => ({
          rule: ruleId,
          file,
          line: range.start.line + 1,
          last: range.end.line + 1,
        }))
    },
  }
}

/** @param {Report} report */
const asFinding = ({ rule, file, line, last }) => ({
  ruleId: rule,
  file,
  region: { line, endLine: last ?? line },
  severity: /** @type {const} */ ('ERROR'),
  message: '',
  fingerprint: '',
})

/**
 * @param {Peer} peer
 * @param {Group[]} groups
 * @param {string} home
 */
async function judge(peer, groups, home) {
  const found = new Set()
  const alarms = new Set()
  for (const group of groups) {
    const findings = (await peer.run(group, join(home, group.name))).map(asFinding)
    const isHit = (/** @type {Marked} */ marked) => findings.some((finding) => isOn(marked, finding))
    for (const plant of group.plants.filter(peer.takes)) if (isHit(plant)) found.add(plant.id)
    for (const twin of group.twins.filter(peer.takes)) if (isHit(twin)) alarms.add(twin.id)
  }
  return { found, alarms }
}

/** @param {{ group?: string, rules?: string, json: boolean }} options */
export async function compareTools({ group, rules, json }) {
  if (!existsSync(join(benchDir, 'node_modules/eslint')))
    throw new Stop('install the tools first: npm ci --prefix bench')
  const groups = readCorpus(group)
  const ours = judgeCorpus(group)
  const home = makeHome()
  try {
    for (const one of groups) {
      mkdirSync(join(home, one.name))
      writeGroup(one, join(home, one.name))
    }
    const foundByUs = new Set(
      ours.flatMap(({ plants }) => plants.filter((one) => one.isFound).map((one) => one.plant.id)),
    )
    const alarmsOfUs = new Set(ours.flatMap(({ alarms }) => alarms.map(({ twin }) => twin.id)))
    const rows = []
    for (const peer of [eslint(), secretlint(), ruff(), astGrep(rules)]) {
      const plants = groups.flatMap((one) => one.plants).filter(peer.takes)
      const twins = groups.flatMap((one) => one.twins).filter(peer.takes)
      const { found, alarms } = await judge(peer, groups, home)
      rows.push({
        name: peer.name,
        plants: plants.length,
        found: found.size,
        ours: plants.filter(({ id }) => foundByUs.has(id)).length,
        both: plants.filter(({ id }) => foundByUs.has(id) && found.has(id)).length,
        twins: twins.length,
        alarms: alarms.size,
        ourAlarms: twins.filter(({ id }) => alarmsOfUs.has(id)).length,
        missedByUs: plants.filter(({ id }) => !foundByUs.has(id) && found.has(id)).map(({ id }) => id),
      })
    }
    if (json) return JSON.stringify(rows, null, 2)
    const head = [
      'tool',
      'plants in its files',
      'found by it',
      'found by warrant',
      'by both',
      'twins',
      'its alarms',
      "warrant's alarms",
    ]
    return table([
      head,
      ...rows.map((one) => [
        one.name,
        one.plants,
        one.found,
        one.ours,
        one.both,
        one.twins,
        one.alarms,
        one.ourAlarms,
      ]),
    ])
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
