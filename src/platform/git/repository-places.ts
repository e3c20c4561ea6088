import { resolve } from 'node:path'
import type { LifecycleGit, RepositoryPlaces } from '../../setup/git-hooks/ports.ts'
import { followLinks } from '../files/git-metadata.ts'
import { runProgram } from '../programs/program.ts'
import { findPlace, type GitStart } from './place.ts'
import { gitOptions } from './run.ts'

const MAX_MS = 10_000
const MAX_BYTES = 16 * 1024 * 1024
// Without `core.hooksPath`: the configured hooks folder is what is asked for.
const HOOK_SAFE_CONFIG = ['--no-optional-locks', '-c', 'core.fsmonitor=false']
const MODULES = [':(glob)**/node_modules/**']

const parsePlaces = async (root: string, output: string): Promise<RepositoryPlaces | undefined> => {
  const lines = output.split('\n')
  const [top = '', common = '', hooks = ''] = lines
  // A path with a newline makes the output ambiguous.
  if (lines.length !== 4 || top === '') return undefined
  return {
    top: await followLinks(top),
    common: await followLinks(resolve(root, common)),
    hooks: await followLinks(resolve(root, hooks)),
  }
}

export const lifecycleGit = (start: GitStart): LifecycleGit => {
  const { folder: root } = start
  const git = async (args: readonly string[], signal: AbortSignal) => {
    const place = await findPlace(start, signal)
    if (place === undefined) return undefined
    const limits = { ms: MAX_MS, bytes: MAX_BYTES, signal }
    return runProgram('git', [...HOOK_SAFE_CONFIG, ...args], { ...gitOptions(place), ...limits })
  }
  const listTracked = async (paths: readonly string[], signal: AbortSignal) => {
    const result = await git(['ls-files', '-z', '--', ...paths], signal)
    return (result?.stdout ?? '').split('\0').filter((path) => path !== '')
  }
  return {
    async places(signal) {
      const args = ['rev-parse', '--show-toplevel', '--git-common-dir', '--git-path', 'hooks']
      const result = await git(args, signal)
      return result?.exitCode === 0 ? parsePlaces(root, result.stdout) : undefined
    },
    trackedModules: async (signal) => (await listTracked(MODULES, signal)).length,
    tracked: (paths, signal) => listTracked(paths, signal),
    ignores: async (path, signal) => (await git(['check-ignore', '-q', '--', path], signal))?.exitCode === 0,
  }
}
