import { basename } from 'node:path'
import { keysOf } from '../../kernel/keys-of.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { readHomeFile } from '../../platform/files/setup-files.ts'
import type { ScratchClone } from '../../platform/git/scratch-clone.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { findProgram } from '../../platform/programs/client-signs.ts'
import { runProgram } from '../../platform/programs/program.ts'
import { trustedPath } from '../../platform/programs/trusted-path.ts'
import { CLIENT_HOOKS, type HookedClient } from '../../setup/client-hooks.ts'
import { SETUP_CLIENTS } from '../../setup/clients.ts'
import type { LaunchWords } from '../../setup/launch.ts'
import { type Canary, type CanaryEvent, canaryEvents } from './canary-events.ts'
import { fireEffects } from './fire-effects.ts'
import { fireSandbox } from './fire-sandbox.ts'
import {
  type ClientTrust,
  disablesEveryHook,
  findHookLine,
  type HookLine,
  readCodexTrust,
  readGeminiTrust,
} from './hook-line.ts'
import { type CanaryRow, isFailedCanary, type ReadAnswer, readAnswer } from './read-answer.ts'

const MAX_BYTES = 1024 * 1024
const VERSION_MS = 5_000
const HOOK_MS = 20_000
/** Time for a busy machine, when the line itself was too late. */
const LARGER_BUDGET = '--budget 9000'
const INIT = 'Run `warrant init`.'

export interface FireContext {
  readonly root: string
  readonly clone: ScratchClone
  readonly canary: Canary
  readonly signal: AbortSignal
}

const readInRepository = async (root: string, path: string): Promise<string | undefined> => {
  const bytes = await repositoryFiles(root)
    .read(path, MAX_BYTES)
    .catch(() => undefined)
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8')
}

/** The version that the program of a client prints. Programs of the repository are not asked. */
const clientVersion = async (client: HookedClient, { root, clone, signal }: FireContext) => {
  const path = trustedPath(process.env.PATH, root)
  for (const name of SETUP_CLIENTS[client].programs) {
    const program = await findProgram(name, path)
    if (program === undefined) continue
    const options = { cwd: clone.base, env: { ...process.env, PATH: path }, ms: VERSION_MS, bytes: 65_536 }
    const result = await runProgram(program, ['--version'], { ...options, signal })
    return /\d+\.\d+\.\d+/.exec(result?.stdout ?? '')?.[0]
  }
  return undefined
}

const BLOCKING_FAILURE = [2, 1, 295] as const

const isOlder = (version: string, than: readonly number[]): boolean => {
  const parts = version.split('.').map(Number)
  const at = than.findIndex((part, index) => part !== parts[index])
  return at !== -1 && (parts[at] ?? 0) < (than[at] ?? 0)
}

const describeVersion = (client: HookedClient, version: string | undefined): string => {
  if (version === undefined) return 'not on the PATH'
  const goesOn = client === 'claude' && isOlder(version, BLOCKING_FAILURE)
  return goesOn ? `version ${version}, which goes on when the hook fails` : `version ${version}`
}

const readTrust = async (client: HookedClient, root: string): Promise<ClientTrust> => {
  if (client === 'codex') return readCodexTrust(await readHomeFile('.codex/config.toml'), root)
  if (client === 'gemini') {
    const [folders, settings] = ['.gemini/trustedFolders.json', '.gemini/settings.json'].map(readHomeFile)
    return readGeminiTrust(await folders, await settings, root)
  }
  return 'unknown'
}

/** Whether settings of the user or of this clone switch the hooks off. */
const isSwitchedOff = async (client: HookedClient, root: string): Promise<boolean> => {
  const files =
    client === 'claude'
      ? [readInRepository(root, '.claude/settings.local.json'), readHomeFile('.claude/settings.json')]
      : client === 'gemini'
        ? [readHomeFile('.gemini/settings.json')]
        : []
  const texts = await Promise.all(files)
  return texts.some((text) => {
    try {
      return text !== undefined && disablesEveryHook(JSON.parse(text))
    } catch {
      return false
    }
  })
}

/** Why a line is not started, though it has the shape of ours: a repository must not bring a program. */
const launchProblem = async (launch: LaunchWords, root: string): Promise<string | undefined> => {
  const [first = '', program = ''] = launch
  if (launch.length === 1)
    return (await findProgram('warrant', process.env.PATH ?? '')) === undefined
      ? '`warrant` is not on the PATH'
      : undefined
  if (first === 'npx') return undefined
  if (!/^node(?:\.exe)?$/.test(basename(first)) || isPathInside(root, program))
    return 'its line starts a program of the repository'
  return undefined
}

const start = (command: string, { input }: CanaryEvent, { clone }: FireContext) =>
  clone.run('sh', ['-c', command], { input, ms: HOOK_MS })

const ask = async (
  client: HookedClient,
  command: string,
  event: CanaryEvent,
  context: FireContext,
): Promise<ReadAnswer> => {
  const result = await start(command, event, context)
  return result === undefined ? 'none' : readAnswer(client, result)
}

/** Effects of what no hook saw, by the answer to the next event. */
const fireAfter = async (
  client: HookedClient,
  command: string,
  context: FireContext,
): Promise<Omit<CanaryRow, 'point'>> => {
  const { clone, canary } = context
  const [clean] = canaryEvents(client, clone.folder, canary)
  const next = async () =>
    (clean && (await start(`${command} ${LARGER_BUDGET}`, clean, context)))?.stdout ?? ''
  const { found, missed } = await fireEffects(clone, CLIENT_HOOKS[client].file, next)
  const all = found.length + missed.length
  if (missed.length === 0)
    return { result: 'found', detail: `${all} of ${all} bypasses that no hook saw`, found }
  return {
    result: 'not found',
    detail: `${missed.length} of ${all} bypasses: ${missed.join(', ')}`,
    found,
    fix: 'Run `warrant doctor`: without the git hooks, and with another program in them, nothing is compared.',
  }
}

interface FiredLine {
  /** What was answered otherwise than expected. */
  readonly wrong: readonly string[]
  readonly late: boolean
}

const fireLine = async (client: HookedClient, command: string, context: FireContext): Promise<FiredLine> => {
  const wrong: string[] = []
  let late = false
  for (const event of canaryEvents(client, context.clone.folder, context.canary)) {
    let answer = await ask(client, command, event, context)
    if (answer === 'late') {
      late = true
      answer = await ask(client, `${command} ${LARGER_BUDGET}`, event, context)
    }
    if (answer !== event.expected)
      wrong.push(`${event.what}: ${answer === 'none' ? 'no valid answer' : answer}`)
  }
  return { wrong, late }
}

const PROBLEMS: Readonly<Record<'after' | 'edited' | 'off', Omit<CanaryRow, 'point'>>> = {
  after: {
    result: 'reports only',
    detail: 'the entry before a tool is missing, so nothing is refused',
    fix: INIT,
  },
  edited: {
    result: 'does not block',
    detail: 'the entry before a tool is not the one that `warrant init` writes; its line was not started',
    fix: 'Remove that entry and run `warrant init`.',
  },
  off: {
    result: 'does not block',
    detail: 'the settings switch all hooks off',
    fix: 'Remove disableAllHooks or hooksConfig.enabled from the settings of the client.',
  },
}

type PresentLine = Extract<HookLine, { state: 'present' }>

const firePresent = async (
  client: HookedClient,
  { command, launch }: PresentLine,
  context: FireContext,
): Promise<Omit<CanaryRow, 'point'>> => {
  const { root } = context
  const problem = await launchProblem(launch, root)
  if (problem !== undefined) return { result: 'does not block', detail: problem, fix: INIT }
  const { wrong, late } = await fireLine(client, command, context)
  const version = describeVersion(client, await clientVersion(client, context))
  if (wrong.length > 0)
    return {
      result: 'does not block',
      detail: `${wrong.join('; ')}; ${version}`,
      fix: `Run \`${command}\` with an event on stdin, or \`warrant doctor\`, to see why.`,
    }
  const slow = late ? '; an answer took longer than a second, and such a call is refused' : ''
  const detail = `refuses a credential and --no-verify; ${version}${slow}`
  const trust = await readTrust(client, root)
  if (trust === 'untrusted')
    return {
      result: 'skipped until trusted',
      detail,
      fix: `Start ${client} here, and trust the folder and its hooks.`,
    }
  if (trust === 'unknown' && (client === 'codex' || client === 'gemini'))
    return {
      result: 'cannot be shown',
      detail: `${detail}; what it trusts cannot be read`,
      fix: `Start ${client} here, and trust the folder and its hooks.`,
    }
  return { result: 'blocks', detail }
}

const fireClient = async (client: HookedClient, context: FireContext): Promise<CanaryRow[]> => {
  const { file } = CLIENT_HOOKS[client]
  const text = await readInRepository(context.root, file)
  if (text === undefined) return []
  const point = `agent ${client}`
  const line = await findHookLine(client, text)
  if (line.state === 'absent') return []
  if (line.state === 'unreadable')
    return [
      {
        point,
        result: 'does not block',
        detail: `${file}: ${line.why}`,
        fix: 'Repair the file, and run `warrant init`.',
      },
    ]
  if (line.state !== 'present') return [{ point, ...PROBLEMS[line.state] }]
  if (await isSwitchedOff(client, context.root)) return [{ point, ...PROBLEMS.off }]
  const row = { point, ...(await firePresent(client, line, context)) }
  if (isFailedCanary(row)) return [row]
  const sandbox = await fireSandbox(client, context.clone, (path) => readInRepository(context.root, path))
  return [row, ...sandbox, { point: `after ${client}`, ...(await fireAfter(client, line.command, context)) }]
}

/** Each client whose file has an entry of ours. */
export const fireClients = async (context: FireContext): Promise<CanaryRow[]> => {
  const rows: CanaryRow[] = []
  for (const client of keysOf(CLIENT_HOOKS)) rows.push(...(await fireClient(client, context)))
  if (rows.length > 0) return rows
  return [
    { point: 'agents', result: 'not set up', detail: 'no file of a client has an entry of ours', fix: INIT },
  ]
}
