import { type Invocation, usageFaults } from '../surfaces/cli/command.ts'
import { packetVariables } from './cpm-server.ts'
import type { Preset } from './load-config.ts'
import type { Job } from './progress.ts'
import { loadSettings } from './world.ts'

/** The settings, with the variables that the packet tools have always read. */
export const packetSettings = (invocation: Invocation, preset?: Preset) =>
  loadSettings({ flags: { ...packetVariables(process.env), ...invocation.flags } }, preset)

export const textFlag = (invocation: Invocation, name: string): string | undefined => {
  const value = invocation.flags[name]
  return typeof value === 'string' ? value : undefined
}

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
export const jobOf = ({ json, flags }: Invocation, what: string, unit: Job['unit']): Job => ({
  what,
  unit,
  hidden: json || flags.quiet === true,
  lines: true,
})

/** What was made, for people or as it is. */
export const showMade = (invocation: Invocation, value: object, text: string): number => {
  invocation.terminal.print(invocation.json ? JSON.stringify({ ok: true, ...value }) : text)
  return 0
}
