// Do the rules find what they should, and are they right where they speak?

import { main, readOptions, text } from '../lib/cli.mjs'
import { Stop } from '../lib/stop.mjs'
import { compareTools } from './peers.mjs'
import { measureRecall } from './recall.mjs'
import { measureRepositories } from './repositories.mjs'
import { makeSample, reportLabels } from './sample.mjs'

/** @typedef {import('../lib/cli.mjs').Options} Options */

/**
 * @param {Options} options
 * @param {string} name
 * @param {number} usual
 */
function wholeNumber(options, name, usual) {
  const given = text(options, name) ?? String(usual)
  if (!/^\d{1,9}$/.test(given)) throw new Stop(`--${name} takes a whole number`)
  return Number(given)
}

/** @type {Readonly<Record<string, (options: any) => string | Promise<string>>>} */
const COMMANDS = {
  recall: measureRecall,
  tools: compareTools,
  repositories: measureRepositories,
  sample: (options) =>
    makeSample({
      ...options,
      seed: wholeNumber(options, 'seed', 1),
      size: wholeNumber(options, 'size', 150),
      each: wholeNumber(options, 'each', 999_999_999),
    }),
  labels: reportLabels,
}

await main(async () => {
  const [name = ''] = process.argv.splice(2, 1)
  const command = COMMANDS[name]
  if (command === undefined) throw new Stop(`say what to measure: ${Object.keys(COMMANDS).join(', ')}`)
  console.log(
    await command(
      readOptions(
        ['group', 'rules', 'folder', 'only', 'set', 'seed', 'size', 'each', 'output'],
        ['json', 'missed', 'keep'],
      ),
    ),
  )
})
