import { resolve } from 'node:path'
import { openReplay } from '../../app/open/replay.ts'
import { loadSettings } from '../../app/process-context.ts'
import { judgePast } from '../../gate/replay/judge-past.ts'
import { readEarlier, reportReplay } from '../../gate/replay/report.ts'
import { readRegularFile } from '../../platform/jail/async.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { printOutput, readCount, textFlag } from '../command/subcommand.ts'
import { withProgress } from '../progress.ts'
import { REPLAY_STAGES } from './options.ts'
import { NEVER_ABORTED, readChoice } from './pick-scope.ts'

const MAX_NAMED_BYTES = 64 * 1024 * 1024

/** The text of a file that an option names. */
const readOptionFile = async (invocation: Invocation, flag: string): Promise<string | undefined> => {
  const path = textFlag(invocation, flag)
  if (path === undefined) return undefined
  const bytes = await readRegularFile(resolve(path), MAX_NAMED_BYTES).catch(() => undefined)
  if (bytes !== undefined) return bytes.toString('utf8')
  throw usageFaults.option(`--${flag}: ${JSON.stringify(path)} is no file that can be read`)
}

const readCompared = async (invocation: Invocation) => {
  const text = await readOptionFile(invocation, 'compare')
  try {
    return text === undefined ? undefined : readEarlier(text)
  } catch (cause) {
    throw usageFaults.option('--compare must name a file with the output of `warrant replay --json`', {
      cause,
    })
  }
}

/** Which commits the options name. */
const readWindow = (invocation: Invocation) => {
  const [last, day] = [textFlag(invocation, 'last'), textFlag(invocation, 'since')]
  if (last !== undefined && day !== undefined) throw usageFaults.option('choose one of --last, --since')
  if (last === '0') throw usageFaults.option('--last must be at least 1')
  if (day === undefined) return { last: readCount(last ?? '100', '--last'), since: Number.NEGATIVE_INFINITY }
  const since = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d)?)?$/.test(day) ? Date.parse(day) : Number.NaN
  if (Number.isNaN(since)) throw usageFaults.option('--since must be a day, such as 2027-01-31')
  return { last: Number.POSITIVE_INFINITY, since }
}

/** Judges past commits by the rules. A report: it exits with 0 whatever was found. */
export const run = async (invocation: Invocation): Promise<number> => {
  const given = textFlag(invocation, 'stage')?.toUpperCase() ?? 'PRE_COMMIT'
  const stage = readChoice(REPLAY_STAGES, given, 'stage')
  const window = readWindow(invocation)
  const earlier = await readCompared(invocation)
  const policy = await readOptionFile(invocation, 'policy')
  const trial = { stage, policy, rules: textFlag(invocation, 'rules') }
  const { config } = loadSettings(invocation)
  const started = systemClock.elapsed()
  const context = { environment: { ...process.env }, clock: systemClock, signal: NEVER_ABORTED }
  const { ports, close } = await openReplay(config, { ...context, folder: resolve(config.root) }, trial)
  const replay = await withProgress({ what: 'replay', unit: 'commits', hidden: false }, (progress) =>
    judgePast(ports, { stage, ...window, progress }, NEVER_ABORTED),
  ).finally(close)
  const ms = Math.round(systemClock.elapsed() - started)
  const { report, write } = reportReplay(replay, ms, earlier)
  return printOutput(invocation, report, write)
}
