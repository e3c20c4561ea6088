import { execFile } from 'node:child_process'
import type { Clock, Freshness, Repository } from '../kernel/ports.ts'

// The repository is not ours: its configuration must not run programs or take locks on our account.
const SAFE = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']
const STATUS = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal']
const MAX_BYTES = 16 * 1024 * 1024
const MAX_MS = 5_000

const cleanEnvironment = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const kept = Object.entries(environment).filter(([name]) => !name.startsWith('GIT_'))
  return { ...Object.fromEntries(kept), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' }
}

const readStatus = (text: string): Omit<Freshness, 'at'> => {
  const records = text.split('\0')
  const header = (name: string): string | undefined => {
    const prefix = `# branch.${name} `
    return records.find((record) => record.startsWith(prefix))?.slice(prefix.length)
  }
  const head = header('oid')
  const branch = header('head')
  return {
    // A repository without a commit calls its head "(initial)", a detached one its branch "(detached)".
    ...(head !== undefined && head !== '(initial)' && { head }),
    ...(branch !== undefined && branch !== '(detached)' && { branch }),
    dirty: records.some((record) => record !== '' && !record.startsWith('#')),
  }
}

/** What git says of the folder. A folder that is no repository, or a machine without git, is no error. */
export const gitRepository = (root: string, clock: Clock, environment: NodeJS.ProcessEnv): Repository => ({
  freshness: (signal) =>
    new Promise((resolve) => {
      const options = {
        cwd: root,
        env: cleanEnvironment(environment),
        maxBuffer: MAX_BYTES,
        timeout: MAX_MS,
        signal,
      }
      execFile('git', [...SAFE, ...STATUS], options, (failure, stdout) => {
        const at = new Date(clock.now()).toISOString()
        resolve({ ...(failure === null ? readStatus(stdout) : {}), at })
      })
    }),
})
