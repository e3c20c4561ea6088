import { type ChangePorts, type InstallReport, install, update } from '../../../gate/install/install.ts'
import type { Invocation } from '../../../surfaces/cli/command.ts'
import { repositoryHere } from '../../open/repository.ts'
import { loadSettings } from '../../process-context.ts'
import { bootstrapOpenSpec, type OpenSpecReport } from './bootstrap-openspec.ts'
import { hookTable } from './hooks.ts'
import { changePorts } from './install-ports.ts'

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

type Step = (ports: ChangePorts, signal: AbortSignal) => Promise<InstallReport>

const carryOut = async (invocation: Invocation, step: Step): Promise<number> => {
  const here = await repositoryHere(loadSettings(invocation).config)
  const report = await step(changePorts(here), here.signal)
  const openspec = invocation.flags.openspec ? await bootstrapOpenSpec(here) : undefined
  const all = { ...report, ...(openspec !== undefined && { openspec }) }
  invocation.terminal.print(invocation.json ? JSON.stringify(all) : describe(report, openspec))
  return 0
}

export const run = (invocation: Invocation): Promise<number> => carryOut(invocation, install)

export const runUpdate = (invocation: Invocation): Promise<number> => carryOut(invocation, update)
