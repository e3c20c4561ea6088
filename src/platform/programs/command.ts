import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { lstat, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CommandRequest, type CommandResult, MAX_PIPE_BYTES } from '../../gate/checks/check.ts'
import { MAX_OUTPUT_BYTES } from '../../gate/checks/readers/reader.ts'
import { lazyCrypto } from '../../kernel/encoding/crypto.ts'
import { optional } from '../../kernel/optional.ts'
import { readRegularFile } from '../jail/async.ts'
import { atExit, GROUP_MARK, killEverywhere, killGroup } from './process-groups.ts'

/** How many commands run well at a time. */
export const coreCount = (): number => availableParallelism()

const TAIL_BYTES = 8 * 1024
/** A process that left the group may hold the pipes open: they are not waited for longer than this. */
const DRAIN_MS = 500
const WATCH_MS = 250

/** Keeps the start and the end of a stream. The rest is counted and dropped. */
class BoundedOutput {
  readonly #parts: Buffer[] = []
  #kept = 0
  #last = Buffer.alloc(0)
  omitted = 0

  push(part: Buffer): void {
    const room = Math.max(0, MAX_PIPE_BYTES - this.#kept)
    const head = part.subarray(0, room)
    // A copy: a small part of a chunk would keep all of it in memory.
    if (head.length > 0) this.#parts.push(Buffer.from(head))
    this.#kept += head.length
    this.omitted += part.length - head.length
    this.#last = Buffer.concat([this.#last, part.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES)
  }

  get start(): Buffer {
    return Buffer.concat(this.#parts)
  }

  get last(): string {
    return this.#last.toString('utf8')
  }
}

interface CommandPlace {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

type Ended = CommandResult['ended']

interface Outputs {
  readonly stdout: BoundedOutput
  readonly stderr: BoundedOutput
}

/** Waits for the command, or ends it: at its deadline, when `signal` aborts, or when `isTooLarge` says so. */
const execute = (
  { run, timeoutMs }: CommandRequest,
  { cwd, env }: CommandPlace,
  { stdout, stderr }: Outputs,
  isTooLarge: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<Pick<CommandResult, 'ended' | 'exitCode'>> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve({ ended: 'cancelled', exitCode: undefined })
    const mark = lazyCrypto().randomBytes(12).toString('hex')
    const child = spawn(run, {
      cwd,
      env: { ...env, [GROUP_MARK]: mark },
      shell: true,
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    const { pid } = child
    const forget = pid === undefined ? () => {} : atExit(() => killEverywhere(pid, mark))
    let ended: Ended | undefined
    let code: number | null = null
    const closePipes = () => {
      child.stdout.destroy()
      child.stderr.destroy()
    }
    const stop = (reason: Ended) => {
      ended ??= reason
      if (pid !== undefined) killEverywhere(pid, mark)
      closePipes()
    }
    const deadline = setTimeout(() => stop('timeout'), timeoutMs)
    const watch = setInterval(() => {
      void isTooLarge().then((large) => large && stop('size'))
    }, WATCH_MS)
    const cancel = () => stop('cancelled')
    signal.addEventListener('abort', cancel, { once: true })
    child.stdout.on('data', (part: Buffer) => stdout.push(part))
    child.stderr.on('data', (part: Buffer) => stderr.push(part))
    let drain: NodeJS.Timeout | undefined
    const finish = () => {
      clearTimeout(deadline)
      clearTimeout(drain)
      clearInterval(watch)
      signal.removeEventListener('abort', cancel)
      forget()
      resolve({ ended: ended ?? (code === null ? 'killed' : 'exit'), exitCode: code ?? undefined })
    }
    child.once('error', finish)
    child.once('exit', (exitCode) => {
      code = ended === undefined ? exitCode : null
      // What it left running in its group would go on without a deadline. Daemons have a group of their own.
      if (pid !== undefined) killGroup(pid)
      drain = setTimeout(closePipes, DRAIN_MS)
    })
    child.once('close', finish)
  })

/**
 * Runs a command line by a shell, in a process group of its own and within limits of time and output. It gets `env`
 * and nothing else. Its file `$OUT` is in a private folder, which is removed afterwards.
 */
export const runCommand = async (
  request: CommandRequest,
  { cwd, env }: CommandPlace,
  signal: AbortSignal,
): Promise<CommandResult> => {
  const folder = request.writesFile ? await mkdtemp(join(tmpdir(), 'warrant-check-')) : undefined
  const forget =
    folder === undefined ? () => {} : atExit(() => rmSync(folder, { recursive: true, force: true }))
  try {
    const path = folder === undefined ? undefined : join(folder, 'out')
    const isTooLarge = async () =>
      path !== undefined && ((await lstat(path).catch(() => undefined))?.size ?? 0) > MAX_OUTPUT_BYTES
    const outputs = { stdout: new BoundedOutput(), stderr: new BoundedOutput() }
    const place = { cwd, env: { ...env, ...optional({ OUT: path }) } }
    const started = performance.now()
    const end = await execute(request, place, outputs, isTooLarge, signal)
    const ms = Math.round(performance.now() - started)
    const ended = end.ended === 'exit' && (await isTooLarge()) ? 'size' : end.ended
    const { stdout, stderr } = outputs
    return {
      ...end,
      ended,
      stdout: stdout.start,
      omitted: stdout.omitted,
      lastOutput: stdout.last,
      lastErrors: stderr.last,
      file:
        path === undefined || ended === 'size'
          ? undefined
          : await readRegularFile(path, MAX_OUTPUT_BYTES).catch(() => undefined),
      ms,
    }
  } finally {
    forget()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}
