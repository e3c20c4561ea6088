import { openRepositoryForCommand } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import { type InstallationPorts, type InstallReport, install, update } from '../../setup/git-hooks/install.ts'
import type { Invocation } from '../command/command.ts'
import { printOutput } from '../print-output.ts'
import { requireWritable } from '../require-writable.ts'
import { bootstrapOpenSpec, type OpenSpecReport } from './bootstrap-openspec.ts'
import { hookTable } from './hooks.ts'
import { installPorts } from './install-ports.ts'

const describe = (report: InstallReport, openspec: OpenSpecReport | undefined): string =>
  [
    hookTable(report.hooks),
    '',
    `evidence  ${report.gate === undefined ? 'existing file kept' : `first file written by the gate: ${report.gate}${report.gate === 'BLOCKED' ? '; run `warrant gate` to see why' : ''}`}`,
    `state     ${report.excluded ? 'excluded in .git/info/exclude' : 'already excluded, or outside the repository'}`,
    `receipts  ${report.notes.length === 0 ? 'no remote was added to those that `git fetch` brings receipts from' : `\`git fetch\` brings those of ${report.notes.join(', ')} (refs/notes/warrant*)`}`,
    ...(openspec === undefined
      ? []
      : [`openspec  ${openspec.installed}; new: ${openspec.scaffolded.join(', ') || 'nothing'}`]),
  ].join('\n')

type LifecycleAction = (ports: InstallationPorts, signal: AbortSignal) => Promise<InstallReport>

const runAction = async (invocation: Invocation, step: LifecycleAction): Promise<number> => {
  // Here `--openspec` is a switch of the command, not the path of the program.
  const { openspec: _, ...flags } = invocation.flags
  const { config } = loadSettings({ flags })
  requireWritable(config, '`warrant install` or `warrant update`')
  const context = await openRepositoryForCommand(config)
  const report = await step(installPorts(context), context.signal)
  const openspec = invocation.flags.openspec ? await bootstrapOpenSpec(context) : undefined
  const all = { ...report, ...(openspec !== undefined && { openspec }) }
  return printOutput(invocation, all, () => describe(report, openspec))
}

export const run = (invocation: Invocation): Promise<number> => runAction(invocation, install)

export const runUpdate = (invocation: Invocation): Promise<number> => runAction(invocation, update)
