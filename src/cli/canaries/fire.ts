import { randomBytes } from 'node:crypto'
import { type OpenedRepository, openRepositoryForCommand } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import type { ProgramResult } from '../../gate/ports.ts'
import { ScratchClone } from '../../platform/git/scratch-clone.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { runProgram } from '../../platform/programs/program.ts'
import { GUARD_PATHS } from '../../setup/client-sandbox.ts'
import { requirePlaces } from '../../setup/git-hooks/install-hooks.ts'
import type { Invocation } from '../command/command.ts'
import { printOutput } from '../command/subcommand.ts'
import { writeTable } from '../command/text-table.ts'
import { makeCanary } from './canary-events.ts'
import { type FireContext, fireClients } from './fire-clients.ts'
import { type CanaryRow, isFailedCanary, judgeWorkflow, runsGate } from './read-answer.ts'

/** What decides about hooks and policy, and may not be committed yet. */
const DECIDING = [
  ...['.warrant', '.husky', '.githooks', 'package.json'],
  ...GUARD_PATHS.filter((path) => !path.startsWith('.git/')),
]
const LIST_MS = 60_000
const BYTES = 4 * 1024 * 1024

/** Files of the hooks and of the policy that differ from the last commit, without those that git ignores. */
const presentFiles = async (
  top: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const words = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '--literal-pathspecs', 'ls-files', '-z']
  const listed = ['-m', '-d', '-o', '--exclude-standard', '--', ...DECIDING]
  const options = { cwd: top, env, ms: LIST_MS, bytes: BYTES, signal }
  const result = await runProgram('git', [...words, ...listed], options)
  return [...new Set((result?.stdout ?? '').split('\0'))].filter((path) => path !== '')
}

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
const fireGit = async ({ clone, canary }: FireContext): Promise<CanaryRow[]> => {
  const { path, planted } = canary
  await clone.stage(path, planted)
  const commit = await clone.git('commit', '-m', 'canary')
  if (commit?.exitCode !== 0) await clone.commitPastHooks(path, planted)
  const push = await clone.git('push', 'origin', 'HEAD:refs/heads/warrant-canary')
  return [judge('git commit', commit, path), judge('git push', push, path)]
}

const WORKFLOWS = '.github/workflows'
const MAX_BYTES = 1024 * 1024

const fireWorkflows = async (root: string): Promise<readonly CanaryRow[]> => {
  const files = repositoryFiles(root)
  const names = await files.names(WORKFLOWS).catch(() => [])
  for (const name of names.filter((one) => /\.ya?ml$/.test(one)).sort()) {
    const path = `${WORKFLOWS}/${name}`
    const bytes = await files.read(path, MAX_BYTES).catch(() => undefined)
    const text = Buffer.from(bytes ?? []).toString('utf8')
    if (runsGate(text)) return judgeWorkflow(path, text)
  }
  const fix = 'Run `warrant init --action OWNER/REPOSITORY@COMMIT`, or `warrant gate --stage CI` in your CI.'
  const detail = `no workflow in ${WORKFLOWS} runs the gate`
  return [{ point: 'CI', result: 'not set up', detail, fix }]
}

const fireAll = async (repository: OpenedRepository, context: FireContext): Promise<CanaryRow[]> => {
  const { root, lifecycle } = repository
  const { clone, signal } = context
  const { top, common, hooks } = await requirePlaces(lifecycle.git, repository.signal)
  await clone.fill({ top, common, hooks, present: await presentFiles(top, clone.environment, signal) })
  // In this order: a commit that went past the hooks stays in the copy.
  const clients = await fireClients(context)
  return [...clients, ...(await fireGit(context)), ...(await fireWorkflows(root))]
}

const writeReport = (rows: readonly CanaryRow[]): string => {
  const cells = rows.map(({ point, result, detail }) => [point, result, detail])
  const fixes = rows.flatMap(({ point, fix }) => (fix === undefined ? [] : [`${point}: ${fix}`]))
  const routes = [...new Set(rows.flatMap(({ found = [] }) => found))]
  const bypasses = routes.length === 0 ? [] : [`Bypasses that were found: ${routes.join(', ')}.`]
  return [writeTable(['where', 'result', 'shown'], cells), ...bypasses, ...fixes].join('\n')
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Plants canaries in a copy of the repository, and shows where they are refused. */
export const run = async (invocation: Invocation): Promise<number> => {
  const { config } = loadSettings(invocation)
  const repository = await openRepositoryForCommand(config)
  const stop = new AbortController()
  let interrupted: number | undefined
  for (const [name, code] of Object.entries(SIGNALS))
    process.once(name, () => {
      interrupted = code
      stop.abort()
    })
  const clone = await ScratchClone.create(process.env, stop.signal)
  try {
    const canary = makeCanary(randomBytes(20))
    const rows = await fireAll(repository, { root: repository.root, clone, canary, signal: stop.signal })
    if (interrupted !== undefined) return interrupted
    const failed = rows.some(isFailedCanary)
    printOutput(invocation, { ok: !failed, canaries: rows }, () => writeReport(rows))
    return failed ? 1 : 0
  } catch (thrown) {
    if (interrupted === undefined) throw thrown
    return interrupted
  } finally {
    await clone.remove()
  }
}
