import { type ExecFileException, execFile } from 'node:child_process'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gateEnvironment } from './gate.ts'

export interface Ended {
  readonly status: number
  readonly said: string
}

/** A repository, and the state folder of its user, which are kept and put back together. */
interface MachineState {
  readonly repo: string
  readonly state: string
}

/** Runs a program there to its end. */
export const runThere = (
  { repo, state }: MachineState,
  program: string,
  words: readonly string[],
): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { cwd: repo, env: gateEnvironment({ XDG_STATE_HOME: state }), timeout: 120_000 }
    execFile(program, words, options, (error: ExecFileException | null, stdout, stderr) => {
      const status = error === null ? 0 : Number(error.code ?? -1)
      resolve({ status, said: `${stdout}${stderr}` })
    })
  })

export const keepState = (machine: MachineState, to: string): void => {
  for (const [name, folder] of Object.entries(machine)) cpSync(folder, join(to, name), { recursive: true })
}

/** Puts the files back into the same folders: what this machine remembers of a log is by the folder's number. */
export const restoreState = (machine: MachineState, from: string): void => {
  for (const [name, folder] of Object.entries(machine)) {
    for (const entry of readdirSync(folder)) rmSync(join(folder, entry), { recursive: true, force: true })
    cpSync(join(from, name), folder, { recursive: true })
  }
}
