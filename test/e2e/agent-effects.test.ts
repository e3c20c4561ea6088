import { statSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GuardedRepository } from '../support/guarded-repository.ts'

/** What a command did is found by the next event, whatever the command looked like. Git and its hooks are the real ones. */

const guarded = new GuardedRepository()
const { repo } = guarded
const shell = (script: string) => guarded.shell(script)
const warrant = (args: readonly string[]) => guarded.warrant(args)
const next = (command?: string) => guarded.next(command)
const read = (path: string) => guarded.read(path)

const HOOK = '.git/hooks/pre-commit'
const SETTINGS = '.claude/settings.json'

describe('a guard that was changed', () => {
  it.each<[string, string, string]>([
    ['the hook removed by a pattern', 'rm -f .g*/hook?/pre-commi?', HOOK],
    ['the hook that ends early', `printf '#!/bin/sh\\nexit 0\\n' > t; chmod +x t; mv t ${HOOK}`, HOOK],
    ['a line put into the hook', `sed -i '1a exit 0' ${HOOK}`, HOOK],
    ['the settings of the client without our entry', `echo '{}' > ${SETTINGS}`, SETTINGS],
  ])('is put back and told: %s', (_, script, path) => {
    const before = { text: read(path), mode: statSync(repo.path(path)).mode }
    shell(script)
    const answer = next()
    expect(answer.additionalContext).toContain(`Put back, because the gate would not have run: ${path}`)
    expect({ text: read(path), mode: statSync(repo.path(path)).mode }).toEqual(before)
    expect(next()).toEqual({})
  })

  it('is put back where a setting moved the hooks', () => {
    shell('P=core.hooks; git config ${P}Path /dev/null')
    expect(next().additionalContext).toContain(
      'Put back, because the gate would not have run: the setting core.hooksPath',
    )
    expect(repo.git('config', '--default', 'none', '--get', 'core.hooksPath').trim()).toBe('none')
    expect(next()).toEqual({})
  })

  it('stops the agent where it cannot be put back, until the printed repair is run', () => {
    shell('git config --global core.hooksPath /dev/null')
    const { permissionDecision, permissionDecisionReason: text = '' } = next()
    expect([permissionDecision, text]).toEqual([
      'deny',
      expect.stringContaining('keeps the gate from running'),
    ])
    const [, repair = ''] = /Put it back: (.+)/.exec(text) ?? []
    expect(next().permissionDecision).toBe('deny')
    expect(next(repair)).toEqual({})
    shell(repair)
    expect(next()).toEqual({})
  })
})

describe('a change on purpose', () => {
  it('is kept where a person tells it by warrant init', () => {
    const text = read(HOOK)
    shell(`sed -i '1a # edited' ${HOOK}`)
    expect(warrant(['init', '--yes', '--clients', 'claude']).status).toBe(0)
    expect(next()).toEqual({})
    expect(read(HOOK)).toContain('# edited')
    writeFileSync(repo.path(HOOK), text)
    expect(warrant(['init', '--yes', '--clients', 'none']).status).toBe(0)
    expect(next()).toEqual({})
  })
})

const EVAL = 'export const run = (input: string) => eval(input)\n'

describe('a commit without a receipt', () => {
  it.each<[string, string]>([
    ['by a script', `printf 'git commit -q --no-ver%s -m sneaky' ify > /tmp/s; sh /tmp/s`],
    ['by plumbing', 'git update-ref HEAD $(git commit-tree $(git write-tree) -p HEAD -m sneaky)'],
    [
      'in a working tree of its own',
      'git worktree add -q --detach $HOME/wt; cd $HOME/wt; echo 1 > x; git add x; git -c core.hooksPath= commit -qm sneaky',
    ],
  ])('is named with what blocks in it: %s', (_, script) => {
    repo.write({ 'src/new.ts': EVAL })
    shell(`git switch -qc t; git add -A; ${script}`)
    const { additionalContext: text = '' } = next()
    expect(text).toMatch(/1 commit without a receipt, so no gate judged it:\n[0-9a-f]{12} sneaky\n/)
    if (!script.includes('worktree')) expect(text).toContain('javascript.eval')
    expect(next()).toEqual({})
    shell('rm -rf $HOME/wt; git worktree prune; git switch -qf main; git branch -qD t; git clean -qfd src')
    next()
  })
})

describe('ordinary work', () => {
  it.each([
    'echo "export const b = 2" > src/b.ts; git add -A; git commit -qm work',
    'git switch -qc side; echo "export const c = 3" > src/c.ts; git add -A; git commit -qm side; git switch -q main',
    'git merge -q --no-ff -m merged side',
    'git switch -q side; git rebase -q main; git switch -q main',
    'echo "// d" >> src/a.ts; git stash -q; git stash pop -q; git checkout -q -- src/a.ts',
    'git switch -qc pick HEAD~1; git cherry-pick HEAD@{1}~0 -m 1 >/dev/null; git switch -q main; git branch -qD pick',
    'git revert --no-edit -m 1 HEAD >/dev/null',
    'git commit -q --amend --no-edit',
    'git push -q origin main',
    'git clone -q . $HOME/other; cd $HOME/other; git config user.name b; git config user.email b@example.org; echo "// e" >> src/a.ts; git commit -qam elsewhere; cd -; git pull -q --no-rebase $HOME/other HEAD; rm -rf $HOME/other',
    'git fetch -q; git tag v1; git branch -m side other; git gc -q',
    'git worktree add -q $HOME/wt2 -b wt2; git worktree remove $HOME/wt2; git branch -qD wt2',
    'git checkout -q HEAD~1; git checkout -q main; git reset -q --hard HEAD~1',
    `node -e "const fs=require('fs');const s=JSON.parse(fs.readFileSync('${SETTINGS}'));s.model='x';fs.writeFileSync('${SETTINGS}',JSON.stringify(s,null,2))"`,
    `git checkout -q -- ${SETTINGS}; git config user.nick x; touch ${HOOK}`,
  ])('is not told: %s', (script) => {
    shell(script)
    expect(next()).toEqual({})
  })
})

describe('the command that is printed with a commit', () => {
  it('leads to a push', () => {
    expect(warrant(['receipts', 'require', '--yes']).status).toBe(0)
    shell('git switch -qc keys origin/main; git add -A; git commit -qm keys; git push -q origin keys:main')
    next()
    shell(
      'echo "export const k = 1" > src/k.ts; git add -A; git commit -qnm sneaky; ! git push -q origin keys:main',
    )
    const [, command = ''] = /before the push: (.+)/.exec(next().additionalContext ?? '') ?? []
    expect(next(command)).toEqual({})
    shell(`${command}; git push -q origin keys:main`)
  })
})
