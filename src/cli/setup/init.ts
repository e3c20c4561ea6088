import { loadSettings } from '../../app/process-context.ts'
import { EVIDENCE_FILE } from '../../evidence/store.ts'
import { requireNoSymlinks } from '../../platform/files/no-symlinks.ts'
import { makeState } from '../../platform/files/state-folder.ts'
import { askTerminal } from '../../platform/system/ask-terminal.ts'
import { KEYS_FILE } from '../../receipts/keys-path.ts'
import { writeEnforcement } from '../../setup/enforcement.ts'
import { eachHook } from '../../setup/git-hooks/hook-script.ts'
import { recordInstallation, rejectBroken } from '../../setup/git-hooks/install.ts'
import { hooksStatus } from '../../setup/git-hooks/install-hooks.ts'
import { applyPlan, type WrittenFile } from '../../setup/plan.ts'
import { extendRecord } from '../../setup/record.ts'
import { showTarget } from '../../setup/target-file.ts'
import { writeUnifiedDiff } from '../../setup/unified-diff.ts'
import type { Invocation } from '../command/command.ts'
import { printOutput, requireWritable } from '../command/subcommand.ts'
import { countLanguages, describeInit, type InitReport } from './describe-init.ts'
import { type OpenedSetup, openSetup } from './open-setup.ts'
import { type InitPlan, planInit } from './plan-init.ts'

const WORKFLOW = '.github/workflows/warrant.yml'

/** Whether a file will be there: planned, or there already. */
const hasFile = async ({ exists }: OpenedSetup, { files }: InitPlan, path: string): Promise<boolean> =>
  files.some(({ target }) => target.path === path) || exists(path)

const hookStates = async ({ lifecycle, signal }: OpenedSetup) => {
  const reports = await hooksStatus(lifecycle, signal)
  return eachHook((name) => reports.find(({ hook }) => hook === name)?.state ?? 'missing')
}

const reportPlan = async (setup: OpenedSetup, plan: InitPlan, written: boolean): Promise<InitReport> => ({
  repository: setup.root,
  plan,
  written,
  tracked: await setup.lifecycle.git.tracked(['.'], setup.signal),
  enforced: writeEnforcement({
    clients: plan.clients.map(({ client }) => client),
    hooks: plan.hooks,
    outside: plan.outside,
    sandbox: plan.sandbox,
    states: written ? await hookStates(setup) : undefined,
    workflow: await hasFile(setup, plan, WORKFLOW),
    keys: await hasFile(setup, plan, KEYS_FILE),
  }),
})

/** Writes the files, then what `warrant install` writes besides hooks. */
const write = async (setup: OpenedSetup, plan: InitPlan): Promise<void> => {
  const { ports, record, root, signal, exists } = setup
  if (plan.files.some(({ target }) => target.place === 'tree' && target.path.startsWith('.warrant/')))
    await makeState(requireNoSymlinks(root, '.warrant'))
  const hadEvidence = await exists(EVIDENCE_FILE)
  const before = await record.read()
  const written = new Map<string, WrittenFile>()
  try {
    await applyPlan(plan.files, setup.files, written)
  } finally {
    await record.write(extendRecord(before, written, !hadEvidence))
  }
  await recordInstallation(ports, signal)
  await ports.notes.add(signal)
  await ports.runFirstGate(signal)
}

const isTerminal = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true

const print = (invocation: Invocation, report: InitReport, ending: readonly string[]): number => {
  const { plan, tracked, ...rest } = report
  const { files, skipped, kept, clients, hooks, launch } = plan
  const changes = files.map((file) => {
    const { target, before } = file
    return {
      path: showTarget(target),
      change: before === undefined ? 'create' : 'edit',
      diff: writeUnifiedDiff(file),
    }
  })
  const languages = Object.fromEntries(countLanguages(tracked))
  const value = {
    ...rest,
    languages,
    clients,
    manager: hooks.manager ?? null,
    launch,
    changes,
    kept,
    skipped,
  }
  return printOutput(invocation, value, () => describeInit(report, ending).join('\n'))
}

/** Does it, once a person has agreed. */
const writeNow = async (invocation: Invocation, setup: OpenedSetup, quiet: boolean): Promise<number> => {
  await rejectBroken(setup.ports, setup.signal)
  const plan = await planInit(setup, invocation, true)
  await write(setup, plan)
  const report = await reportPlan(setup, plan, true)
  return print(invocation, quiet ? { ...report, brief: true } : report, [])
}

const ask = async (invocation: Invocation, setup: OpenedSetup): Promise<number> => {
  const answer = await askTerminal('Write these files? [y/N] ')
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) {
    invocation.terminal.print('Nothing was written.')
    return 0
  }
  const { runRecorded } = await import('../record-command.ts')
  const command = {
    name: 'init',
    summary: '',
    usage: '',
    choices: [],
    options: () => [],
    run: (agreed: Invocation) => writeNow(agreed, setup, true),
  }
  return runRecorded(command, { ...invocation, flags: { ...invocation.flags, yes: true } })
}

export const run = async (invocation: Invocation): Promise<number> => {
  const { config } = loadSettings(invocation)
  const { flags, json } = invocation
  const setup = await openSetup(config)
  if (flags.yes === true && flags['dry-run'] !== true) {
    requireWritable(config, '`warrant init`')
    return writeNow(invocation, setup, false)
  }
  const plan = await planInit(setup, invocation, false)
  const asks = flags['dry-run'] !== true && !json && isTerminal() && !config.readOnly
  const ending = asks ? [] : ['Nothing was written. To write it, add --yes.']
  print(invocation, await reportPlan(setup, plan, false), ending)
  return asks && plan.files.length > 0 ? ask(invocation, setup) : 0
}
