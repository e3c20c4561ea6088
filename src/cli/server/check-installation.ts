import { join } from 'node:path'
import type { Config } from '../../app/config/settings.ts'
import type { OpenedRepository } from '../../app/open/repository.ts'
import type { DoctorFinding } from './doctor.ts'

/** Hooks that hold the block and may not run it. */
const idleHooks = async ({ lifecycle, signal }: OpenedRepository) => {
  const { hooksStatus } = await import('../../setup/git-hooks/hooks.ts')
  return (await hooksStatus(lifecycle, signal)).flatMap(({ hook, state, problem, manager }) => {
    if (problem === undefined) return []
    const fix =
      manager === 'husky'
        ? `Remove the block from .husky/${hook}, and run \`warrant init\` again.`
        : state === 'outdated'
          ? 'Run `warrant install` again.'
          : `Move the block to the top of the hook ${hook} and make the file executable, or remove the hook and run \`warrant install\`.`
    return [{ check: 'hooks', severity: 'warning' as const, detail: `the hook ${hook}: ${problem}`, fix }]
  })
}

const PROGRAM = 'node_modules/.bin/warrant'

/** The hooks start the program in `node_modules` first. Without its package, npm did not put it there. */
const plantedProgram = async ({ root, lifecycle: { files } }: OpenedRepository) => {
  const isThere = await files.executable(join(root, PROGRAM))
  if (!isThere || (await files.read(join(root, 'node_modules/warrant/package.json'))) !== undefined) return []
  return [
    {
      check: 'hooks',
      severity: 'warning' as const,
      detail: `the hooks start ${PROGRAM}, and the package warrant is not installed in node_modules`,
      fix: `Find out where ${PROGRAM} comes from, and remove it.`,
    },
  ]
}

/** Problems of the hooks in this repository. Empty outside a repository. */
export const checkInstallation = async (config: Config): Promise<readonly DoctorFinding[]> => {
  const { lifecycleIssues } = await import('../../setup/git-hooks/installation.ts')
  const { currentStatus } = await import('../../setup/git-hooks/install.ts')
  const { openRepositoryForCommand } = await import('../../app/open/repository.ts')
  const context = await openRepositoryForCommand(config).catch(() => undefined)
  const status = context && (await currentStatus(context.lifecycle, context.signal).catch(() => undefined))
  if (context === undefined || status === undefined) return []
  const issues = [
    ...lifecycleIssues(status),
    ...(await idleHooks(context)),
    ...(await plantedProgram(context)),
  ]
  if (issues.length === 0)
    return [{ check: 'installation', ok: true, detail: 'hooks match the recorded installation' }]
  return issues.map(({ severity, ...issue }) => ({ ok: severity === 'warning', severity, ...issue }))
}
