import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { BINARY, cleanEnvironment } from './binary.ts'
import { GIT_ENVIRONMENT, Repo } from './repository.ts'

/** What husky 9 writes at each `npm install`, and the setting that makes git start it. */
export const HUSKY = `mkdir -p .husky/_; echo '*' > .husky/_/.gitignore; [ -f .husky/pre-commit ] || echo true > .husky/pre-commit
cat > .husky/_/h <<'E'
#!/usr/bin/env sh
[ "$HUSKY" = "2" ] && set -x
n=$(basename "$0")
s=$(dirname "$(dirname "$0")")/$n
[ ! -f "$s" ] && exit 0
i="\${XDG_CONFIG_HOME:-$HOME/.config}/husky/init.sh"
[ -f "$i" ] && . "$i"
[ "\${HUSKY-}" = "0" ] && exit 0
export PATH="node_modules/.bin:$PATH"
sh -e "$s" "$@"
c=$?
[ $c != 0 ] && echo "husky - $n script failed (code $c)"
exit $c
E
for h in pre-commit pre-push commit-msg; do printf '#!/usr/bin/env sh\n. "$(dirname "$0")/h"' > .husky/_/$h; chmod 755 .husky/_/$h; done
git config core.hooksPath .husky/_`

export interface HookAnswer {
  readonly permissionDecision?: string
  readonly permissionDecisionReason?: string
  readonly additionalContext?: string
}

/** A repository with Warrant's hooks, a remote, and a home folder of its own. Git and the hooks are the real ones. */
export class GuardedRepository {
  readonly repo = Repo.init('main')
  readonly remote = new Repo()
  readonly home = new Repo()
  readonly #env: NodeJS.ProcessEnv

  /** `prepare` is run before `warrant init`. */
  constructor(prepare = 'true') {
    const { home, remote, repo } = this
    mkdirSync(home.path('bin'))
    symlinkSync(BINARY, home.path('bin/warrant'))
    this.#env = cleanEnvironment({
      ...GIT_ENVIRONMENT,
      GIT_CONFIG_GLOBAL: home.path('.gitconfig'),
      HOME: home.folder,
      REPO: repo.folder,
      XDG_STATE_HOME: home.path('state'),
      PATH: `${home.path('bin')}:${process.env.PATH}`,
    })
    remote.git('init', '-q', '--bare', '-b', 'main')
    writeFileSync(home.path('.gitconfig'), '[user]\n\tname = a\n\temail = a@example.org\n')
    repo.commit({ 'package.json': '{}\n', 'src/a.ts': 'export const a = 1\n' })
    this.shell(prepare)
    expect(this.warrant(['init', '--yes', '--clients', 'claude']).status).toBe(0)
    this.shell(
      `git add -A; git commit -qm guarded; git config push.default current; git remote add origin ${remote.folder}; git push -qu origin main`,
    )
    this.next()
  }

  /** Keeps the present state of all folders, and returns what brings it back. */
  keep(): () => void {
    const kept = new Repo()
    const folders = [this.repo, this.remote, this.home].map(({ folder }) => folder)
    const copy = (from: string, to: string) => spawnSync('cp', ['-a', `${from}/.`, to])
    for (const [at, folder] of folders.entries()) {
      mkdirSync(kept.path(String(at)))
      copy(folder, kept.path(String(at)))
    }
    return () => {
      for (const [at, folder] of folders.entries()) {
        for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
        copy(kept.path(String(at)), folder)
      }
    }
  }

  start(program: string, args: readonly string[], input = '') {
    return spawnSync(program, args, { cwd: this.repo.folder, env: this.#env, input, encoding: 'utf8' })
  }

  warrant(args: readonly string[], input = '') {
    return this.start(process.execPath, [BINARY, ...args], input)
  }

  /** Runs a command as an agent would that found a way past the first look, or as anybody else. */
  shell(script: string): void {
    const { status, stderr } = this.start('bash', ['-ec', script])
    if (status !== 0) throw new Error(`${script}: ${stderr}`)
  }

  #event(command: string, session: string): string {
    const tool = { tool_name: 'Bash', tool_input: { command } }
    return JSON.stringify({
      hook_event_name: 'PreToolUse',
      session_id: session,
      cwd: this.repo.folder,
      ...tool,
    })
  }

  /** The answer to the next event: a harmless command. */
  next(command = 'ls'): HookAnswer {
    const { stdout } = this.warrant(['hook', 'claude', '--budget', '9000'], this.#event(command, 'one'))
    return stdout === '' ? {} : JSON.parse(stdout).hookSpecificOutput
  }

  /** What the hook prints for an event of one of several agents that work at the same time. */
  meanwhile(command: string, session: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = execFile(
        process.execPath,
        [BINARY, 'hook', 'claude', '--budget', '9000'],
        { cwd: this.repo.folder, env: this.#env },
        (error, stdout) => (error === null ? resolve(stdout) : reject(error)),
      )
      child.stdin?.end(this.#event(command, session))
    })
  }

  read(path: string): string {
    return readFileSync(this.repo.path(path), 'utf8')
  }
}
