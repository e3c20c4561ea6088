// The planted corpus: text files with marked lines, one file a group, read into repositories on disk.
//
//   === path/of/a/file.ts
//   db.query(`… '${name}'`)          «id critical CWE-89: what is wrong»    a defect; `«end id»` ends a longer one
//   db.query('… $1', [name])         «clean id: why this is right»          a correct twin
//   pool.query(sql)                  «also id»                              a further line where it may be reported
//   const x = (                      «file id error …»                      a file that is broken as a whole
//   token: ⟦github-token⟧                                                   a value made at run time (values.mjs)

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stop } from '../lib/stop.mjs'
import { makeValue } from './values.mjs'

/**
 * @typedef {{ id: string, group: string, file: string, first: number, last: number, also: number[], about: string }} Marked
 * @typedef {Marked & { harm: 'critical' | 'error' | 'warn', cwe: string }} Plant
 * @typedef {{ name: string, plants: Plant[], twins: Marked[], files: Map<string, string> }} Group
 */

const folder = fileURLToPath(new URL('plants', import.meta.url))

const PLANT = /^(file )?([a-z0-9-]+) (critical|error|warn) (?:(CWE-\d+): )?(.+)$/
const TWIN = /^clean ([a-z0-9-]+): (.+)$/
const END = /^(end|also) ([a-z0-9-]+)$/

/** @param {string} name */
function readGroup(name) {
  /** @type {Group} */
  const group = { name, plants: [], twins: [], files: new Map() }
  const parts = readFileSync(join(folder, `${name}.txt`), 'utf8').split(/^=== (.+)\n/m)
  for (let index = 1; index < parts.length; index += 2)
    readFile(group, /** @type {string} */ (parts[index]), parts[index + 1] ?? '')
  return group
}

/**
 * @param {Group} group
 * @param {string} file
 * @param {string} body
 */
function readFile(group, file, body) {
  if (group.files.has(file)) throw new Stop(`${group.name}: ${file} is there twice`)
  /** @type {string[]} */
  const lines = []
  /** @type {{ text: string, where: { file: string, first: number, last: number } }[]} */
  const marks = []
  for (const raw of body.replace(/\n+$/, '').split('\n')) {
    const mark = /\s*«([^»]+)»$/.exec(raw)
    const first = lines.length + 1
    const place = `${group.name} ${file} ${first}`
    const line = mark === null ? raw : raw.slice(0, mark.index)
    const indent = /^\s*/.exec(line)?.[0] ?? ''
    const filled = line.replace(/⟦([^⟧]+)⟧/g, (_, kind) =>
      makeValue(kind, place).replaceAll('\n', `\n${indent}`),
    )
    lines.push(...filled.split('\n'))
    if (mark?.[1] !== undefined) marks.push({ text: mark[1], where: { file, first, last: lines.length } })
  }
  // A further line may stand before the one that names the defect.
  marks.sort((a, b) => Number(END.test(a.text)) - Number(END.test(b.text)))
  for (const { text, where } of marks) readMark(group, text, where)
  group.files.set(file, `${lines.join('\n')}\n`)
}

/**
 * @param {Group} group
 * @param {string} text
 * @param {{ file: string, first: number, last: number }} where
 */
function readMark(group, text, where) {
  const plant = PLANT.exec(text)
  const twin = TWIN.exec(text)
  const end = END.exec(text)
  if (plant !== null) {
    const [, whole, id = '', harm, cwe = '', about = ''] = plant
    const lines = whole === undefined ? where : { ...where, first: 1, last: Number.POSITIVE_INFINITY }
    group.plants.push({
      id,
      group: group.name,
      ...lines,
      also: [],
      about,
      cwe,
      harm: /** @type {any} */ (harm),
    })
  } else if (twin !== null) {
    const [, id = '', about = ''] = twin
    group.twins.push({ id, group: group.name, ...where, also: [], about })
  } else if (end !== null) {
    const open = [...group.plants, ...group.twins].find(({ id }) => id === end[2])
    if (open === undefined) throw new Stop(`${group.name}: nothing begins ${end[2]}`)
    if (end[1] === 'also') open.also.push(where.first)
    else open.last = where.last
  } else throw new Stop(`${group.name}, ${where.file}:${where.first}: what is «${text}»?`)
}

/** @param {Group[]} groups */
function checkIds(groups) {
  const seen = new Set()
  for (const { id } of groups.flatMap(({ plants, twins }) => [...plants, ...twins])) {
    if (seen.has(id)) throw new Stop(`${id} is there twice`)
    seen.add(id)
  }
}

/**
 * The set a group belongs to: `second-agents` to the second, `agents` to the first.
 *
 * @param {string} name
 */
export const setOf = (name) => /^(second|third|fourth)-/.exec(name)?.[1] ?? 'first'

/** @param {string | undefined} only names of groups or sets with commas between them */
export function readCorpus(only) {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .map((name) => name.slice(0, -4))
    .sort()
  const groups = names.map(readGroup)
  checkIds(groups)
  const wanted = only?.split(',')
  const known = [...new Set(names.map(setOf)), ...names]
  const unknown = wanted?.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Stop(`no group ${unknown}; there are ${known.join(', ')}`)
  return groups.filter(
    ({ name }) => wanted === undefined || wanted.includes(name) || wanted.includes(setOf(name)),
  )
}

/**
 * @param {Group} group
 * @param {string} root
 */
export function writeGroup(group, root) {
  for (const [file, text] of group.files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
}
