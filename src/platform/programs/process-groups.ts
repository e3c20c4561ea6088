import { readdirSync, readFileSync } from 'node:fs'

/** `node:child_process`, loaded with the first program: most events of an agent start none. */
export const childProcess = () => process.getBuiltinModule('node:child_process')

/** What is done when this process exits, unless it is taken back before. */
const tasks = new Set<() => void>()
let registered = false

/** Registers a task for the exit of this process, and returns what takes it back. */
export const atExit = (task: () => void): (() => void) => {
  if (!registered) {
    registered = true
    process.once('exit', () => {
      for (const one of tasks) one()
    })
  }
  tasks.add(task)
  return () => tasks.delete(task)
}

/** Marks the processes of a command, wherever they went. No name of ours: Warrant refuses unknown WARRANT_ variables. */
export const GROUP_MARK = 'CHECK_RUN_ID'

/** Processes with the mark in their environment. Only Linux shows it. */
const findMarked = (mark: string): number[] => {
  if (process.platform !== 'linux') return []
  const entry = `${GROUP_MARK}=${mark}`
  const isMarked = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(entry)
    } catch {
      // It has ended, or belongs to another user.
      return false
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isMarked(name))
    .map(Number)
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has exited already.
  }
}

/** Kills the process group of a program: it may be a shell script with children. */
export const killGroup = (pid: number): void => kill(-pid)

/** Also kills processes that left the group, as daemons do, by their mark. */
export const killEverywhere = (pid: number, mark: string): void => {
  killGroup(pid)
  // A process that starts others while it is looked for is found in the second round.
  for (let round = 0; round < 2; round++) for (const found of findMarked(mark)) kill(found)
}
