import type { ProgressListener } from '../../../packets/progress.ts'
import { type Invocation, usageFaults } from '../../../surfaces/cli/command.ts'
import { textFlag } from '../../../surfaces/cli/subcommand.ts'
import type { Preset } from '../../config/load-config.ts'
import { withProvider } from '../../config/packet-provider.ts'
import { loadSettings } from '../../process-context.ts'
import { cpmServer, packetVariables } from '../../servers/cpm.ts'
import { type ProgressBar, type ProgressJob, startProgress } from '../progress.ts'

/** The settings, with the variables that the packet tools have always read. */
export const packetSettings = (invocation: Invocation, preset?: Preset) =>
  loadSettings(
    { flags: { ...packetVariables(process.env), ...renamed(invocation), ...invocation.flags } },
    preset,
  )

/** The same for who embeds: with the provider that was asked for, if one was. */
export const embedSettings = (invocation: Invocation, preset?: Preset) =>
  withProvider(
    packetSettings(invocation, preset),
    { ...renamed(invocation), ...invocation.flags },
    process.env,
  )

/** Settings by the names that the first clients have for them. */
const renamed = ({ flags }: Invocation) =>
  Object.fromEntries(
    Object.entries(cpmServer.aliases ?? {}).flatMap(([alias, setting]) =>
      flags[alias] === undefined ? [] : [[setting, flags[alias]]],
    ),
  )

/** For commands: they end when they are done, or with the process. */
export const NO_ABORT = new AbortController().signal

/** An argument that must be there. */
export const needText = (text: string | undefined, what: string): string => {
  if (text === undefined || text === '') throw usageFaults.argument(`name ${what}`)
  return text
}

export const listFlag = (invocation: Invocation, name: string): string[] | undefined =>
  textFlag(invocation, name)
    ?.split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** Progress of one of our jobs: for people and logs, never beside a JSON document. */
export const progressJob = (
  { json, flags }: Invocation,
  what: string,
  unit: ProgressJob['unit'],
): ProgressJob => ({
  what,
  unit,
  hidden: json || flags.quiet === true,
  lines: true,
})

const STEPS: Readonly<Record<Parameters<ProgressListener>[0], readonly [string, ProgressJob['unit']]>> = {
  fetch: ['pull', 'bytes'],
  embed: ['embed', 'chunks'],
}

/** Runs a question that tells how far its long parts are, one after the other. */
export const withProgressSteps = async <T>(
  invocation: Invocation,
  work: (watch: ProgressListener) => Promise<T>,
): Promise<T> => {
  // Begun at once: the wait before the first bytes is part of it.
  const under = new Map<string, ProgressBar>([
    ['fetch', startProgress(progressJob(invocation, ...STEPS.fetch))],
  ])
  const clear = () => {
    for (const progress of under.values()) progress.clear()
  }
  const begin = (step: Parameters<ProgressListener>[0]): ProgressBar => {
    clear()
    const progress = startProgress(progressJob(invocation, ...STEPS[step]))
    under.set(step, progress)
    return progress
  }
  try {
    return await work((step, done, total) => (under.get(step) ?? begin(step)).show(done, total))
  } finally {
    clear()
  }
}

/** What was made, for people or as it is. */
export const printResult = (invocation: Invocation, value: object, text: string): number => {
  invocation.terminal.print(invocation.json ? JSON.stringify({ ok: true, ...value }) : text)
  return 0
}
