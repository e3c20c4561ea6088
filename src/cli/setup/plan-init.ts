import { CHECKS_FILE } from '../../gate/checks/check.ts'
import { suggestChecks, writeChecksFile } from '../../gate/checks/suggest/suggest.ts'
import { findPlace } from '../../platform/git/place.ts'
import { askGit } from '../../platform/git/run.ts'
import { findProgram, isInHome } from '../../platform/programs/client-signs.ts'
import { trustedPath } from '../../platform/programs/trusted-path.ts'
import { type FoundClient, findClients, SETUP_CLIENT_NAMES, SETUP_CLIENTS } from '../../setup/clients.ts'
import { type HookSetup, hookTargets, isDefined } from '../../setup/hook-targets.ts'
import type { LaunchWords } from '../../setup/launch.ts'
import { planSetup, type SetupPlan } from '../../setup/plan.ts'
import { ACTION, workflowTarget } from '../../setup/workflow.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { textFlag } from '../command/subcommand.ts'
import { openDeclaringFiles } from '../gate/checks-suggest.ts'
import { findLaunch, type OpenedSetup, openHookSetup } from './open-setup.ts'
import { chosenClientTargets, ignoreTarget, ownFileTarget, presentGuardPaths } from './setup-targets.ts'

/** What was found, and what would be written. */
export interface InitPlan extends SetupPlan {
  readonly clients: readonly FoundClient[]
  /** Clients of this user alone that are not set up. */
  readonly offered: readonly FoundClient[]
  readonly hooks: HookSetup
  readonly outside: boolean
  readonly strict: boolean
  /** Whether the sandboxes of the clients protect the files of the gate. */
  readonly sandbox: boolean
  readonly launch: LaunchWords
  /** Files of this user alone: git does not see them. */
  readonly personal: readonly string[]
  /** Files for the team that git ignores. */
  readonly ignored: readonly string[]
  /** How many checks could be declared. */
  readonly checks: number
  readonly lintStaged: boolean
}

/** For --clients: the clients of the repository, and those of this user. */
const MINE = 'mine'

const namedClients = (text: string): readonly FoundClient[] => {
  const names = text.split(',').map((name) => name.trim())
  if (names.join() === 'none') return []
  return names.map((name) => {
    const client = SETUP_CLIENT_NAMES.find((one) => one === name)
    if (client === undefined)
      throw usageFaults.option(
        `--clients: ${JSON.stringify(name)} is not one of ${SETUP_CLIENT_NAMES.join(', ')}`,
      )
    return { client, by: 'named', shared: true }
  })
}

/** Files that the team has, or will have: what git ignores is this user's. */
const sharedFiles = async ({ root, config, signal }: OpenedSetup): Promise<readonly string[]> => {
  const place = await findPlace(
    { folder: root, environment: process.env, gitFolders: config.gitFolders },
    signal,
  )
  const signs = Object.values(SETUP_CLIENTS).flatMap(({ repository }): readonly string[] => repository)
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...signs]
  return place === undefined ? [] : (await askGit(place, args, { signal })).text.split('\0')
}

const presentClients = async (setup: OpenedSetup): Promise<readonly FoundClient[]> => {
  const path = trustedPath(process.env.PATH, setup.root)
  const files = await sharedFiles(setup)
  return findClients({
    repository: async (sign) => files.some((file) => file === sign || file.startsWith(`${sign}/`)),
    home: isInHome,
    program: async (name) => (await findProgram(name, path)) !== undefined,
  })
}

const readAction = (invocation: Invocation): string | undefined => {
  const action = textFlag(invocation, 'action')
  if (action === undefined || ACTION.test(action)) return action
  throw usageFaults.option(
    '--action must be OWNER/REPOSITORY@COMMIT with the full id of a commit: a tag or branch can be moved',
  )
}

/** Finds what the repository uses, and plans the files. `mine`: also for the clients of this user alone. */
export const planInit = async (
  setup: OpenedSetup,
  invocation: Invocation,
  mine = textFlag(invocation, 'clients') === MINE,
): Promise<InitPlan> => {
  const named = textFlag(invocation, 'clients')
  const isFound = named === undefined || named === MINE
  const action = readAction(invocation)
  const found = isFound ? await presentClients(setup) : namedClients(named)
  const clients = found.filter(({ shared }) => shared || mine)
  const launch = await findLaunch(setup)
  const hooks = await openHookSetup(setup)
  const { places, lifecycle, ports, root, signal } = setup
  const strict = invocation.flags.strict === true
  const git = await hookTargets(hooks, { places, files: lifecycle.files, strict, program: ports.program })
  const suggestions = await suggestChecks(await openDeclaringFiles(root))
  const withChecks = invocation.flags.checks === true && suggestions.checks.length > 0
  const sandbox = invocation.flags.sandbox === true
  const names = clients.map(({ client }) => client)
  const readOnly = sandbox ? await presentGuardPaths(setup, names, git.targets) : []
  const targetsOf = (shared: boolean) =>
    chosenClientTargets(
      setup,
      clients.flatMap((one) => (one.shared === shared ? [one.client] : [])),
      launch,
      readOnly,
    )
  const [team, own] = [await targetsOf(true), await targetsOf(false)]
  const shared = [
    ...team,
    ...git.targets,
    action === undefined ? undefined : workflowTarget(action),
    withChecks ? ownFileTarget(CHECKS_FILE, writeChecksFile(suggestions)) : undefined,
  ].filter(isDefined)
  const personal = own.map(({ path }) => path)
  const hidden = await ignoreTarget(setup, personal)
  const plan = await planSetup([...shared, ...own, hidden], setup.files)
  const ignored: string[] = []
  for (const { target } of plan.files)
    if (
      target.place === 'tree' &&
      shared.includes(target) &&
      (await lifecycle.git.ignores(target.path, signal))
    )
      ignored.push(target.path)
  return {
    ...plan,
    clients,
    offered: found.filter((one) => !clients.includes(one)),
    hooks,
    outside: git.outside,
    strict,
    sandbox,
    launch,
    personal,
    ignored,
    checks: suggestions.checks.length,
    lintStaged: setup.packages.has('lint-staged') || (await setup.exists('.lintstagedrc')),
  }
}
