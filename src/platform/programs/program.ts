import { delimiter, isAbsolute } from 'node:path'
import type { ProgramResult } from '../../gate/ports.ts'
import { atExit, childProcess, killGroup } from './process-groups.ts'

interface ProgramOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly ms: number
  /** Limit of its output; a program that writes more is killed. */
  readonly bytes: number
  readonly signal?: AbortSignal
  /** Standard input; empty by default. */
  readonly input?: string
}

/** PATH without relative entries, which would be looked up in the repository. */
export const absolutePath = (path = ''): string =>
  path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .join(delimiter)

/** Runs a program without a shell, within limits of time and output. Undefined when it cannot be started. */
export const runProgram = (
  command: string,
  args: readonly string[],
  { cwd, env, ms, bytes, signal, input }: ProgramOptions,
): Promise<ProgramResult | undefined> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve(undefined)
    const stdin = input === undefined ? 'ignore' : 'pipe'
    const child = childProcess().spawn(command, args, {
      cwd,
      env,
      detached: true,
      stdio: [stdin, 'pipe', 'pipe'],
    })
    // EPIPE is ignored: the program may exit without reading stdin.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
    const { pid } = child
    const output: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
    let size = 0
    let cut: ProgramResult['cut']
    const forget = pid === undefined ? () => {} : atExit(() => killGroup(pid))
    const stop = (reason: ProgramResult['cut']) => {
      cut ??= reason
      if (pid !== undefined) killGroup(pid)
      // A grandchild in another process group may keep the pipes open: do not wait for it.
      child.stdout?.destroy()
      child.stderr?.destroy()
    }
    const timer = setTimeout(() => stop('time'), ms)
    const abort = () => stop('time')
    signal?.addEventListener('abort', abort, { once: true })
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.on('data', (part: Buffer) => {
        size += part.length
        if (size <= bytes) output[name].push(part)
        else stop('size')
      })
    }
    const finish = (result: ProgramResult | undefined) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      forget()
      resolve(result)
    }
    child.once('error', () => finish(undefined))
    child.once('close', (code) => {
      const text = (name: 'stdout' | 'stderr') => Buffer.concat(output[name]).toString('utf8')
      finish({ exitCode: code ?? undefined, stdout: text('stdout'), stderr: text('stderr'), cut })
    })
  })
