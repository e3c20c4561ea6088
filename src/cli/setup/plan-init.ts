import { openReceiptSigner, readOwnKey } from '../../app/open/receipts/signing-key.ts'
import { CHECKS_FILE } from '../../gate/checks/check.ts'
import { suggestChecks, writeChecksFile } from '../../gate/checks/suggest/suggest.ts'
import { findPlace } from '../../platform/git/place.ts'
import { askGit } from '../../platform/git/run.ts'
import { findProgram, isInHome } from '../../platform/programs/client-signs.ts'
import { trustedPath } from '../../platform/programs/trusted-path.ts'
import { KEYS_HEADER, writeListedKey } from '../../receipts/keys-file.ts'
import { KEYS_FILE } from '../../receipts/keys-path.ts'
import { type FoundClient, findClients, SETUP_CLIENT_NAMES, type SetupClient } from '../../setup/clients.ts'
import { type HookSetup, hookTargets, isDefined } from '../../setup/hook-targets.ts'
import type { LaunchWords } from '../../setup/launch.ts'
import { planSetup, type SetupPlan } from '../../setup/plan.ts'
import type { TargetFile } from '../../setup/target-file.ts'
import { ACTION, workflowTarget } from '../../setup/workflow.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { textFlag } from '../command/subcommand.ts'
import { openDeclaringFiles } from '../gate/checks-suggest.ts'
import { findLaunch, type OpenedSetup, openHookSetup } from './open-setup.ts'
import { chosenClientTargets, ignoreTarget, ownFileTarget, presentGuardPaths } from './setup-targets.ts'

/** What was found, and what would be written. */
export interface InitPlan extends SetupPlan {
  readonly clients: readonly FoundClient[]
  readonly hooks: HookSetup
  readonly outside: boolean
  /** Whether the sandboxes of the clients protect the files of the gate. */
  readonly sandbox: boolean
  readonly launch: LaunchWords
  /** How many checks could be declared. */
  readonly checks: number
  readonly lintStaged: boolean
}

const namedClients = (text: string): readonly FoundClient[] => {
  const names = text.split(',').map((name) => name.trim())
  if (names.join() === 'none') return []
  return names.map((name) => {
    const client = SETUP_CLIENT_NAMES.find((one) => one === name)
    if (client === undefined)
      throw usageFaults.option(
        `--clients: ${JSON.stringify(name)} is not one of ${SETUP_CLIENT_NAMES.join(', ')}`,
      )
    return { client, by: 'named' }
  })
}

const presentClients = ({ root, exists }: OpenedSetup): Promise<readonly FoundClient[]> => {
  const path = trustedPath(process.env.PATH, root)
  return findClients({
    repository: exists,
    home: isInHome,
    program: async (name) => (await findProgram(name, path)) !== undefined,
  })
}

/** The name that commits of this clone have, else that of the user. */
const findOwner = async ({ root, config, signal }: OpenedSetup): Promise<string> => {
  const start = { folder: root, environment: process.env, gitFolders: config.gitFolders }
  const place = await findPlace(start, signal)
  const answer = place && (await askGit(place, ['config', '--get', 'user.name'], { signal }))
  return answer?.text.trim() || process.env.USER || process.env.USERNAME || 'this machine'
}

const NO_KEY = '(the key of this machine, which is made when the file is written)'

/** The first list of keys. Without `writes` no key is made for it. */
const keysTarget = async (setup: OpenedSetup, writes: boolean): Promise<TargetFile | undefined> => {
  if (await setup.exists(KEYS_FILE)) return undefined
  const { config, root } = setup
  const isNamed = config.signer === 'ssh' || config.signingKey !== undefined
  const key = writes || isNamed ? (await openReceiptSigner(config, root)).key : await readOwnKey()
  const text = `${KEYS_HEADER}${writeListedKey(key?.text ?? NO_KEY, await findOwner(setup), 'developer')}`
  return ownFileTarget(KEYS_FILE, text)
}

const readAction = (invocation: Invocation): string | undefined => {
  const action = textFlag(invocation, 'action')
  if (action === undefined || ACTION.test(action)) return action
  throw usageFaults.option(
    '--action must be OWNER/REPOSITORY@COMMIT with the full id of a commit: a tag or branch can be moved',
  )
}

/** Finds what the repository uses, and plans the files. `writes` allows to make the key of this machine. */
export const planInit = async (
  setup: OpenedSetup,
  invocation: Invocation,
  writes: boolean,
): Promise<InitPlan> => {
  const named = textFlag(invocation, 'clients')
  const action = readAction(invocation)
  const clients = named === undefined ? await presentClients(setup) : namedClients(named)
  const launch = await findLaunch(setup)
  const hooks = await openHookSetup(setup)
  const { places, lifecycle, ports, root } = setup
  const git = await hookTargets(hooks, { places, files: lifecycle.files, launch, program: ports.program })
  const suggestions = await suggestChecks(await openDeclaringFiles(root))
  const withChecks = invocation.flags.checks === true && suggestions.checks.length > 0
  const names = clients.map(({ client }): SetupClient => client)
  const sandbox = invocation.flags.sandbox === true
  const readOnly = sandbox ? await presentGuardPaths(setup, names, git.targets) : []
  const targets = [
    ...(await chosenClientTargets(setup, names, launch, readOnly)),
    ...git.targets,
    action === undefined ? undefined : workflowTarget(action),
    withChecks ? ownFileTarget(CHECKS_FILE, writeChecksFile(suggestions)) : undefined,
    await keysTarget(setup, writes),
    await ignoreTarget(setup),
  ].filter(isDefined)
  return {
    ...(await planSetup(targets, setup.files)),
    clients,
    hooks,
    outside: git.outside,
    sandbox,
    launch,
    checks: suggestions.checks.length,
    lintStaged: setup.packages.has('lint-staged') || (await setup.exists('.lintstagedrc')),
  }
}
