// Retrieval quality: how often the passage that answers a question is among the first five, by way of searching.
// Labels lie in quality.json: the question, the file, and words that the right passage contains. Whoever tunes
// looks at the even ones only; the odd ones are held out.

import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { main, readOptions } from './lib/cli.mjs'
import { benchDir, projectDir } from './lib/contestants.mjs'
import { buildPacket } from './lib/packets/build.mjs'
import { loadParts } from './lib/packets/parts.mjs'
import { freshDir } from './lib/server.mjs'
import { Stop } from './lib/stop.mjs'

const K = 5
const MODES = /** @type {const} */ (['lexical', 'dense', 'hybrid'])
const DIGEST = `sha256:${'0'.repeat(64)}`

/** @type {Readonly<Record<string, string>>} */
const SOURCES = {
  warrant: join(projectDir, 'docs'),
  undici: join(benchDir, 'node_modules/undici'),
}

/** @typedef {[question: string, file: string, says: string]} Label */

/** @param {string} source */
function copyTexts(source) {
  if (!existsSync(source)) throw new Stop('install the texts first: npm ci --prefix bench')
  const folder = freshDir()
  cpSync(source, folder, {
    recursive: true,
    filter: (path) => !/\.[a-z]+$/.test(path) || path.endsWith('.md'),
  })
  return folder
}

/** @type {any} The embedder of all questions. */
let sentences

/**
 * @param {any} parts
 * @param {string} source
 */
async function openPacket(parts, source) {
  const place = freshDir()
  mkdirSync(join(place, 'cas'))
  cpSync(buildPacket(copyTexts(source), freshDir(), 'minilm'), join(place, 'cas/payload'), {
    recursive: true,
  })
  writeFileSync(join(place, 'cas/oci-manifest.json'), '{}')
  return parts.packetReader(place, parts.systemClock)(DIGEST, join(place, 'cas'))
}

/**
 * @param {any} parts
 * @param {any} packet
 * @param {Label} label
 * @param {string} mode
 */
async function isFound(parts, packet, [question, file, says], mode) {
  const never = new AbortController().signal
  sentences ??= parts.sentenceEmbedder({ folder: join(projectDir, 'dist/model'), clock: parts.systemClock })
  const { hits } = await parts.retrieve({
    packet,
    question,
    k: K,
    mode,
    embedder: sentences,
    signal: never,
  })
  for (const { row } of hits) {
    const { text, metadata } = await packet.docs.row(row)
    if (metadata.path === file && text.includes(says)) return true
  }
  return false
}

/**
 * @param {any} packet
 * @param {Label} label
 */
async function checkLabel(packet, [question, file, says]) {
  for await (const { text, metadata } of packet.docs)
    if (metadata.path === file && text.includes(says)) return
  throw new Stop(`no passage of ${file} says what answers "${question}": ${says}`)
}

/**
 * @param {any} parts
 * @returns {Promise<{ set: string, half: string, found: Record<string, boolean> }[]>}
 */
async function askAll(parts) {
  const labels = JSON.parse(readFileSync(join(benchDir, 'quality.json'), 'utf8'))
  const asked = []
  for (const [set, source] of Object.entries(SOURCES)) {
    const packet = await openPacket(parts, source)
    for (const [i, label] of labels[set].entries()) {
      await checkLabel(packet, label)
      /** @type {Record<string, boolean>} */
      const found = {}
      for (const mode of MODES) found[mode] = await isFound(parts, packet, label, mode)
      asked.push({ set, half: i % 2 === 0 ? 'tuned on' : 'held out', found })
    }
    packet.close()
  }
  return asked
}

await main(async () => {
  const options = readOptions([])
  const asked = await askAll(await loadParts(freshDir()))
  const groups = [
    { name: 'all', of: () => true },
    ...['tuned on', 'held out'].map((half) => ({
      name: half,
      of: (/** @type {{ half: string }} */ one) => one.half === half,
    })),
    ...Object.keys(SOURCES).map((set) => ({
      name: set,
      of: (/** @type {{ set: string }} */ one) => one.set === set,
    })),
  ]
  const rows = groups.map(({ name, of }) => {
    const some = asked.filter(of)
    const recall = MODES.map((mode) => some.filter(({ found }) => found[mode]).length / some.length)
    return { name, questions: some.length, recall }
  })
  if (options.json) {
    console.log(JSON.stringify(rows, null, 2))
    return
  }
  console.log(`| questions | ${MODES.join(' | ')} |\n| --- | ---: | ---: | ---: |`)
  for (const { name, questions, recall } of rows)
    console.log(`| ${name} (${questions}) | ${recall.map((one) => one.toFixed(2)).join(' | ')} |`)
})
