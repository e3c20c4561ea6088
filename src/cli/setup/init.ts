import { readOwnKey } from '../../app/open/receipts/signing-key.ts'
import { loadSettings } from '../../app/process-context.ts'
import { EVIDENCE_FILE } from '../../evidence/store.ts'
import { readPolicyFile } from '../../gate/policy-files.ts'
import { optional } from '../../kernel/optional.ts'
import { requireNoSymlinks } from '../../platform/files/no-symlinks.ts'
import { makeState } from '../../platform/files/state-folder.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { askTerminal } from '../../platform/system/ask-terminal.ts'
import { addKeyCommand, parseKeys } from '../../receipts/keys-file.ts'
import { KEYS_FILE } from '../../receipts/keys-path.ts'
import { writeEnforcement } from '../../setup/enforcement.ts'
import { eachHook } from '../../setup/git-hooks/hook-script.ts'
import { recordInstallation, rejectBroken } from '../../setup/git-hooks/install.ts'
import { hooksStatus } from '../../setup/git-hooks/install-hooks.ts'
import { applyPlan, type LeftFile, type WrittenFile } from '../../setup/plan.ts'
import { extendRecord } from '../../setup/record.ts'
import { showTarget } from '../../setup/target-file.ts'
import type { Invocation } from '../command/command.ts'
import { printOutput, requireWritable } from '../command/subcommand.ts'
import { countLanguages, describeInit, diffOf, type InitReport, type InitView } from './describe-init.ts'
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

/** How the key of this machine is listed where receipts are required; undefined where it is, or none are. */
const enrolment = async (root: string): Promise<string | undefined> => {
  const listed = await parseKeys(await readPolicyFile(repositoryFiles(root), KEYS_FILE))
  const own = listed.length === 0 ? undefined : await readOwnKey()
  return own === undefined || listed.some(({ key }) => key.id === own.id) ? undefined : addKeyCommand(own)
}

const reportPlan = async (
  setup: OpenedSetup,
  plan: InitPlan,
  left: readonly LeftFile[] | undefined,
): Promise<InitReport> => ({
  repository: setup.root,
  plan,
  written: left !== undefined,
  left: left ?? [],
  tracked: await setup.lifecycle.git.tracked(['.'], setup.signal),
  enforced: writeEnforcement({
    clients: plan.clients.map(({ client }) => client),
    hooks: plan.hooks,
    outside: plan.outside,
    strict: plan.strict,
    sandbox: plan.sandbox,
    states: left === undefined ? undefined : await hookStates(setup),
    workflow: await hasFile(setup, plan, WORKFLOW),
    keys: await setup.exists(KEYS_FILE),
  }),
  ...(left !== undefined && optional({ enrol: await enrolment(setup.root) })),
})

/** Writes the planned files, records the installation, and runs the gate once. Returns the files that it left. */
const write = async (setup: OpenedSetup, plan: InitPlan): Promise<readonly LeftFile[]> => {
  const { ports, record, root, signal, exists } = setup
  if (plan.files.some(({ target }) => target.place === 'tree' && target.path.startsWith('.warrant/')))
    await makeState(requireNoSymlinks(root, '.warrant'))
  const hadEvidence = await exists(EVIDENCE_FILE)
  const before = await record.read()
  const written = new Map<string, WrittenFile>()
  let left: readonly LeftFile[] = []
  try {
    left = await applyPlan(plan.files, setup.files, written)
  } finally {
    await record.write(extendRecord(before, written, !hadEvidence))
  }
  await recordInstallation(ports, signal)
  await ports.notes.add(signal)
  await ports.runFirstGate(signal)
  return left
}

const isTerminal = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true

const print = (
  invocation: Invocation,
  report: InitReport,
  show: InitView,
  ending: readonly string[] = [],
): number => {
  const { plan, tracked, ...rest } = report
  const { files, hooks, lintStaged: _, outside: __, ...shown } = plan
  const changes = files.map((file) => ({
    path: showTarget(file.target),
    change: file.before === undefined ? 'create' : 'edit',
    diff: diffOf(file),
  }))
  const languages = Object.fromEntries(countLanguages(tracked))
  const value = { ...rest, ...shown, languages, manager: hooks.manager ?? null, changes }
  return printOutput(invocation, value, () => describeInit(report, show, ending).join('\n'))
}

/** Does it, once a person has agreed to this plan. */
const writeNow = async (
  invocation: Invocation,
  setup: OpenedSetup,
  plan: InitPlan,
  brief: boolean,
): Promise<number> => {
  const left = await write(setup, plan)
  print(invocation, await reportPlan(setup, plan, left), { brief })
  return left.length === 0 ? 0 : 1
}

/** Asks until the answer is one. What is written is the plan that was shown last. */
const ask = async (invocation: Invocation, setup: OpenedSetup, shown: InitPlan): Promise<number> => {
  let plan = shown
  for (;;) {
    const more = plan.offered.length > 0 ? '/m' : ''
    const hint = more === '' ? '' : ', m: with your own clients'
    const answer = await askTerminal(`Write these files? [y/N/d${more}] (d: show the changes${hint}) `)
    const word = answer?.trim().toLowerCase() ?? ''
    if (word === 'd') invocation.terminal.print(plan.files.map(diffOf).join('\n'))
    else if (word === 'm' && more !== '') {
      plan = await planInit(setup, invocation, true)
      print(invocation, await reportPlan(setup, plan, undefined), {})
    } else if (!/^y(es)?$/.test(word)) {
      invocation.terminal.print('Nothing was written.')
      return 0
    } else break
  }
  const { runRecorded } = await import('../record-command.ts')
  const command = {
    name: 'init',
    summary: '',
    usage: '',
    choices: [],
    options: () => [],
    run: (agreed: Invocation) => writeNow(agreed, setup, plan, true),
  }
  return runRecorded(command, { ...invocation, flags: { ...invocation.flags, yes: true } })
}

export const run = async (invocation: Invocation): Promise<number> => {
  const { config } = loadSettings(invocation)
  const { flags, json } = invocation
  const setup = await openSetup(config)
  const dry = flags['dry-run'] === true
  const writes = flags.yes === true && !dry
  if (writes) {
    requireWritable(config, '`warrant init`')
    await rejectBroken(setup.ports, setup.signal)
  }
  const plan = await planInit(setup, invocation)
  if (writes) return writeNow(invocation, setup, plan, false)
  const asks = !dry && !json && isTerminal() && !config.readOnly && plan.files.length > 0
  const ending = asks ? [] : ['Nothing was written. To write it, add --yes.']
  print(invocation, await reportPlan(setup, plan, undefined), { diff: !asks }, ending)
  if (!asks) return 0
  await rejectBroken(setup.ports, setup.signal)
  return ask(invocation, setup, plan)
}
