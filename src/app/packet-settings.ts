import { type Invocation, usageFaults } from '../surfaces/cli/command.ts'
import { packetVariables } from './cpm-server.ts'
import type { Preset } from './load-config.ts'
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

/** Says how far a job is, every tenth of it: a bar that logs and pipes can bear. */
export const progressNotes = (invocation: Invocation, what: string) => {
  let last = -1
  return (done: number, total: number): void => {
    const tenth = total === 0 ? 10 : Math.floor((done * 10) / total)
    if (invocation.json || tenth === last) return
    last = tenth
    invocation.terminal.note(`${what} [${'#'.repeat(tenth)}${'.'.repeat(10 - tenth)}] ${done}/${total}`)
  }
}
