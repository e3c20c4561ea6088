import type { Preset } from '../../app/config/load-config.ts'
import { withProvider } from '../../app/config/packet-provider.ts'
import { loadSettings } from '../../app/process-context.ts'
import { cpmServer, packetVariables } from '../../app/servers/cpm.ts'
import type { ProgressListener } from '../../packets/ports.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { textFlag } from '../command/subcommand.ts'
import { type ProgressBar, type ProgressJob, startProgress } from '../progress.ts'

/** The settings, with the environment variables of cpm. */
export const packetSettings = (invocation: Invocation, preset?: Preset) => {
  // Here `--check` is a switch of a verb, not the setting.
  const { check: _, ...flags } = invocation.flags
  return loadSettings(
    { flags: { ...packetVariables(process.env), ...aliasedFlags(invocation), ...flags } },
    preset,
  )
}

/** The settings for commands that embed, with the requested provider. */
export const embedSettings = (invocation: Invocation, preset?: Preset) =>
  withProvider(
    packetSettings(invocation, preset),
    { ...aliasedFlags(invocation), ...invocation.flags },
    process.env,
  )

/** Settings by their cpm names. */
const aliasedFlags = ({ flags }: Invocation) =>
  Object.fromEntries(
    Object.entries(cpmServer.aliases ?? {}).flatMap(([alias, setting]) =>
      flags[alias] === undefined ? [] : [[setting, flags[alias]]],
    ),
  )

/** The signal for commands, which are never aborted. */
export const NO_ABORT = new AbortController().signal

/** A required argument. */
export const needText = (text: string | undefined, what: string): string => {
  if (text === undefined || text === '') throw usageFaults.argument(`name ${what}`)
  return text
}

export const listFlag = (invocation: Invocation, name: string): string[] | undefined =>
  textFlag(invocation, name)
    ?.split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** Progress of a job; hidden with --json and --quiet. */
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
  index: ['index', 'bytes'],
  embed: ['embed', 'windows'],
}

/** Runs a query and shows the progress of its steps. */
export const withProgressSteps = async <T>(
  invocation: Invocation,
  work: (watch: ProgressListener) => Promise<T>,
): Promise<T> => {
  // Shown at once: waiting for the first bytes is part of the download.
  const bars = new Map<string, ProgressBar>([
    ['fetch', startProgress(progressJob(invocation, ...STEPS.fetch))],
  ])
  const clear = () => {
    for (const progress of bars.values()) progress.clear()
  }
  const startStep = (step: Parameters<ProgressListener>[0]): ProgressBar => {
    clear()
    const progress = startProgress(progressJob(invocation, ...STEPS[step]))
    bars.set(step, progress)
    return progress
  }
  try {
    return await work((step, done, total) => (bars.get(step) ?? startStep(step)).show(done, total))
  } finally {
    clear()
  }
}

/** Prints a result, as text or JSON. */
export const printResult = (invocation: Invocation, value: object, text: string): number => {
  invocation.terminal.print(invocation.json ? JSON.stringify({ ok: true, ...value }) : text)
  return 0
}
