import { type OpenedRepository, openRepositoryForCommand } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import { installGate, uninstallGate } from '../../setup/git-hooks/install.ts'
import { type HookReport, hooksStatus } from '../../setup/git-hooks/install-hooks.ts'
import type { Invocation } from '../command/command.ts'
import { printOutput, requireWritable, runSubcommand, type Subcommand } from '../command/subcommand.ts'
import { writeTable } from '../command/text-table.ts'
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
