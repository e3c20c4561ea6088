// A random sample of findings at ERROR or above, to be judged by a reader, and what the judgements say.

import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drawSample, readContext } from '../lib/random-sample.mjs'
import { Stop } from '../lib/stop.mjs'
import { eachRepository, isSevere } from './repositories.mjs'
import { table, wilsonInterval } from './table.mjs'

/**
 * `act`: a reviewer would ask for a change; `true-but-nobody-acts`: what is said is so, and nobody would change it;
 * `false`: what is said is not so.
 *
 * @typedef {{ repo: string, commit: string, kind: string, file: string, line: number, rule: string, severity: string,
 *   fingerprint: string, label: string | null, reason: string }} Label
 */

const LABELS = ['act', 'true-but-nobody-acts', 'false']
/** Sets with labels of their own: findings of the first run of rules that had not seen these repositories. */
const HELD_OUT = ['held-out', 'second-held-out', 'third-held-out', 'fourth', 'fifth', 'sixth']
/** @param {string | undefined} set */
const labelsFileOf = (set) =>
  fileURLToPath(
    new URL(
      set !== undefined && HELD_OUT.includes(set) ? `labels-${set}.json` : 'labels.json',
      import.meta.url,
    ),
  )

/**
 * @param {string} file
 * @returns {Label[]}
 */
function readLabels(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return []
    throw error
  }
}

/** @param {Label} label */
const keyOf = ({ repo, file, line, rule }) => `${repo} ${file} ${line} ${rule}`

/**
 * @param {{ folder?: string, only?: string, set?: string, seed: number, size: number, each: number,
 *   output?: string }} options `each`: at most so many of one repository
 */
export function makeSample({ folder, only, set, seed, size, each, output }) {
  if (output === undefined) throw new Stop('say where the text to read goes: --output FILE')
  let all = 0
  const findings = eachRepository({ folder, only, set }, (judged, place) => {
    const severe = judged.findings.filter(isSevere)
    all += severe.length
    return drawSample(severe, each, seed).map((finding) => {
      const file = finding.file ?? ''
      const line = finding.region?.line ?? 1
      /** @type {Label} */
      const label = {
        repo: judged.name,
        commit: judged.commit,
        kind: judged.kind,
        file,
        line,
        rule: finding.ruleId,
        severity: finding.severity,
        fingerprint: finding.fingerprint,
        label: null,
        reason: '',
      }
      return { label, message: finding.message, context: file === '' ? '' : readContext(place, file, line) }
    })
  }).flat()
  const labelsFile = labelsFileOf(set)
  const sample = drawSample(findings, size, seed)
  const known = new Map(readLabels(labelsFile).map((label) => [keyOf(label), label]))
  const labels = sample.map(({ label }) => {
    const old = known.get(keyOf(label))
    return old === undefined ? label : { ...label, label: old.label, reason: old.reason }
  })
  const texts = sample.map(
    ({ label, message, context }, index) =>
      `## ${index} ${label.repo} ${label.file}:${label.line}\n${label.severity} ${label.rule}: ${message}\n\n${context}\n`,
  )
  writeFileSync(resolve(process.env.INIT_CWD ?? '.', output), texts.join('\n'))
  writeFileSync(labelsFile, `${JSON.stringify(labels, null, 2)}\n`)
  const open = labels.filter(({ label }) => label === null).length
  return `${sample.length} of ${all} findings drawn with seed ${seed}; ${open} to label in ${labelsFile}`
}

/**
 * @param {string} name
 * @param {Label[]} labels
 */
function row(name, labels) {
  const of = (/** @type {string} */ kind) => labels.filter(({ label }) => label === kind).length
  const right = of('act')
  return [
    name,
    labels.length,
    ...LABELS.map(of),
    `${((100 * right) / labels.length).toFixed(1)} %`,
    wilsonInterval(right, labels.length),
  ]
}

/** @param {{ set?: string }} options */
export function reportLabels({ set }) {
  const file = labelsFileOf(set)
  const labels = readLabels(file)
  const open = labels.filter(({ label }) => label === null || !LABELS.includes(label))
  if (open.length > 0)
    throw new Stop(`${open.length} findings of ${file} have no label (${LABELS.join(', ')})`)
  if (labels.length === 0) throw new Stop('draw a sample first: precision sample')
  const head = ['findings', 'labelled', ...LABELS, 'right', 'interval of 95 %']
  const kinds = [...new Set(labels.map(({ kind }) => kind))].sort()
  const rules = [...new Set(labels.map(({ rule }) => rule))]
    .map((rule) => ({ rule, of: labels.filter((label) => label.rule === rule) }))
    .map(({ rule, of }) => ({ rule, of, wrong: of.filter(({ label }) => label !== 'act').length }))
    .sort((a, b) => b.wrong - a.wrong || (a.rule < b.rule ? -1 : 1))
  return [
    table([
      head,
      row('all', labels),
      ...kinds.map((kind) =>
        row(
          kind,
          labels.filter((label) => label.kind === kind),
        ),
      ),
    ]),
    table([
      ['rule', 'labelled', 'not right'],
      ...rules.map(({ rule, of, wrong }) => [rule, of.length, wrong]),
    ]),
  ].join('\n\n')
}
