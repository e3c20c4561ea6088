// How many planted defects does the gate find, at which severity, and what does it say of correct code beside them?

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCorpus, setOf, writeGroup } from './corpus.mjs'
import { git, isAtLeast, makeHome, runGate, stageAll } from './gate.mjs'
import { table, wilsonInterval } from './table.mjs'

/**
 * @typedef {import('./corpus.mjs').Group} Group
 * @typedef {import('./corpus.mjs').Plant} Plant
 * @typedef {import('./corpus.mjs').Marked} Marked
 * @typedef {import('./gate.mjs').Finding} Finding
 * @typedef {import('./gate.mjs').Verdict} Verdict
 */

/** A finding about a whole function or class says nothing about one line of it. */
const LONGEST_REGION = 12

/** Findings that are about something else than the defect beside them. */
const UNRELATED =
  /no-todo|suppressed-checks|console-log|no-console|no-print|single-letter|^solid\.|max-|naming/

/** Plants whose defect is the output itself. */
const ABOUT_OUTPUT = /-log-password$|-print-stack$/

/**
 * @param {Marked} marked
 * @param {Finding} finding
 */
export function isOn(marked, finding) {
  if (finding.file !== marked.file) return false
  const first = finding.region?.line ?? 1
  const last = finding.region?.endLine ?? first
  if (last - first >= Math.max(LONGEST_REGION, marked.last - marked.first + 1)) return false
  if (first <= marked.last && last >= marked.first) return true
  return marked.also.some((line) => first <= line && last >= line)
}

/**
 * @param {Plant} plant
 * @param {Finding[]} findings
 */
function findingsOf(plant, findings) {
  return findings.filter(
    (finding) =>
      isOn(plant, finding) &&
      isAtLeast(finding.severity, 'WARN') &&
      (ABOUT_OUTPUT.test(plant.id) || !UNRELATED.test(finding.ruleId)),
  )
}

/** @param {Verdict} verdict */
const blocking = ({ findings, policy }) =>
  findings.filter(({ severity }) => isAtLeast(severity, policy.block_on_or_above))

/**
 * @param {Group} group
 * @param {string} home
 */
function judgeGroup(group, home) {
  const folder = join(home, group.name)
  mkdirSync(folder)
  writeGroup(group, folder)
  stageAll(home, folder)
  const commit = runGate(home, folder, ['--stage', 'PRE_COMMIT'])
  git(home, folder, ['commit', '-q', '--no-verify', '-m', 'plants'])
  const all = runGate(home, folder, ['--all'])
  const push = runGate(home, folder, ['--all', '--stage', 'PRE_PUSH'])
  return { group, all, commit, push }
}

/** @param {{ group: Group, all: Verdict, commit: Verdict, push: Verdict }} judged */
function countGroup({ group, all, commit, push }) {
  const stopsCommit = blocking(commit)
  const stopsPush = blocking(push)
  const plants = group.plants.map((plant) => {
    const found = findingsOf(plant, all.findings)
    return {
      plant,
      rules: [...new Set(found.map(({ ruleId }) => ruleId))],
      isFound: found.length > 0,
      isError: found.some(({ severity }) => isAtLeast(severity, 'ERROR')),
      stopsCommit: findingsOf(plant, stopsCommit).length > 0,
      stopsPush: findingsOf(plant, stopsPush).length > 0,
    }
  })
  const severe = all.findings.filter(({ severity }) => isAtLeast(severity, 'ERROR'))
  const alarms = group.twins.flatMap((twin) => {
    const on = severe.filter((finding) => isOn(twin, finding))
    return on.length === 0 ? [] : [{ twin, rules: on.map(({ ruleId }) => ruleId) }]
  })
  const marked = [...group.plants, ...group.twins]
  const elsewhere = severe.filter((finding) => !marked.some((one) => isOn(one, finding)))
  return { name: group.name, plants, twins: group.twins.length, alarms, elsewhere }
}

/** @typedef {ReturnType<typeof countGroup>} Counted */

/**
 * @param {Counted[]} groups
 * @param {string} name
 */
function row(groups, name) {
  const plants = groups.flatMap((group) => group.plants)
  const of = (/** @type {(one: typeof plants[number]) => boolean} */ test) => plants.filter(test).length
  const critical = plants.filter(({ plant }) => plant.harm === 'critical')
  const severe = plants.filter(({ plant }) => plant.harm !== 'warn')
  const found = of(({ isFound }) => isFound)
  return [
    name,
    plants.length,
    `${found} (${Math.round((100 * found) / plants.length)} %)`,
    wilsonInterval(found, plants.length),
    of(({ isError }) => isError),
    of(({ stopsCommit }) => stopsCommit),
    of(({ stopsPush }) => stopsPush),
    `${critical.filter(({ stopsCommit }) => stopsCommit).length} of ${critical.length}`,
    `${severe.filter(({ stopsPush }) => stopsPush).length} of ${severe.length}`,
    groups.reduce((sum, { twins }) => sum + twins, 0),
    groups.reduce((sum, { alarms }) => sum + alarms.length, 0),
    groups.reduce((sum, { elsewhere }) => sum + elsewhere.length, 0),
  ]
}

/** @param {Counted[]} counted */
function recallText(counted) {
  const head = [
    'group',
    'plants',
    'found',
    'interval of 95 %',
    'at ERROR or above',
    'stop a commit',
    'stop a push',
    'critical ones that stop a commit',
    'critical and error that stop a push',
    'correct twins',
    'false alarms on them',
    'ERROR or above elsewhere',
  ]
  const sets = [...new Set(counted.map(({ name }) => setOf(name)))].map((set) =>
    row(
      counted.filter(({ name }) => setOf(name) === set),
      `**${set} set**`,
    ),
  )
  return table([
    head,
    ...counted.map((one) => row([one], one.name)),
    ...sets,
    ...(sets.length > 1 ? [row(counted, '**all**')] : []),
  ])
}

/** @param {Counted[]} counted */
function missedText(counted) {
  return counted
    .flatMap(({ plants, alarms, elsewhere }) => [
      ...plants
        .filter(({ isFound }) => !isFound)
        .map(
          ({ plant }) => `missed  ${plant.id} (${plant.harm}) ${plant.file}:${plant.first} ${plant.about}`,
        ),
      ...plants
        .filter(({ plant, isFound, isError }) => isFound && !isError && plant.harm !== 'warn')
        .map(
          ({ plant, rules }) => `low     ${plant.id} (${plant.harm}) ${plant.file}:${plant.first} ${rules}`,
        ),
      ...alarms.map(
        ({ twin, rules }) => `alarm   ${twin.id} ${twin.file}:${twin.first} ${twin.about}: ${rules}`,
      ),
      ...elsewhere.map(({ file, region, ruleId }) => `other   ${file}:${region?.line} ${ruleId}`),
    ])
    .join('\n')
}

/** @param {string | undefined} only */
export function judgeCorpus(only) {
  const home = makeHome()
  try {
    return readCorpus(only).map((group) => countGroup(judgeGroup(group, home)))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

const expectedFile = new URL('expected.json', import.meta.url)

/** @returns {Record<string, string>} */
const readExpected = () => (existsSync(expectedFile) ? JSON.parse(readFileSync(expectedFile, 'utf8')) : {})

/**
 * The rules that found each plant, kept to notice when one stops finding it. Groups that were not judged keep theirs.
 *
 * @param {Counted[]} counted
 */
function keepRules(counted) {
  const found = counted.flatMap(({ plants }) => plants.filter(({ isFound }) => isFound))
  const judged = new Set(counted.flatMap(({ plants }) => plants.map(({ plant }) => plant.id)))
  const others = Object.entries(readExpected()).filter(([id]) => !judged.has(id))
  const rules = found.map(({ plant, rules }) => [plant.id, rules.join(' ')])
  writeFileSync(expectedFile, `${JSON.stringify(Object.fromEntries([...others, ...rules]), null, 2)}\n`)
}

/** @param {Counted[]} counted */
function lostText(counted) {
  const expected = readExpected()
  const lost = counted
    .flatMap(({ plants }) => plants)
    .filter(({ plant, isFound }) => !isFound && expected[plant.id] !== undefined)
  return lost.map(({ plant }) => `\n\nlost    ${plant.id}, found before by ${expected[plant.id]}`).join('')
}

/** @param {{ group?: string, missed?: boolean, keep?: boolean, json?: boolean }} options */
export function measureRecall({ group, missed, keep, json }) {
  const counted = judgeCorpus(group)
  if (keep) keepRules(counted)
  if (json) return JSON.stringify(counted, null, 2)
  const text = recallText(counted) + lostText(counted)
  return missed ? `${text}\n\n${missedText(counted)}` : text
}
