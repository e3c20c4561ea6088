import { rmSync } from 'node:fs'
import { copyFile, cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { ProgramResult } from '../../gate/ports.ts'
import { optional } from '../../kernel/optional.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { requireNoSymlinks } from '../files/no-symlinks.ts'
import { atExit } from '../programs/process-groups.ts'
import { runProgram } from '../programs/program.ts'
import { gitFaults } from './run.ts'

/** A repository to be copied. */
interface CloneSource {
  readonly top: string
  /** The git folder that all its working trees share. */
  readonly common: string
  /** The folder in which git looks for hooks. */
  readonly hooks: string
  /** Paths that are copied as they are now, committed or not. */
  readonly present: readonly string[]
}

const GIT_MS = 120_000
const BYTES = 4 * 1024 * 1024
const AUTHOR = { NAME: 'Warrant', EMAIL: 'canary@warrant.invalid' }

/** What leads to another repository, to the log or to the keys of this one. */
const REDIRECTING =
  /^(?:GIT_(?!CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$|EXEC_PATH$)|WARRANT_(?:ROOT|STORE|STATE_DIR|SIGNING_KEY|SIGNER|EXPORT_ROOT)$)/

/** Without hooks. */
const NO_HOOKS = ['-c', 'core.hooksPath=/dev/null']

/**
 * A copy of a repository in a private folder, with the hooks that git starts there. Programs that run in it have a state
 * folder of their own. Nothing is written to the repository; `remove` leaves nothing behind.
 */
export class ScratchClone {
  readonly base: string
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  readonly #signal: AbortSignal
  readonly #forget: () => void

  private constructor(base: string, environment: NodeJS.ProcessEnv, signal: AbortSignal) {
    this.base = base
    this.folder = join(base, 'repository')
    this.#signal = signal
    this.#forget = atExit(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }))
    const kept = Object.entries(environment).filter(([name]) => !REDIRECTING.test(name))
    const names = ['AUTHOR', 'COMMITTER'].flatMap((role) =>
      Object.entries(AUTHOR).map(([name, value]) => [`GIT_${role}_${name}`, value]),
    )
    this.environment = {
      ...Object.fromEntries([...kept, ...names]),
      XDG_STATE_HOME: join(base, 'state'),
      LOCALAPPDATA: join(base, 'state'),
      WARRANT_STATE_DIR: '.warrant',
      WARRANT_STORE: join(this.folder, '.warrant', 'canary.db'),
      GIT_TERMINAL_PROMPT: '0',
      GIT_LFS_SKIP_SMUDGE: '1',
    }
  }

  /** The result has no `folder` on disk before `fill`, so that a copy that fails can be removed as well. */
  static async create(environment: NodeJS.ProcessEnv, signal: AbortSignal): Promise<ScratchClone> {
    const base = await realpath(await mkdtemp(join(tmpdir(), 'warrant-canary-')))
    return new ScratchClone(base, environment, signal)
  }

  async fill({ top, common, hooks, present }: CloneSource): Promise<void> {
    await this.#need(this.base, 'clone', '-q', '--local', '--no-tags', '--single-branch', top, this.folder)
    await this.#need(this.folder, 'remote', 'remove', 'origin')
    await this.#need(this.folder, 'config', 'commit.gpgsign', 'false')
    await this.#copyPresent(top, present)
    await this.#linkModules(top)
    await this.#copyHooks(top, common, hooks)
    const bare = join(this.base, 'remote.git')
    await this.#need(this.base, 'clone', '-q', '--bare', '--local', this.folder, bare)
    await this.#need(this.folder, 'remote', 'add', 'origin', bare)
    await this.#need(this.folder, 'fetch', '-q', 'origin')
  }

  /** A folder of the copy. A link that is committed in its place could lead out of it. */
  #inside(path: string): string {
    return requireNoSymlinks(this.folder, path)
  }

  async #copyPresent(top: string, present: readonly string[]): Promise<void> {
    for (const path of present) {
      await mkdir(this.#inside(dirname(path)), { recursive: true })
      // A path that was deleted is deleted here as well; links are not followed.
      await rm(join(this.folder, path), { force: true })
      await cp(join(top, path), join(this.folder, path), { verbatimSymlinks: true }).catch(() => {})
    }
    if (present.length === 0) return
    await this.#need(this.folder, 'add', '-A', '-f', '--', ...present)
    await this.git(...NO_HOOKS, 'commit', '-q', '-m', 'the present files')
  }

  /** A link for each package: a hook that starts one finds it, and caches beside them are not shared. */
  async #linkModules(top: string): Promise<void> {
    const from = join(top, 'node_modules')
    const names = await readdir(from).catch(() => [])
    if (names.length === 0) return
    const to = this.#inside('node_modules')
    await mkdir(to, { recursive: true })
    for (const name of names.filter((one) => one === '.bin' || !one.startsWith('.')))
      await symlink(join(from, name), join(to, name)).catch(() => {})
    await writeFile(join(this.folder, '.git', 'info', 'exclude'), '/node_modules\n', { flag: 'a' })
  }

  /** At the same place in the copy; a folder outside of the repository is used where it is. */
  async #copyHooks(top: string, common: string, hooks: string): Promise<void> {
    const inTree = isPathInside(top, hooks) && !isPathInside(common, hooks)
    const own = inTree || isPathInside(common, hooks)
    const target = this.#inside(inTree ? relative(top, hooks) : join('.git', 'hooks'))
    if (own) {
      await mkdir(target, { recursive: true })
      for (const entry of await readdir(hooks, { withFileTypes: true }).catch(() => [])) {
        if (entry.isDirectory()) continue
        await rm(join(target, entry.name), { force: true })
        // A hook may be a link to a script; one that leads nowhere is no hook.
        await copyFile(join(hooks, entry.name), join(target, entry.name)).catch(() => {})
      }
    }
    await this.#need(this.folder, 'config', 'core.hooksPath', own ? target : hooks)
  }

  /** Git in the copy, with its hooks. */
  git(...args: readonly string[]): Promise<ProgramResult | undefined> {
    return this.run('git', args)
  }

  /** A program in the copy. Undefined when it cannot be started. */
  run(
    command: string,
    args: readonly string[],
    { input, ms = GIT_MS }: { readonly input?: string; readonly ms?: number } = {},
  ): Promise<ProgramResult | undefined> {
    return this.#runIn(this.folder, command, args, ms, input)
  }

  #runIn(cwd: string, command: string, args: readonly string[], ms: number, input?: string) {
    const options = { cwd, env: this.environment, ms, bytes: BYTES, signal: this.#signal }
    return runProgram(command, args, { ...options, ...optional({ input }) })
  }

  async #need(cwd: string, ...args: readonly string[]): Promise<void> {
    const result = await this.#runIn(cwd, 'git', [...NO_HOOKS, ...args], GIT_MS)
    if (result?.exitCode === 0) return
    const [why = 'it did not start'] = (result?.stderr ?? '').trim().split('\n').slice(-1)
    throw gitFaults.failed(`git ${args[0]} failed for a copy of the repository: ${why}`)
  }

  /** Commits a file that the gate would refuse, past every hook. */
  async commitPastHooks(path: string, text: string): Promise<void> {
    await this.stage(path, text)
    await this.#need(this.folder, 'commit', '-q', '-m', 'canary')
  }

  async stage(path: string, text: string): Promise<void> {
    await writeFile(join(this.folder, path), text)
    await this.#need(this.folder, 'add', '-f', '--', path)
  }

  async remove(): Promise<void> {
    await rm(this.base, { recursive: true, force: true, maxRetries: 5 })
    this.#forget()
  }
}
