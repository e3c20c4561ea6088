import { type HookReport, hooksStatus } from '../../../gate/install/hooks.ts'
import { installGate, uninstallGate } from '../../../gate/install/install.ts'
import type { Invocation } from '../../../surfaces/cli/command.ts'
import { runSubcommand, type Subcommand } from '../../../surfaces/cli/subcommand.ts'
import { writeTable } from '../../../surfaces/cli/table.ts'
import { type OpenedRepository, openRepositoryForCommand } from '../../open/repository.ts'
import { loadSettings } from '../../process-context.ts'
import { printOutput } from '../print-output.ts'
import { requireWritable } from '../require-writable.ts'
import { installPorts } from './install-ports.ts'

export const hookTable = (reports: readonly HookReport[]): string =>
  writeTable(
    ['hook', 'state', 'done'],
    reports.map(({ hook, state, did }) => [hook, state, did]),
  )

const show = (invocation: Invocation, hooks: readonly HookReport[]): number =>
  printOutput(invocation, { hooks }, () => hookTable(hooks))

const status: Subcommand = async (invocation) => {
  const { lifecycle, signal } = await openRepositoryForCommand(loadSettings(invocation).config)
  return show(invocation, await hooksStatus(lifecycle, signal))
}

const openToWrite = async (invocation: Invocation): Promise<OpenedRepository> => {
  const { config } = loadSettings(invocation)
  requireWritable(config, '`warrant hooks install` or `uninstall`')
  return openRepositoryForCommand(config)
}

const install: Subcommand = async (invocation) => {
  const context = await openToWrite(invocation)
  return show(invocation, await installGate(installPorts(context), context.signal))
}

const uninstall: Subcommand = async (invocation) => {
  const { lifecycle, signal } = await openToWrite(invocation)
  return show(invocation, await uninstallGate(lifecycle, signal))
}

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = { install, uninstall, status }

export const run = (invocation: Invocation): Promise<number> => runSubcommand(SUBCOMMANDS, invocation)
