import { parseArgs } from 'node:util'
import { openClock } from './proc.mjs'
import { reportText } from './report.mjs'
import { Stop } from './stop.mjs'

/** @typedef {Record<string, unknown>} Options */

/**
 * @param {string[]} texts options that take a value
 * @param {string[]} [flags] options that take none
 * @returns {Options}
 */
export function readOptions(texts, flags = ['json', 'quick']) {
  const known = [
    ...texts.map((name) => [name, { type: 'string' }]),
    ...flags.map((name) => [name, { type: 'boolean' }]),
  ]
  try {
    return parseArgs({ options: Object.fromEntries(known) }).values
  } catch (error) {
    throw new Stop(error instanceof Error ? error.message : String(error))
  }
}

/**
 * @param {Options} options
 * @param {string} name
 */
export function text(options, name) {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/**
 * @param {Options} options
 * @param {number} usual
 */
export function roundCount(options, usual) {
  const given = text(options, 'rounds')
  if (given === undefined) return options.quick ? 2 : usual
  if (!/^[1-9]\d*$/.test(given)) throw new Stop('--rounds takes a whole number of 1 or more')
  return Number(given)
}

/**
 * @param {Options} options
 * @param {number} calls
 */
export function callCount(options, calls) {
  return options.quick ? Math.ceil(calls / 10) : calls
}

/**
 * The calls warrant is measured with: its status tool, and the tool asked for.
 *
 * @param {Options} options
 * @returns {{ tool: string, args: unknown }[]}
 */
export function warrantCalls(options) {
  const tool = text(options, 'tool')
  const json = text(options, 'args')
  if (json !== undefined && tool === undefined) throw new Stop('--args needs --tool')
  const status = { tool: 'warrant_status', args: {} }
  if (tool === undefined) return [status]
  try {
    return [status, { tool, args: JSON.parse(json ?? '{}') }]
  } catch {
    throw new Stop(`--args is not JSON: ${json}`)
  }
}

/** @param {() => Promise<void>} work */
export async function main(work) {
  try {
    await work()
  } catch (error) {
    console.error(error instanceof Stop ? `bench: ${error.message}` : error)
    process.exit(1)
  }
}

/**
 * @param {string[]} texts
 * @param {(options: Options) => Promise<Omit<import('./report.mjs').Report, 'cpuSource'>>} work
 */
export function runBench(texts, work) {
  return main(async () => {
    const options = readOptions(texts)
    const cpuSource = openClock()
    const report = { cpuSource, ...(await work(options)) }
    console.log(options.json ? JSON.stringify(report, null, 2) : reportText(report))
  })
}
