import { EVIDENCE_FILE } from '../../evidence/store.ts'
import { CHECKS_FILE } from '../../gate/checks/check.ts'
import { KEYS_FILE } from '../../receipts/keys-path.ts'
import { CLIENT_HOOKS, type HookedClient, hookEntries } from '../../setup/client-hooks.ts'
import { CLIENT_SANDBOXES, GUARD_PATHS } from '../../setup/client-sandbox.ts'
import { CLIENT_SERVERS } from '../../setup/client-servers.ts'
import { SETUP_CLIENT_NAMES, type SetupClient } from '../../setup/clients.ts'
import { listLines, wholeFile } from '../../setup/editors/edit-script.ts'
import { neededStateLines, stateLines } from '../../setup/git-hooks/install.ts'
import { everyHookTarget } from '../../setup/hook-targets.ts'
import { type LaunchWords, PATH_LAUNCH } from '../../setup/launch.ts'
import type { SetupRecord } from '../../setup/record.ts'
import { excludeTarget, jsonTarget, type TargetFile, textTarget } from '../../setup/target-file.ts'
import { workflowTarget } from '../../setup/workflow.ts'
import type { OpenedSetup } from './open-setup.ts'

const isHookedClient = (client: SetupClient): client is SetupClient & HookedClient => client in CLIENT_HOOKS

const isServedClient = (client: SetupClient): client is SetupClient & keyof typeof CLIENT_SERVERS =>
  client in CLIENT_SERVERS

const serverTarget = (client: keyof typeof CLIENT_SERVERS, file: string, launch: LaunchWords): TargetFile => {
  const entries = [CLIENT_SERVERS[client].entry(launch)]
  return file.endsWith('.toml') ? textTarget(file, entries) : jsonTarget(file, {}, entries)
}

/** One target a file: a client may have its servers and its hooks in the same one. */
const joinTargets = (targets: readonly TargetFile[]): TargetFile[] => {
  const byPath = new Map<string, TargetFile>()
  for (const target of targets) {
    const found = byPath.get(target.path)
    byPath.set(target.path, found ? { ...found, entries: [...found.entries, ...target.entries] } : target)
  }
  return [...byPath.values()]
}

type PickFiles = (files: readonly string[]) => Promise<readonly string[]>

const clientTargets = async (
  clients: readonly SetupClient[],
  launch: LaunchWords,
  pick: PickFiles,
  readOnly: readonly string[],
): Promise<TargetFile[]> => {
  const targets: TargetFile[] = []
  for (const client of clients) {
    if (isServedClient(client)) {
      const files = await pick(CLIENT_SERVERS[client].files)
      targets.push(...files.map((file) => serverTarget(client, file, launch)))
    }
    if (isHookedClient(client)) {
      const { file, empty } = CLIENT_HOOKS[client]
      targets.push(jsonTarget(file, empty, hookEntries(client, launch)))
    }
    const sandbox = readOnly.length > 0 ? CLIENT_SANDBOXES[client] : undefined
    if (sandbox === undefined) continue
    const { file, empty } = sandbox
    const entries = sandbox.entries(readOnly)
    targets.push(empty === undefined ? textTarget(file, entries) : jsonTarget(file, empty, entries))
  }
  return joinTargets(targets)
}

/**
 * The files of the clients; of several that a client reads, the one that exists, or the first. `readOnly` are the
 * paths that their sandboxes protect.
 */
export const chosenClientTargets = (
  { exists }: OpenedSetup,
  clients: readonly SetupClient[],
  launch: LaunchWords,
  readOnly: readonly string[],
): Promise<TargetFile[]> => {
  const pick: PickFiles = async (files) => {
    for (const file of files) if (await exists(file)) return [file]
    return files.slice(0, 1)
  }
  return clientTargets(clients, launch, pick, readOnly)
}

/** What is or will be there of the files of the gate. In a linked worktree the git folder is elsewhere. */
export const presentGuardPaths = async (
  { exists, places }: OpenedSetup,
  clients: readonly SetupClient[],
  written: readonly TargetFile[],
): Promise<readonly string[]> => {
  const planned = new Set<string>(written.flatMap(({ place, path }) => (place === 'tree' ? [path] : [])))
  for (const client of clients) if (isHookedClient(client)) planned.add(CLIENT_HOOKS[client].file)
  // The list of keys may come any day.
  planned.add(KEYS_FILE)
  const present = GUARD_PATHS.map(async (path) => {
    if (path.startsWith('.git/')) return places.common === `${places.top}/.git` ? [path] : []
    return planned.has(path) || (await exists(path)) ? [path] : []
  })
  return (await Promise.all(present)).flat()
}

const EVIDENCE_LINE = `/${EVIDENCE_FILE}`

/** What hides the state, the evidence and files of this user alone from git in this clone. */
export const ignoreTarget = async (
  { ports, places, lifecycle, signal }: OpenedSetup,
  personal: readonly string[],
) => {
  const { files, git } = lifecycle
  const old = (await files.read(`${places.common}/info/exclude`))?.toString('latin1') ?? ''
  const present = new Set(old.split(/\r?\n/))
  const state = await neededStateLines(ports, present, signal)
  const isHidden = !present.has(EVIDENCE_LINE) && (await git.ignores(EVIDENCE_FILE, signal))
  const isTracked = (await git.tracked([EVIDENCE_FILE], signal)).length > 0
  const evidence = isHidden || isTracked ? [] : [EVIDENCE_LINE]
  return excludeTarget(listLines([...state, ...evidence, ...personal.map((path) => `/${path}`)]))
}

/** A file of ours in the state folder that is committed, created where there is none. */
export const ownFileTarget = (path: string, text: string): TargetFile =>
  textTarget(path, [wholeFile(text, () => false)])

/** All files that may hold something of ours. Those that have no shape of their own only if they are recorded. */
export const everyTarget = async (setup: OpenedSetup, record: SetupRecord | undefined) => {
  const { ports, places, lifecycle } = setup
  const options = { places, files: lifecycle.files, strict: false, program: ports.program }
  const { stateFolder } = ports
  const lines = [...(stateFolder === undefined ? [] : stateLines(stateFolder)), EVIDENCE_LINE]
  const own = [CHECKS_FILE].filter((path) => record?.files.has(path))
  const clients = await clientTargets(SETUP_CLIENT_NAMES, PATH_LAUNCH, async (files) => files, GUARD_PATHS)
  return [
    ...clients,
    ...(await everyHookTarget(options)),
    workflowTarget(''),
    ...own.map((path) => ownFileTarget(path, '')),
    excludeTarget(listLines([...lines, ...clients.map(({ path }) => `/${path}`)])),
  ]
}
