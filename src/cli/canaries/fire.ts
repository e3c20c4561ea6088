import { randomBytes } from 'node:crypto'
import { type OpenedRepository, openRepositoryForCommand } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import { ScratchClone } from '../../platform/git/scratch-clone.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { requirePlaces } from '../../setup/git-hooks/hooks.ts'
import type { Invocation } from '../command/command.ts'
import { writeTable } from '../command/table.ts'
import { printOutput } from '../print-output.ts'
import { fireServer } from './call-server-canary.ts'
import { makeCanary } from './canary-events.ts'
import { type FireContext, fireClients } from './fire-clients.ts'
import { fireGit } from './fire-git.ts'
import { presentFiles } from './present-files.ts'
import { type CanaryRow, isFailedCanary, judgeWorkflow, runsGate } from './read-answer.ts'

const WORKFLOWS = '.github/workflows'
const MAX_BYTES = 1024 * 1024

const fireWorkflows = async (root: string): Promise<CanaryRow> => {
  const files = repositoryFiles(root)
  const names = await files.names(WORKFLOWS).catch(() => [])
  for (const name of names.filter((one) => /\.ya?ml$/.test(one)).sort()) {
    const path = `${WORKFLOWS}/${name}`
    const bytes = await files.read(path, MAX_BYTES).catch(() => undefined)
    const text = Buffer.from(bytes ?? []).toString('utf8')
    if (runsGate(text)) return judgeWorkflow(path, text)
  }
  return {
    point: 'CI',
    result: 'not set up',
    detail: `no workflow in ${WORKFLOWS} runs the gate`,
    fix: 'Run `warrant init --action OWNER/REPOSITORY@COMMIT`, or `warrant gate --stage CI` in your CI.',
  }
}

const fireAll = async (repository: OpenedRepository, context: FireContext): Promise<CanaryRow[]> => {
  const { root, lifecycle } = repository
  const { clone, signal } = context
  const { top, common, hooks } = await requirePlaces(lifecycle.git, repository.signal)
  await clone.fill({ top, common, hooks, present: await presentFiles(top, clone.environment, signal) })
  // In this order: a commit that went past the hooks stays in the copy.
  const clients = await fireClients(context)
  const server = await fireServer(context)
  return [...clients, ...(await fireGit(context)), server, await fireWorkflows(root)]
}

const writeReport = (rows: readonly CanaryRow[]): string => {
  const cells = rows.map(({ point, result, detail }) => [point, result, detail])
  const fixes = rows.flatMap(({ point, fix }) => (fix === undefined ? [] : [`${point}: ${fix}`]))
  return [writeTable(['where', 'result', 'shown'], cells), ...fixes].join('\n')
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
