import { digestJson } from '../../kernel/encoding/hash.ts'
import type { FindingDraft } from '../findings/drafts.ts'
import type { TreeEntry } from '../ports.ts'
import {
  type Check,
  type CheckConsent,
  type CheckPorts,
  type CommandResult,
  type RequiredCheck,
  writesFile,
} from './check.ts'
import { type CheckProblem, commandProblem, describeEnd, oneLine, problemDraft } from './check-problems.ts'
import { digestInputs } from './check-tree.ts'
import { CHECK_READERS } from './readers/check-readers.ts'
import { type CheckOutput, CheckUnreadable } from './readers/reader.ts'

/** The most results of a check that are kept. */
const MAX_RESULTS = 5_000
const VERSION_MS = 20_000
const MAX_VERSION = 80

/** What a check gave: an output that was read, or the finding that says why there is none. */
export type CheckRun = {
  readonly consent?: CheckConsent
  readonly ms?: number
  readonly cached?: boolean
} & (
  | { readonly output: CheckOutput; readonly version?: string | undefined }
  | { readonly problem: CheckProblem; readonly draft: FindingDraft }
)

export interface RunContext {
  readonly ports: CheckPorts
  /** The files of the working tree, read once for all checks before they run. */
  readonly files: () => Promise<readonly TreeEntry[]>
  /** The files as they are now. */
  readonly presentFiles: () => Promise<readonly TreeEntry[]>
  readonly signal: AbortSignal
}

interface ReadInput {
  readonly check: Check
  readonly bytes: Uint8Array
  readonly root: string
  readonly exitCode: number | undefined
}

/** Reads bytes in the format of a check. Throws `CheckUnreadable`. */
export const readResults = async ({ check, bytes, root, exitCode }: ReadInput): Promise<CheckOutput> => {
  const read = await CHECK_READERS[check.reads]()
  return read({ bytes, root, folder: root, exitCode, limits: { results: MAX_RESULTS } })
}

const failed = (check: Check, problem: CheckProblem, message: string, fix: string): CheckRun => ({
  problem,
  draft: problemDraft(check, problem, { message, fix }),
})

const REPEAT = 'Run the command yourself to see what it writes, then correct it or the member `reads`.'

/** What a check writes for its reader: the file `$OUT`, stdout, or for `exit` the last lines of both pipes. */
const bytesOf = (check: Check, result: CommandResult): Uint8Array => {
  if (check.reads === 'exit') return Buffer.from(`${result.lastOutput}\n${result.lastErrors}`)
  if (!writesFile(check)) {
    if (result.omitted === 0) return result.stdout
    throw new CheckUnreadable(
      `it wrote ${result.omitted + result.stdout.length} bytes to stdout, more than are read; have it write to $OUT`,
    )
  }
  if (result.file === undefined) throw new CheckUnreadable('it wrote no file $OUT')
  return result.file
}

/** Judges how a command ended and reads what it wrote. */
const readCommand = async (check: Check, result: CommandResult, root: string): Promise<CheckRun> => {
  const draft = commandProblem(check, result)
  const problem = draft?.ruleId.replace('gate.check-', '') as CheckProblem
  if (draft !== undefined) return { problem, draft }
  const { exitCode } = result
  try {
    const output = await readResults({ check, bytes: bytesOf(check, result), root, exitCode })
    if (exitCode === 0 || output.results.length > 0) return { output }
    const message = `The check ${check.name} failed without a result that says why: it ${describeEnd(result)}.`
    return failed(check, 'failed', message, REPEAT)
  } catch (thrown) {
    if (!(thrown instanceof CheckUnreadable)) throw thrown
    const why = oneLine(thrown.message)
    const message = `The output of the check ${check.name} cannot be read as ${check.reads}: ${why}. It ${describeEnd(result)}.`
    return failed(check, 'unreadable', message, REPEAT)
  }
}

const readVersion = async (check: Check, { ports, signal }: RunContext): Promise<string | undefined> => {
  const { version: run, env } = check
  if (run === undefined) return undefined
  const request = { run, env, timeoutMs: VERSION_MS, writesFile: false }
  const { exitCode, stdout } = await ports.runCommand(request, signal)
  const [line = ''] = Buffer.from(stdout.subarray(0, 1_000)).toString('utf8').trim().split('\n')
  const [number] = /\d+(?:\.\d+)+[\w.+-]*/.exec(line) ?? [line]
  return exitCode === 0 && number !== '' ? oneLine(number, MAX_VERSION) : undefined
}

/** The command, what it depends on, and how it is read. Undefined for a check whose inputs are not declared. */
const cacheKey = async (
  check: Check,
  version: string | undefined,
  { ports }: RunContext,
  files: () => Promise<readonly TreeEntry[]>,
): Promise<string | undefined> => {
  const { run, reads, env, paths } = check
  if (paths === undefined || version === undefined) return undefined
  const environment = ports.environmentDigest(env)
  const inputs = digestInputs(check, await files())
  return digestJson({ format: 1, root: ports.root, run, reads, version, environment, inputs })
}

/** Runs a check that was allowed, or takes its results from the cache when nothing it depends on has changed. */
const runAllowed = async (check: Check, context: RunContext): Promise<CheckRun> => {
  const { ports, signal } = context
  const { run, env, timeoutMs } = check
  const isCached = check.paths !== undefined && check.version !== undefined
  // Without a cache the version is only told, so the check does not wait for it.
  const asked = readVersion(check, context)
  const key = isCached ? await cacheKey(check, await asked, context, context.files) : undefined
  const known = key === undefined ? undefined : await ports.cache.read(key)
  if (known !== undefined) return { output: known, version: await asked, cached: true }
  const request = { run, env, timeoutMs, writesFile: writesFile(check) }
  const [result, version] = await Promise.all([ports.runCommand(request, signal), asked])
  signal.throwIfAborted()
  const read = await readCommand(check, result, ports.root)
  const isUnchanged = async () => key === (await cacheKey(check, version, context, context.presentFiles))
  // A file that changed while the check ran leaves open which version it saw.
  if ('output' in read && key !== undefined && (await isUnchanged()))
    await ports.cache.write(key, read.output)
  return { ...read, ...('output' in read && { version }), ms: result.ms }
}

const SHOWN_DIGEST = 'sha256:'.length + 12

const notAllowed = ({ check, digests, ofBase }: RequiredCheck): CheckRun => {
  const [digest = ''] = digests
  const version = ofBase
    ? 'the version of .warrant/checks.yml before the change'
    : 'this version of .warrant/checks.yml'
  return failed(
    check,
    'not-allowed',
    `The check ${check.name} was not run: no person allowed ${version} (${digest.slice(0, SHOWN_DIGEST)}…).`,
    'A person reads the commands and allows them in a terminal: warrant checks allow. A workflow of CI names the digest that `warrant checks list` shows: warrant gate --allow-checks DIGEST',
  )
}

/** The check may be gone from the file that its user has open. */
const nameBase = <T extends { readonly draft: FindingDraft }>(run: T): T => ({
  ...run,
  draft: {
    ...run.draft,
    message: `${run.draft.message} It is the version of the check before the change, which judges the change too.`,
  },
})

export const runCheck = async (required: RequiredCheck, context: RunContext): Promise<CheckRun> => {
  const { refusal } = context.ports
  if (refusal !== undefined) {
    const message = `The check ${required.check.name} was not run: ${refusal}.`
    return failed(
      required.check,
      'not-allowed',
      message,
      'Run the gate without that mode, or import the results.',
    )
  }
  const consent = await context.ports.consent(required.digests)
  if (consent === undefined) return notAllowed(required)
  const run = await runAllowed(required.check, context)
  return { ...(required.ofBase && 'draft' in run ? nameBase(run) : run), consent }
}
