import { loadSettings } from '../../app/process-context.ts'
import { EVIDENCE_FILE } from '../../evidence/store.ts'
import { CHECKS_FILE } from '../../gate/checks/check.ts'
import { ACCEPTANCES_FILE } from '../../gate/findings/acceptances.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import { purgeState } from '../../platform/files/remove-file.ts'
import { askTerminal } from '../../platform/system/ask-terminal.ts'
import { KEYS_FILE } from '../../receipts/keys-path.ts'
import { uninstall } from '../../setup/git-hooks/install.ts'
import { type HookReport, hooksStatus } from '../../setup/git-hooks/install-hooks.ts'
import { type UndoReport, undoSetup } from '../../setup/undo.ts'
import type { Invocation } from '../command/command.ts'
import { printOutput, requireWritable } from '../command/subcommand.ts'
import { writeTable } from '../command/text-table.ts'
import { type OpenedSetup, openSetup } from './open-setup.ts'
import { everyTarget } from './setup-targets.ts'

/** What is committed of the state folder, or meant to be. */
const KEPT_STATE = ['rules', 'checks.yml', 'keys.yml', 'acceptances.yml'] as const

/** `did`: whether our block was taken out of it. */
type RemovedHook = HookReport & { readonly did: 'removed' | 'nothing' }

interface UninstallResult extends UndoReport {
  readonly hooks: readonly RemovedHook[]
  readonly notes: readonly string[]
  /** What is still there, and how to remove it. */
  readonly stays: readonly string[]
}

/** Git tracks it: it is part of the history, and others use it. */
const committedFiles = async ({ lifecycle, signal }: OpenedSetup): Promise<ReadonlySet<string>> =>
  new Set(await lifecycle.git.tracked([KEYS_FILE, CHECKS_FILE, ACCEPTANCES_FILE, EVIDENCE_FILE], signal))

const listHooks = async (
  { lifecycle, signal }: OpenedSetup,
  before: readonly HookReport[],
): Promise<RemovedHook[]> => {
  const wasManaged = new Set(
    before.flatMap(({ hook, state }) => (['missing', 'unmanaged'].includes(state) ? [] : [hook])),
  )
  return (await hooksStatus(lifecycle, signal)).map((report) => {
    const isGone = wasManaged.has(report.hook) && ['missing', 'unmanaged'].includes(report.state)
    return { ...report, did: isGone ? 'removed' : 'nothing' }
  })
}

const listStays = async (
  setup: OpenedSetup,
  committed: ReadonlySet<string>,
  purge: boolean,
): Promise<string[]> => {
  const { stateFolder } = setup.ports
  const own = [KEYS_FILE, CHECKS_FILE, ACCEPTANCES_FILE]
  const present = await Promise.all(own.map((path) => setup.exists(path)))
  return [
    ...own
      .filter((_, at) => present[at])
      .map((path) =>
        committed.has(path)
          ? `${path}: committed; git rm ${path}`
          : `${path}: changed since, or not from init`,
      ),
    ...(stateFolder === undefined || purge
      ? []
      : [`${stateFolder}: log of decisions and receipts of this clone; warrant uninstall --purge`]),
    'refs/notes/warrant*: receipts, if there are any; git update-ref -d refs/notes/warrant',
  ]
}

const removeState = async ({ root, ports, lifecycle, signal }: OpenedSetup): Promise<readonly string[]> => {
  const { stateFolder } = ports
  if (stateFolder === undefined) return []
  const tracked = await lifecycle.git.tracked([stateFolder], signal)
  const names = tracked.map((path) => path.slice(stateFolder.length + 1).split('/')[0] ?? '')
  return purgeState(root, stateFolder, new Set([...KEPT_STATE, ...names]))
}

const describe = ({ hooks, restored, removed, left, notes, stays }: UninstallResult): string =>
  [
    writeTable(
      ['hook', 'state', 'done'],
      hooks.map(({ hook, state, did }) => [hook, state, did]),
    ),
    '',
    `restored ${restored.join(', ') || 'no files'}`,
    escapeLineBreaks(`removed  ${removed.join(', ') || 'no files'}`),
    `receipts ${notes.length === 0 ? 'no setting to remove' : `\`git fetch\` no longer brings those of ${notes.join(', ')}`}`,
    ...stays.map((what) => `stays    ${what}`),
    ...left.map(({ path, why }) => `LEFT     ${path}: ${why}; remove it by hand`),
  ].join('\n')

/** Asks before anything is removed. Without a terminal only --yes counts. */
const isAgreed = async (
  { flags, json, terminal }: Invocation,
  files: readonly string[],
): Promise<boolean> => {
  if (flags.yes === true) return true
  const shown = [
    'Our entries leave these files; everything else in them stays:',
    ...files.map((path) => `  ${path}`),
  ]
  const ending = flags.purge === true ? ' The state folder with its log and receipts is removed.' : ''
  if (!json && process.stdin.isTTY === true) {
    terminal.print(shown.join('\n'))
    const answer = await askTerminal(`Take Warrant out of this repository?${ending} [y/N] `)
    if (/^y(es)?$/i.test(answer?.trim() ?? '')) return true
  }
  terminal.print(
    json ? JSON.stringify({ removed: [], files }) : `Nothing was removed. To remove it, add --yes.`,
  )
  return false
}

export const run = async (invocation: Invocation): Promise<number> => {
  const { config } = loadSettings(invocation)
  requireWritable(config, '`warrant uninstall`')
  const setup = await openSetup(config)
  const { ports, signal, lifecycle } = setup
  const purge = invocation.flags.purge === true
  const record = await setup.record.read()
  if (!(await isAgreed(invocation, [...(record?.files.keys() ?? [])]))) return 0
  const before = await hooksStatus(lifecycle, signal)
  const committed = await committedFiles(setup)
  const targets = (await everyTarget(setup, record)).filter(({ path }) => !committed.has(path))
  const undone = await undoSetup(targets, record, setup.files)
  const artifacts = purge || invocation.flags['purge-artifacts'] === true
  const { removed, notes } = await uninstall(ports, artifacts, signal)
  const evidence =
    record?.evidence && !committed.has(EVIDENCE_FILE) && (await ports.removeFile(EVIDENCE_FILE))
      ? [EVIDENCE_FILE]
      : []
  const state = purge ? await removeState(setup) : []
  if (undone.left.length === 0) await setup.record.clear()
  const result: UninstallResult = {
    hooks: await listHooks(setup, before),
    restored: undone.restored,
    // Hooks and excludes have their own lines.
    removed: [
      ...new Set([
        ...undone.removed.filter((path) => !path.startsWith('.git/')),
        ...removed,
        ...evidence,
        ...state,
      ]),
    ],
    left: undone.left,
    notes,
    stays: await listStays(setup, committed, purge),
  }
  printOutput(invocation, result, () => describe(result))
  return undone.left.length === 0 ? 0 : 1
}
