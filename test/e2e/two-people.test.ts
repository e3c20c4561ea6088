import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { delimiter } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { BINARY, cleanEnvironment, sweep } from '../support/binary.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'

afterAll(sweep)

const { GIT_AUTHOR_DATE: _, GIT_COMMITTER_DATE: __, ...GIT } = GIT_ENVIRONMENT
const CLEAN = 'export const a = 1\n'
const BAD = 'export const run = (text: string) => eval(text)\n'

/** A person with a home and a clone. `warrant` is on the path once they install it. */
class Person extends Repo {
  readonly #home = new Repo()
  readonly #name: string

  constructor(name: string, hub: Repo) {
    super()
    this.#name = name
    mkdirSync(this.#home.path('bin'))
    expect(this.sh('git', 'clone', '-q', hub.folder, '.').status).toBe(0)
  }

  installs(): void {
    symlinkSync(BINARY, this.#home.path('bin/warrant'))
  }

  sh(program: string, ...args: readonly string[]) {
    const who = { NAME: this.#name, EMAIL: `${this.#name}@example.org` }
    const env = cleanEnvironment({
      ...GIT,
      HOME: this.#home.folder,
      XDG_STATE_HOME: this.#home.path('state'),
      PATH: [this.#home.path('bin'), process.env.PATH].join(delimiter),
      ...Object.fromEntries(
        Object.entries(who).flatMap(([key, value]) => [
          [`GIT_AUTHOR_${key}`, value],
          [`GIT_COMMITTER_${key}`, value],
        ]),
      ),
    })
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: this.folder,
      env,
      encoding: 'utf8',
      input: '',
    })
    return { status, said: stdout + stderr }
  }

  warrant(...args: readonly string[]) {
    return this.sh('warrant', ...args)
  }

  /** Runs a command that was printed, as it stands. */
  runs(line: string) {
    return this.sh('sh', '-c', line)
  }

  commits(files: Readonly<Record<string, string>>, ...options: readonly string[]) {
    this.write(files)
    this.sh('git', 'add', ...Object.keys(files))
    return this.sh('git', 'commit', '-q', '-m', Object.keys(files).join(), ...options)
  }

  pushes() {
    return this.sh('git', 'push', '-q', 'origin', 'HEAD:main')
  }

  pulls() {
    expect(this.sh('git', 'fetch', '-q', 'origin').status).toBe(0)
    return this.sh('git', 'rebase', '-q', 'origin/main')
  }
}

const STARTER =
  '#!/usr/bin/env sh\nscript="$(dirname "$(dirname "$0")")/$(basename "$0")"\n[ -f "$script" ] || exit 0\nsh -e "$script" "$@"\n'

/** What each manager leaves in a clone, without the manager: git starts what its file declares. */
const MANAGERS: Readonly<Record<string, (person: Person) => void>> = {
  'plain hooks': () => {},
  husky: (person) => {
    person.write({ '.husky/_/pre-commit': STARTER, '.husky/_/pre-push': STARTER, '.husky/_/.gitignore': '*' })
    for (const name of ['pre-commit', 'pre-push']) chmodSync(person.path('.husky/_', name), 0o755)
    person.git('config', 'core.hooksPath', '.husky/_')
  },
}

const printed = (said: string, start: string): string =>
  said.split('\n').flatMap((line) => (line.trim().startsWith(start) ? [line.trim()] : []))[0] ?? ''

describe.each(Object.entries(MANAGERS))('a team with %s', (manager, activate) => {
  const hub = new Repo()
  hub.git('init', '-q', '--bare', '-b', 'main')
  const seed = Repo.init('main').commit({
    'src/a.ts': CLEAN,
    'package.json': manager === 'husky' ? '{"devDependencies":{"husky":"9"}}' : '{}',
  })
  seed.git('push', '-q', hub.folder, 'main')
  const ann = new Person('ann', hub)
  const bob = new Person('bob', hub)

  it('is set up by one developer, who commits what init names', () => {
    activate(ann)
    ann.installs()
    const { status, said } = ann.warrant('init', '--yes', '--clients', 'claude')
    expect([status, said]).toEqual([0, expect.stringContaining('not required')])
    const [, add = ''] = /your team: (git add .*)/.exec(said) ?? []
    expect(ann.runs(add).status).toBe(0)
    expect(ann.sh('git', 'commit', '-q', '-m', 'Warrant')).toMatchObject({ status: 0 })
    expect(ann.warrant('receipts', 'check')).toMatchObject({
      status: 0,
      said: expect.stringContaining('1 of 1'),
    })
    expect(ann.commits({ 'src/bad.ts': BAD })).toMatchObject({
      status: 1,
      said: expect.stringContaining('BLOCKED'),
    })
    ann.sh('git', 'rm', '-qf', 'src/bad.ts')
    expect(ann.pushes()).toMatchObject({ status: 0 })
  })

  it('does not stop a colleague who lacks the program', () => {
    bob.pulls()
    activate(bob)
    const made = bob.commits({ 'src/b.ts': CLEAN })
    expect(made.status).toBe(0)
    if (manager === 'husky') expect(made.said).toContain('not installed here, so CI judges this change')
    expect(bob.pushes().status).toBe(0)
  })

  it('judges the colleague who installed it, and never again without it', () => {
    bob.installs()
    const { status, said } = bob.warrant('init', '--yes')
    expect([status, said]).toEqual([0, expect.stringContaining('As it is: .mcp.json')])
    expect(bob.commits({ 'src/bad.ts': BAD }).status).not.toBe(0)
    bob.sh('git', 'rm', '-qf', 'src/bad.ts')
    expect(bob.commits({ 'src/c.ts': CLEAN })).toMatchObject({ status: 0 })
    const program = bob.sh('git', 'config', '--get', 'warrant.program').said.trim()
    expect(program).toBe(BINARY)
    if (manager === 'husky') {
      bob.git('config', 'warrant.program', '/gone/warrant.js')
      const path = bob.sh('sh', '-c', 'PATH=/usr/bin:/bin git commit -q --allow-empty -m x')
      expect(path).toMatchObject({ status: 1, said: expect.stringContaining('is gone, so this is refused') })
      bob.git('config', 'warrant.program', program)
    }
    expect(bob.pushes()).toMatchObject({ status: 0 })
  })

  it('switches to required receipts, and says whom that concerns', () => {
    ann.pulls()
    const { said } = ann.warrant('receipts', 'require', '--yes')
    expect(said).toMatch(/Without a key, .*bob \(\d+\)/)
    expect(ann.runs(printed(said, 'Next: ').replace(/^Next: (.*), then push$/, '$1'))).toMatchObject({
      status: 0,
    })
    expect(ann.pushes()).toMatchObject({ status: 0 })
  })

  it('takes a second developer in with one line', () => {
    bob.pulls()
    expect(bob.commits({ 'src/d.ts': CLEAN })).toMatchObject({ status: 0 })
    const refused = bob.pushes()
    expect(refused).toMatchObject({ status: 1, said: expect.stringContaining('warrant receipts keys show') })
    const line = printed(bob.warrant('receipts', 'keys', 'show').said, 'warrant receipts keys add')
    expect(printed(bob.warrant('init', '--yes').said, 'warrant receipts keys add')).toBe(line)
    // By themselves they cannot.
    expect(bob.runs(`${line.replace('NAME', 'bob')} --yes`).status).toBe(0)
    bob.sh('git', 'commit', '-qm', 'mine', '--', '.warrant/keys.yml')
    expect(bob.pushes()).toMatchObject({ status: 1, said: expect.stringContaining('gate.policy-changed') })
    bob.git('reset', '-q', '--hard', 'HEAD~1')
    const added = ann.runs(`${line.replace('NAME', 'bob')} --yes`)
    expect(ann.runs(printed(added.said, 'Next: ').replace(/^.*: (git commit)/, '$1'))).toMatchObject({
      status: 0,
    })
    expect(ann.pushes()).toMatchObject({ status: 0 })
    // The commit from before counts now; on the new base it has another tree.
    bob.pulls()
    expect(bob.warrant('receipts', 'check', '--judge')).toMatchObject({ status: 0 })
    expect(bob.pushes()).toMatchObject({ status: 0 })
  })

  it('is joined by a third person a month later', () => {
    const eve = new Person('eve', hub)
    activate(eve)
    eve.installs()
    const { said } = eve.warrant('init', '--yes')
    expect(said).toContain('Send this to a developer whose key is listed')
    const line = printed(said, 'warrant receipts keys add')
    bob.pulls()
    expect(bob.runs(`${line.replace('NAME', 'eve')} --yes`).status).toBe(0)
    expect(bob.sh('git', 'commit', '-qm', 'eve', '--', '.warrant/keys.yml')).toMatchObject({ status: 0 })
    expect(bob.pushes()).toMatchObject({ status: 0 })
    eve.pulls()
    expect(eve.commits({ 'src/e.ts': CLEAN })).toMatchObject({ status: 0 })
    expect(eve.pushes()).toMatchObject({ status: 0 })
  })
})
