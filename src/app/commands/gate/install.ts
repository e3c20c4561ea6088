import { type InstallationPorts, type InstallReport, install, update } from '../../../gate/install/install.ts'
import type { Invocation } from '../../../surfaces/cli/command.ts'
import { openRepositoryForCommand } from '../../open/repository.ts'
import { loadSettings } from '../../process-context.ts'
import { bootstrapOpenSpec, type OpenSpecReport } from './bootstrap-openspec.ts'
import { hookTable } from './hooks.ts'
import { installPorts } from './install-ports.ts'

const describe = (report: InstallReport, openspec: OpenSpecReport | undefined): string =>
  [
    hookTable(report.hooks),
    '',
    `evidence  ${report.evidence === 'written' ? 'a first file was written' : 'kept as it is'}`,
    `state     ${report.excluded ? 'excluded in .git/info/exclude' : 'excluded already, or kept elsewhere'}`,
    ...(openspec === undefined
      ? []
      : [`openspec  ${openspec.installed}; new: ${openspec.scaffolded.join(', ') || 'nothing'}`]),
  ].join('\n')

type Step = (ports: InstallationPorts, signal: AbortSignal) => Promise<InstallReport>

const carryOut = async (invocation: Invocation, step: Step): Promise<number> => {
  const context = await openRepositoryForCommand(loadSettings(invocation).config)
  const report = await step(installPorts(context), context.signal)
  const openspec = invocation.flags.openspec ? await bootstrapOpenSpec(context) : undefined
  const all = { ...report, ...(openspec !== undefined && { openspec }) }
  invocation.terminal.print(invocation.json ? JSON.stringify(all) : describe(report, openspec))
  return 0
}

export const run = (invocation: Invocation): Promise<number> => carryOut(invocation, install)

export const runUpdate = (invocation: Invocation): Promise<number> => carryOut(invocation, update)
