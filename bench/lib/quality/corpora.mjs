import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { benchDir, projectDir } from '../contestants.mjs'
import { buildPacket } from '../packets/build.mjs'
import { freshDir } from '../server.mjs'
import { Stop } from '../stop.mjs'

const DIGEST = `sha256:${'0'.repeat(64)}`

/** @param {string} name */
const inPackage = (name) => join(benchDir, 'node_modules', name)

/** The texts by name. Their questions are in `quality/NAME.json`. @type {Readonly<Record<string, string>>} */
export const CORPORA = {
  warrant: join(projectDir, 'docs'),
  undici: inPackage('undici'),
  fastify: inPackage('fastify'),
  pino: inPackage('pino'),
  mercurius: inPackage('mercurius'),
}

/**
 * A question, the file that answers it, and what tells the right passages of that file from the others: words that
 * the passage contains, or the titles of the sections that answer. Further passages that answer follow: readers found
 * them among the first five of every way of searching, without seeing which way had found what.
 *
 * @typedef {[file: string, answer: string | string[]]} Answer
 * @typedef {[question: string, ...Answer, ...further: Answer[]]} Label
 */

/** @param {string} corpus @returns {Label[]} */
export const readLabels = (corpus) =>
  JSON.parse(readFileSync(join(benchDir, 'quality', `${corpus}.json`), 'utf8'))

/**
 * Half of the questions are held out from tuning: those whose SHA-256 is odd. So a question stays in its half
 * whatever is added before it.
 *
 * @param {string} question
 */
export const isHeldOut = (question) => createHash('sha256').update(question).digest().readUInt8(31) % 2 === 1

/** A title without anchors, addresses and marks of code. @param {string} title */
const plainTitle = (title) =>
  title
    .replace(/<\/?a\b[^>]*>/g, '')
    .replace(/\[([^\]]*)\]\(https?:[^)]*\)/g, '$1')
    .replace(/[`\\]/g, '')
    .trim()

/** @param {string} text */
const titlesIn = (text) => Array.from(text.matchAll(/^#{1,6}\s+(.+?)\s*#*\s*$/gm), ([, title = '']) => title)

/** @typedef {{ text: string, metadata: { path: string, headings?: string[] } }} Passage */

/** @param {Answer} answer @param {Passage} passage */
function isAt([file, answer], { text, metadata }) {
  if (metadata.path !== file) return false
  if (typeof answer === 'string') return text.includes(answer)
  const titles = [...(metadata.headings ?? []), ...titlesIn(text)].map(plainTitle)
  return answer.some((title) => titles.includes(title))
}

/** @param {Label} label @returns {Answer[]} */
const answersOf = ([, file, answer, ...further]) => [[file, answer], ...further]

/** @param {Label} label @param {Passage} passage */
export const isAnswer = (label, passage) => answersOf(label).some((answer) => isAt(answer, passage))

/** The Markdown files of a corpus, in a folder of their own. @param {string} source */
function copyTexts(source) {
  if (!existsSync(source)) throw new Stop('install the texts first: npm ci --prefix bench')
  const folder = freshDir()
  cpSync(source, folder, {
    recursive: true,
    filter: (path) =>
      !relative(source, path).includes('node_modules') && (!/\.[a-z]+$/.test(path) || path.endsWith('.md')),
  })
  return folder
}

/**
 * @param {any} parts
 * @param {string} corpus
 * @param {string} embedder
 */
export async function openCorpus(parts, corpus, embedder) {
  const place = freshDir()
  mkdirSync(join(place, 'cas'))
  const built = buildPacket(copyTexts(CORPORA[corpus] ?? ''), freshDir(), embedder)
  cpSync(built, join(place, 'cas/payload'), { recursive: true })
  writeFileSync(join(place, 'cas/oci-manifest.json'), '{}')
  return parts.packetReader(place, parts.systemClock)(DIGEST, join(place, 'cas'))
}

/**
 * A label that no passage fits would count as never found.
 *
 * @param {any} packet
 * @param {readonly Label[]} labels
 */
export async function checkLabels(packet, labels) {
  const open = new Map(labels.flatMap((label) => answersOf(label).map((answer) => [answer, label[0]])))
  for await (const passage of packet.docs)
    for (const answer of open.keys()) if (isAt(answer, passage)) open.delete(answer)
  const stale = [...open].map(
    ([[file, answer], question]) => `no passage of ${file} is what answers "${question}": ${answer}`,
  )
  if (stale.length > 0) throw new Stop(stale.join('\n'))
}
