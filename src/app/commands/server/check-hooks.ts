import type { OpenedRepository } from '../../open/repository.ts'

/** A block of an older version does not check what a push sends; an edited one may check nothing. */
export const outdatedHooks = async ({ lifecycle, signal }: OpenedRepository) => {
  const { hooksStatus } = await import('../../../gate/install/hooks.ts')
  const outdated = (await hooksStatus(lifecycle, signal)).filter(({ state }) => state === 'outdated')
  return outdated.map(({ hook }) => ({
    check: 'hooks',
    severity: 'warning' as const,
    detail: `the block in the hook ${hook} is not the one that this version writes`,
    fix: 'Run `warrant install` again.',
  }))
}
