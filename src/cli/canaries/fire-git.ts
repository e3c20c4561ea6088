import type { ProgramResult } from '../../gate/ports.ts'
import type { FireContext } from './fire-clients.ts'
import type { CanaryRow } from './read-answer.ts'

const lastLine = ({ stderr, stdout }: ProgramResult): string =>
  `${stdout}\n${stderr}`.trim().split('\n').at(-1)?.slice(0, 120) ?? ''

const judge = (point: string, result: ProgramResult | undefined, path: string): CanaryRow => {
  if (result === undefined || result.cut !== undefined)
    return {
      point,
      result: 'cannot be shown',
      detail: result === undefined ? 'git did not start' : 'the hooks took longer than two minutes',
      fix: 'Run the hook by hand to see what it waits for.',
    }
  const said = result.stdout + result.stderr
  if (result.exitCode === 0)
    return {
      point,
      result: 'does not block',
      detail: 'a planted credential passed the hooks',
      fix: 'Run `warrant init` and read its last lines: a hook manager may have to be installed in this clone first.',
    }
  if (said.includes('BLOCKED') && said.includes(path))
    return { point, result: 'blocks', detail: 'a planted credential was refused by the gate' }
  return {
    point,
    result: 'cannot be shown',
    detail: `refused, and not by a finding of the gate: ${lastLine(result)}`,
    fix: 'Let this hook pass in a fresh clone, or move the gate before it.',
  }
}

/** A commit and a push of a planted credential, in a copy with the real hooks. */
export const fireGit = async ({ clone, canary }: FireContext): Promise<CanaryRow[]> => {
  const { path, planted } = canary
  await clone.stage(path, planted)
  const commit = await clone.git('commit', '-m', 'canary')
  if (commit?.exitCode !== 0) await clone.commitPastHooks(path, planted)
  const push = await clone.git('push', 'origin', 'HEAD:refs/heads/warrant-canary')
  return [judge('git commit', commit, path), judge('git push', push, path)]
}
