import { spawn } from 'node:child_process'
import { delimiter, isAbsolute } from 'node:path'
import type { ProgramResult } from '../../gate/ports.ts'

export interface ProgramOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly ms: number
  /** Most that is kept of what it says; one that says more is ended. */
  readonly bytes: number
  readonly signal?: AbortSignal
  /** What it hears on its standard input; nothing unless it is said. */
  readonly input?: string
}

/** A relative entry would be looked up in the repository. */
export const absolutePath = (path = ''): string =>
  path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .join(delimiter)

const running = new Set<number>()

const endGroup = (pid: number): void => {
  try {
    // A validator may be a shell script with children of its own: the whole group goes.
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

let watching = false
/** Nothing we started outlives us. */
const watchExit = (): void => {
  if (watching) return
  watching = true
  process.once('exit', () => {
    for (const pid of running) endGroup(pid)
  })
}

/** Runs a program without a shell, for so long and for so many bytes. Undefined when it cannot be started. */
export const runProgram = (
  command: string,
  args: readonly string[],
  { cwd, env, ms, bytes, signal, input }: ProgramOptions,
): Promise<ProgramResult | undefined> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve(undefined)
    watchExit()
    const heard = input === undefined ? 'ignore' : 'pipe'
    const child = spawn(command, args, { cwd, env, detached: true, stdio: [heard, 'pipe', 'pipe'] })
    // Whether it listens is its own affair.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
    const { pid } = child
    const kept: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
    let size = 0
    let cut: ProgramResult['cut']
    if (pid !== undefined) running.add(pid)
    const stop = (why: ProgramResult['cut']) => {
      cut ??= why
      if (pid !== undefined) endGroup(pid)
      // A grandchild in a group of its own may hold the pipes open; we do not wait for it.
      child.stdout?.destroy()
      child.stderr?.destroy()
    }
    const timer = setTimeout(() => stop('time'), ms)
    const abort = () => stop('time')
    signal?.addEventListener('abort', abort, { once: true })
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.on('data', (part: Buffer) => {
        size += part.length
        if (size <= bytes) kept[name].push(part)
        else stop('size')
      })
    }
    const finish = (result: ProgramResult | undefined) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      if (pid !== undefined) running.delete(pid)
      resolve(result)
    }
    child.once('error', () => finish(undefined))
    child.once('close', (code) => {
      const text = (name: 'stdout' | 'stderr') => Buffer.concat(kept[name]).toString('utf8')
      finish({ exitCode: code ?? undefined, stdout: text('stdout'), stderr: text('stderr'), cut })
    })
  })
