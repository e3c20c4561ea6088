import { currentStatus } from '../../../gate/install/install.ts'
import type { LifecycleStatus } from '../../../gate/install/installation.ts'
import type { Invocation } from '../../../surfaces/cli/command.ts'
import { writeTable } from '../../../surfaces/cli/table.ts'
import { openRepositoryForCommand } from '../../open/repository.ts'
import { loadSettings } from '../../process-context.ts'
import { printResult } from '../print-result.ts'

const describe = (status: LifecycleStatus): string => {
  const { repoRoot, packageVersion, lifecycleState, hookStatus, trackedNodeModulesCount } = status
  const hooks = Object.entries(hookStatus).map(([name, { exists, managedBlockPresent }]) => [
    name,
    managedBlockPresent ? 'managed' : exists ? 'unmanaged' : 'missing',
  ])
  const { installed, version, installedAt } = lifecycleState
  return writeTable(
    ['what', 'is'],
    [
      ['repository', repoRoot],
      ['warrant', packageVersion],
      ['installed', installed === 'true' ? `${version ?? '?'} since ${installedAt ?? '?'}` : 'no'],
      ...hooks,
      ['tracked node_modules', String(trackedNodeModulesCount)],
    ],
  )
}

export const run = async (invocation: Invocation): Promise<number> => {
  const { lifecycle, signal } = await openRepositoryForCommand(loadSettings(invocation).config)
  const status = await currentStatus(lifecycle, signal)
  return printResult(invocation, status, () => describe(status))
}
