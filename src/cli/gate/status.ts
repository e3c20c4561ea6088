import {
  describeFetch,
  describeKey,
  describeWitness,
  type ReceiptState,
  readReceiptState,
} from '../../app/open/receipts/receipt-state.ts'
import { openRepositoryForCommand } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import { currentStatus } from '../../setup/git-hooks/install.ts'
import { type HookReport, hooksStatus } from '../../setup/git-hooks/install-hooks.ts'
import type { LifecycleStatus } from '../../setup/git-hooks/installation.ts'
import type { Invocation } from '../command/command.ts'
import { printOutput } from '../command/subcommand.ts'
import { writeTable } from '../command/text-table.ts'

const describe = (status: LifecycleStatus, hooks: readonly HookReport[], receipts: ReceiptState): string => {
  const { repoRoot, packageVersion, lifecycleState, trackedNodeModulesCount } = status
  const { installed, version, installedAt } = lifecycleState
  return writeTable(
    ['what', 'is'],
    [
      ['repository', repoRoot],
      ['warrant', packageVersion],
      ['installed', installed === 'true' ? `${version ?? '?'} since ${installedAt ?? '?'}` : 'no'],
      ...hooks.map(({ hook, state }) => [hook, state]),
      ['tracked node_modules', String(trackedNodeModulesCount)],
      ['signing key', describeKey(receipts)],
      ['receipts fetched from', describeFetch(receipts)],
      ['log of decisions', describeWitness(receipts)],
    ],
  )
}

export const run = async (invocation: Invocation): Promise<number> => {
  const { lifecycle, root, config, git, signal } = await openRepositoryForCommand(
    loadSettings(invocation).config,
  )
  const [status, hooks, receipts] = await Promise.all([
    currentStatus(lifecycle, signal),
    hooksStatus(lifecycle, signal),
    readReceiptState({ root, config, git, signal }),
  ])
  return printOutput(invocation, { ...status, receipts }, () => describe(status, hooks, receipts))
}
