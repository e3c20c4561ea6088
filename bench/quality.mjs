// Retrieval quality: how often the passage that answers a question is among the first, by way of searching. Questions
// are asked as the tools ask, for 5 passages (recall@1, recall@5), and for 20 (recall@20, mean reciprocal rank).
// Whoever tunes looks at the half that is not held out. `--quick` searches by words alone; vectors take minutes, and are
// kept for the next run where CPM_ROOT names a folder.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { main, readOptions, text } from './lib/cli.mjs'
import { projectDir } from './lib/contestants.mjs'
import { loadParts } from './lib/packets/parts.mjs'
import { CORPORA, checkLabels, isAnswer, isHeldOut, openCorpus, readLabels } from './lib/quality/corpora.mjs'
import { figuresOf, MEASURES, pairedGain } from './lib/quality/figures.mjs'
import { freshDir } from './lib/server.mjs'
import { Stop } from './lib/stop.mjs'

/** @typedef {import('./lib/quality/corpora.mjs').Label} Label */
/** @typedef {import('./lib/quality/figures.mjs').Asked} Asked */

const MODEL = join(projectDir, 'dist/model')
/** By what the page calls them. @type {Record<string, string>} */
const ALL_MODES = { words: 'lexical', meaning: 'dense', hybrid: 'hybrid' }
const FIRST_CORPORA = ['warrant', 'undici']

/** An embedder that embeds each question once. @param {any} embedder */
function rememberLast(embedder) {
  /** @type {{ question?: string, vector?: unknown }} */
  let last = {}
  return {
    ...embedder,
    /** @param {string[]} texts @param {string} kind @param {AbortSignal} signal */
    async embed(texts, kind, signal) {
      const [question = ''] = texts
      if (last.question !== question) last = { question, vector: await embedder.embed(texts, kind, signal) }
      return last.vector
    },
  }
}

/** @param {any} parts @param {any} request @param {Label} label @returns {Promise<number>} from 1; 0 when not found */
async function placeOf(parts, request, label) {
  const { hits } = await parts.retrieve({
    ...request,
    question: label[0],
    signal: new AbortController().signal,
  })
  for (const [i, { row }] of hits.entries())
    if (isAnswer(label, await request.packet.docs.row(row))) return i + 1
  return 0
}

/**
 * @param {any} parts
 * @param {readonly string[]} corpora
 * @param {readonly string[]} modes
 * @returns {Promise<Asked[]>}
 */
async function askAll(parts, corpora, modes) {
  const hasModel = modes.includes('meaning')
  const embedder = hasModel
    ? rememberLast(parts.sentenceEmbedder({ folder: MODEL, clock: parts.systemClock }))
    : undefined
  // Vectors take minutes: labels are checked before.
  for (const corpus of corpora) {
    const packet = await openCorpus(parts, corpus, 'words')
    await checkLabels(packet, readLabels(corpus))
    packet.close()
  }
  const asked = []
  for (const corpus of corpora) {
    const packet = await openCorpus(parts, corpus, hasModel ? 'minilm' : 'words')
    for (const label of readLabels(corpus)) {
      /** @type {Asked['places']} */
      const places = {}
      for (const name of modes) {
        const request = { packet, embedder, mode: ALL_MODES[name] }
        places[name] = {
          of5: await placeOf(parts, { ...request, k: 5 }, label),
          of20: await placeOf(parts, { ...request, k: 20 }, label),
        }
      }
      asked.push({ corpus, heldOut: isHeldOut(label[0]), places })
    }
    packet.close()
  }
  return asked
}

/** The corpora to ask about: all, or those of `--corpus NAME,NAME`. @param {string | undefined} names */
function chosenCorpora(names) {
  const chosen = names?.split(',') ?? Object.keys(CORPORA)
  const unknown = chosen.find((name) => !(name in CORPORA))
  if (unknown !== undefined) throw new Stop(`--corpus takes ${Object.keys(CORPORA).join(', ')}`)
  return chosen
}

/** @param {readonly Asked[]} asked @returns {[name: string, some: Asked[]][]} */
const groupsOf = (asked) => [
  ['all', [...asked]],
  ['tuned on', asked.filter(({ heldOut }) => !heldOut)],
  ['held out', asked.filter(({ heldOut }) => heldOut)],
  [
    'held out, other projects than the first two',
    asked.filter(({ heldOut, corpus }) => heldOut && !FIRST_CORPORA.includes(corpus)),
  ],
  ...Object.keys(CORPORA).map(
    (name) => /** @type {[string, Asked[]]} */ ([name, asked.filter(({ corpus }) => corpus === name)]),
  ),
]

await main(async () => {
  const options = readOptions(['corpus'])
  const modes = options.quick || !existsSync(MODEL) ? ['words'] : Object.keys(ALL_MODES)
  const asked = await askAll(await loadParts(freshDir()), chosenCorpora(text(options, 'corpus')), modes)
  const filled = groupsOf(asked).filter(([, some]) => some.length > 0)
  const groups = filled.map(([name, some]) => ({
    name,
    questions: some.length,
    figures: figuresOf(some, modes),
  }))
  const heldOut = asked.filter((one) => one.heldOut)
  const gains = modes.includes('hybrid')
    ? Object.keys(MEASURES).map((measure) => pairedGain(heldOut, 'hybrid', 'words', measure))
    : []
  if (options.json) {
    console.log(JSON.stringify({ groups, gains }, null, 2))
    return
  }
  const measures = Object.keys(MEASURES)
  console.log(
    `| questions | search | ${measures.join(' | ')} |\n| --- | --- |${' ---: |'.repeat(measures.length)}`,
  )
  for (const { name, questions, figures } of groups)
    for (const [mode, values] of Object.entries(figures))
      console.log(
        `| ${name} (${questions}) | ${mode} | ${measures.map((one) => values[one]?.toFixed(3)).join(' | ')} |`,
      )
  if (gains.length === 0)
    console.log('\nSearched by words alone: asked with --quick, or this build has no model.')
  else console.log(`\nHybrid minus words, ${heldOut.length} held out, with 95 % of 10,000 resamples:`)
  for (const { measure, gain, low, high } of gains)
    console.log(`- ${measure}: ${gain.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`)
})
