import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BACKEND, gateEnvironment, gateJson } from './gate.ts'
import { GIT_ENVIRONMENT, Repo } from './repository.ts'
import { runJson } from './run.ts'

type Variables = Readonly<Record<string, string>>

/** Commits have the time of the system, as those of a person: receipts expire. */
const NOW = new Date().toISOString()
export const TIMES = { GIT_AUTHOR_DATE: NOW, GIT_COMMITTER_DATE: NOW } as const

/** The rules of earlier versions, which report `LOG` when it is committed. */
const PROFILE = { WARRANT_PROFILE: 'seed' } as const

const NOTES = '+refs/notes/warrant*:refs/notes/remotes/origin/warrant*'
const TARGET = 'origin/main'

/** A folder for the state of another user or machine: its key and what it saw of logs. */
export const newMachine = (): { readonly XDG_STATE_HOME: string } => ({
  XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'warrant-machine-')),
})

/** A repository whose `main` lists the key of this machine, with hooks, and a remote that others fetch from. */
export class SignedProject {
  readonly repo: Repo
  readonly remote = new Repo()
  /** The machine of the person who works here. */
  readonly machine = newMachine()
  readonly #ci = newMachine()

  constructor(options: readonly string[] = []) {
    this.repo = new Repo()
    this.repo.git('init', '-q', '-b', 'main', ...options)
    this.remote.git('init', '-q', '--bare', '-b', 'main', ...options)
    const ignored = [
      'node_modules',
      '.ai_evidence.json',
      '.warrant/*',
      '!.warrant/keys.yml',
      '!.warrant/rules',
      '',
    ]
    this.repo.commit({ 'package.json': BACKEND, '.gitignore': ignored.join('\n') })
    this.warrant(['receipts', 'keys', 'add', '--yes', '--owner', 'A'])
    this.repo.git('add', '-A')
    this.repo.git('commit', '-q', '-m', 'keys')
    this.repo.git('remote', 'add', 'origin', this.remote.folder)
    this.repo.git('push', '-q', 'origin', 'main')
    this.repo.git('fetch', '-q', 'origin')
    this.warrant(['init', '--yes', '--clients', 'none'])
  }

  /** Runs git as a person does, with hooks; fails the test unless it succeeds. */
  git(...args: readonly string[]): string {
    const { status, said } = this.tryGit(args)
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${said}`)
    return said
  }

  tryGit(args: readonly string[], env: Variables = {}, cwd = this.repo.folder) {
    const all = { ...gateEnvironment(), ...GIT_ENVIRONMENT, ...TIMES, ...PROFILE, ...this.machine, ...env }
    const options = { cwd, env: all, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync(
      'git',
      ['-c', 'protocol.file.allow=always', ...args],
      options,
    )
    return { status, said: stdout + stderr }
  }

  warrant(args: readonly string[], env: Variables = {}, cwd = this.repo.folder) {
    return runJson(cwd, args, { CI: '', ...GIT_ENVIRONMENT, ...TIMES, ...PROFILE, ...this.machine, ...env })
  }

  /** Starts a branch at `main`. */
  branch(name: string, start = TARGET): this {
    this.repo.git('reset', '-q', '--hard')
    this.git('switch', '-q', '-c', name, start, '--no-track')
    return this
  }

  /** Stages files and commits them, with the hook unless the options avoid it. */
  commit(files: Readonly<Record<string, string>>, ...options: readonly string[]): this {
    this.repo.stage(files)
    this.git('commit', '-q', '-m', 'change', ...options)
    return this
  }

  /** What `warrant receipts check` says of the commits since `main`, or since another commit. */
  check(judge?: '--judge', base = TARGET, cwd = this.repo.folder): string[] {
    const words = ['receipts', 'check', `${base}..HEAD`, ...(judge === undefined ? [] : [judge])]
    const { value, stderr } = this.warrant(words, {}, cwd)
    if (value?.commits === undefined) throw new Error(JSON.stringify(value) + stderr)
    return value.commits.map((one: { problem?: string }) => one.problem ?? 'covered')
  }

  /** The build of a branch, in a new clone on another machine: what was pushed, and nothing else. */
  build(branch: string, args: readonly string[] = [], env: Variables = {}) {
    const clone = new Repo()
    clone.git('clone', '-q', '-b', branch, this.remote.folder, '.')
    clone.git('fetch', '-q', 'origin', NOTES)
    const machine = { ...PROFILE, ...this.#ci, CI: 'true', GITHUB_BASE_REF: 'main', ...env }
    return gateJson(clone, ['--stage', 'CI', ...args], { env: machine })
  }
}
