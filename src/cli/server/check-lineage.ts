import { join, resolve } from 'node:path'
import type { Config } from '../../app/config/settings.ts'
import { requireUsablePolicy } from '../../app/open/read-policy.ts'
import {
  describeFetch,
  describeKey,
  describeWitness,
  type ReceiptState,
  readReceiptState,
} from '../../app/open/receipts/receipt-state.ts'
import { readOwnKey } from '../../app/open/receipts/signing-key.ts'
import { type OpenedRepository, openRepositoryForCommand } from '../../app/open/repository.ts'
import { locateDecisions, openStore } from '../../app/open/store.ts'
import { logMemory } from '../../app/open/user-state.ts'
import { Fault } from '../../kernel/fault.ts'
import { auditLog } from '../../lineage/audit.ts'
import { nameLog, storeFaults } from '../../lineage/faults.ts'
import { compareWithSeen, describeMismatch, type LogMemory } from '../../lineage/log-memory.ts'
import { DECISION_LOG } from '../../lineage/origin.ts'
import type { LineageLog } from '../../lineage/store.ts'
import { findRepositoryRoot } from '../../platform/git/find-root.ts'
import type { LifecycleStatus } from '../../setup/git-hooks/installation.ts'
import type { DoctorFinding } from './doctor.ts'

const findProblem = ({ key, fetched, unfetched }: ReceiptState): string | undefined => {
  if (key === 'unlisted' || key === 'revoked')
    return 'Run `warrant receipts keys show`, and send the line that it prints to a developer whose key is listed.'
  if (fetched.length === 0 && unfetched.length > 0)
    return 'Run `warrant init`, so that `git fetch` brings the receipts of others.'
  return undefined
}

/** Whether the receipts of this machine count, and whether those of others arrive. */
export const checkReceiptSetup = async (config: Config): Promise<Omit<DoctorFinding, 'check'>> => {
  try {
    const context = await openRepositoryForCommand(config).catch(() => undefined)
    if (context === undefined) return { ok: true, detail: 'no repository here' }
    const { root, git, signal } = context
    const state = await readReceiptState({ root, config, git, signal })
    if (state.keys === 0) return { ok: true, detail: 'no .warrant/keys.yml, so no receipt is asked for' }
    const detail = `this machine's key: ${describeKey(state)}; fetched from: ${describeFetch(state)}; log: ${describeWitness(state)}`
    const fix = findProblem(state)
    return { ok: true, detail, ...(fix !== undefined && { severity: 'warning', fix }) }
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return { ok: false, detail: thrown.message, fix: thrown.fix }
  }
}

/** Whether the gate can use the policy files of the repository. */
export const checkPolicy = async ({ root }: Pick<Config, 'root'>) => {
  const repository = await findRepositoryRoot(resolve(root))
  if (repository === undefined) return { ok: true, detail: 'no repository here' }
  try {
    await requireUsablePolicy(repository, process.env)
    return { ok: true, detail: 'policy and rules can be read' }
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return { ok: false, detail: thrown.message, fix: thrown.fix }
  }
}

/** Hooks that hold the block and may not run it. */
const idleHooks = async ({ lifecycle, signal }: OpenedRepository) => {
  const { hooksStatus } = await import('../../setup/git-hooks/install-hooks.ts')
  return (await hooksStatus(lifecycle, signal)).flatMap(({ hook, state, problem, manager }) => {
    if (problem === undefined) return []
    const fix =
      manager === 'husky'
        ? `Remove the block from .husky/${hook}, and run \`warrant init\` again.`
        : state === 'outdated'
          ? 'Run `warrant init`: it writes the block anew.'
          : `Move the block to the top of the hook ${hook} and make the file executable, or remove the hook and run \`warrant init\`.`
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

/** What is installed in this repository; null outside of one. */
export const readState = async (config: Config) => {
  const context = await openRepositoryForCommand(config).catch(() => undefined)
  if (context === undefined) return null
  const { root, git, lifecycle, signal } = context
  const { currentStatus } = await import('../../setup/git-hooks/install.ts')
  const { hooksStatus } = await import('../../setup/git-hooks/install-hooks.ts')
  const status = await currentStatus(lifecycle, signal).catch(() => undefined)
  if (status === undefined) return null
  const [hooks, receipts] = await Promise.all([
    hooksStatus(lifecycle, signal),
    readReceiptState({ root, config, git, signal }).catch(() => null),
  ])
  return { ...status, hooks, receipts }
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
  if (issues.length === 0) return [{ check: 'installation', ok: true, detail: describeInstallation(status) }]
  return issues.map(({ severity, ...issue }) => ({ ok: severity === 'warning', severity, ...issue }))
}

const describeInstallation = ({
  lifecycleState: { installed, version, installedAt },
}: LifecycleStatus): string =>
  installed === 'true'
    ? `set up by version ${version ?? '?'} since ${installedAt?.slice(0, 10) ?? '?'}; both git hooks run the gate`
    : 'not set up here: warrant init'

interface CheckResult {
  readonly ok: boolean
  readonly severity?: 'warning'
  readonly detail: string
  readonly fix?: string
}

const inspectLog = async (
  log: LineageLog | undefined,
  name: string,
  memory: LogMemory,
): Promise<CheckResult> => {
  const seen = await memory.read()
  const { fix } = nameLog(storeFaults.changed(''), name)
  if (log === undefined) {
    if (!seen?.size) return { ok: true, detail: 'no decision has been recorded yet' }
    return { ok: true, severity: 'warning', detail: `gone: this machine saw ${seen.size} entries`, fix }
  }
  const { chain } = await auditLog(log)
  if (chain.outcome === 'broken')
    return { ok: false, detail: chain.why, fix: nameLog(storeFaults.damaged(''), name).fix }
  const outcome = seen === undefined ? 'grown' : await compareWithSeen(log, seen)
  if (seen !== undefined && outcome !== 'grown') {
    const detail = describeMismatch(outcome, seen)
    return outcome === 'replaced'
      ? { ok: true, severity: 'warning', detail, fix }
      : { ok: false, detail, fix }
  }
  const reason = await log.quarantine()
  if (reason === null) return { ok: true, detail: `${chain.size} entries, all verified` }
  const repair = `Run \`warrant log repair --graph ${name}\`.`
  return { ok: false, detail: `writing is stopped: ${reason}`, fix: repair }
}

/** Whether decisions can be recorded, and whether each log verifies and is the one that this machine saw last. */
export const inspectLogs = async (config: Config): Promise<readonly DoctorFinding[]> => {
  const findings: DoctorFinding[] = []
  const check = 'decision log'
  if (config.store === 'memory') {
    const detail = 'decisions are not recorded, because of --store memory'
    return [{ check, ok: true, severity: 'warning', detail }]
  }
  try {
    const root = await locateDecisions(config, resolve(config.root))
    const store = await openStore(config, root)
    try {
      for (const name of new Set([DECISION_LOG, ...(await store.names())])) {
        const found = await inspectLog(await store.find(name), name, logMemory(config, root, name))
        findings.push({ check: name === DECISION_LOG ? check : `graph ${name}`, ...found })
      }
    } finally {
      await store.close()
    }
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    findings.push({ check, ok: false, detail: thrown.message, fix: nameLog(thrown, DECISION_LOG).fix })
  }
  return findings
}

/** Whether the signing key can be used. */
export const checkSigningKey = async (): Promise<CheckResult> => {
  try {
    const key = await readOwnKey()
    const detail = key ? 'in the state folder of this user' : 'will be created by the first receipt'
    return { ok: true, detail }
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return { ok: false, detail: thrown.message, fix: thrown.fix }
  }
}
