import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const WORDS = 20_000
const SECTIONS = 50
const LINES = 12
const LINE_WORDS = 6
const SYLLABLES =
  'ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu ra re ri ro ru sa se'.split(' ')

/** @param {number} seed */
function random(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** @param {number} number */
export function wordOf(number) {
  let word = ''
  for (let rest = number + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length]
  return word
}

/**
 * A source of words: few are common and most are rare, as in real texts.
 *
 * @param {number} seed
 */
export function wordSource(seed) {
  const next = random(seed)
  const words = Array.from({ length: WORDS }, (_, i) => wordOf(i))
  return () => words[Math.floor(WORDS ** next()) - 1] ?? ''
}

/**
 * Markdown of so many sections, each a chunk. Few words are common and most are rare, as in real texts.
 *
 * @param {string} folder
 * @param {number} chunks
 * @returns {number} bytes of all files
 */
export function writeCorpus(folder, chunks) {
  const next = random(chunks)
  const word = () => wordOf(Math.floor(WORDS ** next()) - 1)
  let bytes = 0
  for (let done = 0; done < chunks; done += SECTIONS) {
    const sections = Array.from({ length: Math.min(SECTIONS, chunks - done) }, (_, i) => {
      const lines = Array.from({ length: LINES }, () => Array.from({ length: LINE_WORDS }, word).join(' '))
      return `## ${wordOf(done + i)} ${done + i}\n\n${lines.join('\n')}\n`
    })
    const text = sections.join('\n')
    const place = join(folder, String(Math.floor(done / SECTIONS / 100)))
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, `${done}.md`), text)
    bytes += text.length
  }
  return bytes
}
