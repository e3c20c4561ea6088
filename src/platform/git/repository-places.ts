import { resolve } from 'node:path'
import type { LifecycleGit, RepositoryPlaces } from '../../gate/ports.ts'
import { followLinks } from '../files/git-metadata.ts'
import { runProgram } from '../programs/program.ts'
import { cleanEnvironment } from './run.ts'

const MAX_MS = 10_000
const MAX_BYTES = 16 * 1024 * 1024
// The hooks folder is what we ask for, so that setting alone must stay as the repository has it.
const SAFE = ['--no-optional-locks', '-c', 'core.fsmonitor=false']
const MODULES = [':(glob)**/node_modules/**']

const readPlaces = async (root: string, said: string): Promise<RepositoryPlaces | undefined> => {
  const lines = said.split('\n')
  const [top = '', common = '', hooks = ''] = lines
  // A path with a newline in it cannot be told from two; better none than the wrong one.
  if (lines.length !== 4 || top === '') return undefined
  return {
    top: await followLinks(top),
    common: await followLinks(resolve(root, common)),
    hooks: await followLinks(resolve(root, hooks)),
  }
}

export const lifecycleGit = (root: string, environment: NodeJS.ProcessEnv): LifecycleGit => {
  const git = (args: readonly string[], signal: AbortSignal, cwd = root) =>
    runProgram('git', [...SAFE, ...args], {
      cwd,
      env: cleanEnvironment(environment),
      ms: MAX_MS,
      bytes: MAX_BYTES,
      signal,
    })
  const listed = async (paths: readonly string[], signal: AbortSignal) => {
    const answer = await git(['ls-files', '-z', '--', ...paths], signal)
    return (answer?.stdout ?? '').split('\0').filter((path) => path !== '')
  }
  return {
    async places(signal) {
      const ask = ['rev-parse', '--show-toplevel', '--git-common-dir', '--git-path', 'hooks']
      const answer = await git(ask, signal)
      return answer?.exitCode === 0 ? readPlaces(root, answer.stdout) : undefined
    },
    trackedModules: async (signal) => (await listed(MODULES, signal)).length,
    tracked: (paths, signal) => listed(paths, signal),
    ignores: async (path, signal) => (await git(['check-ignore', '-q', '--', path], signal))?.exitCode === 0,
  }
}
