import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Git without the settings of the user who runs the tests. */
export const GIT_ENVIRONMENT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
} as const

/** A repository in a folder of its own. */
export class Repo {
  readonly folder: string

  constructor(folder = realpathSync(mkdtempSync(join(tmpdir(), 'warrant-repo-')))) {
    this.folder = folder
  }

  static init(branch = 'feature/x'): Repo {
    const repo = new Repo()
    repo.git('init', '-q', '-b', branch)
    return repo
  }

  git(...args: readonly string[]): string {
    return execFileSync('git', ['--literal-pathspecs', '-c', 'protocol.file.allow=always', ...args], {
      cwd: this.folder,
      encoding: 'utf8',
      env: { ...process.env, ...GIT_ENVIRONMENT },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  }

  path(...parts: readonly string[]): string {
    return join(this.folder, ...parts)
  }

  /** Writes files, folders and all. */
  write(files: Readonly<Record<string, string>>): this {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true })
      writeFileSync(this.path(name), text)
    }
    return this
  }

  /** Writes and stages. */
  stage(files: Readonly<Record<string, string>>): this {
    this.write(files).git('add', '-A', '--', ...Object.keys(files))
    return this
  }

  /** Writes, stages and commits. */
  commit(files: Readonly<Record<string, string>>, message = 'change'): this {
    this.stage(files).git('commit', '-q', '--no-verify', '--allow-empty', '-m', message)
    return this
  }
}
