import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BINARY } from '../support/binary.ts'
import { gateEnvironment } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'
import { SignedProject } from '../support/signed-project.ts'

/** What `gate` and `why` tell to do is done here as it is printed, and the next run is the one that it promised. */

const EVAL = 'export const run = (text) => eval(text)\n'
// Put together here, so that no scanner takes this file for a leak.
const KEY = `export const key = '${['AKIA', 'Z7QXN4RTP2LKW6HD'].join('')}'\n`
const rule = (name: string, severity: string) => `id: project.${name}
language: javascript
severity: error
message: Not here.
rule: { pattern: ${name}() }
metadata: { severity: ${severity} }
`

const start = () => Repo.init().commit({ 'src/ok.js': 'export {}\n', 'package.json': '{}' })

/** Runs a line as a person pastes it; a terminal answers with the digits that it asks for. */
const paste = (repo: Repo, line: string, answer?: string) => {
  const words = line.replace(/^warrant/, `"${process.execPath}" "${BINARY}"`)
  const [program, args] =
    answer === undefined ? ['sh', ['-c', words]] : ['script', ['-qec', words, '/dev/null']]
  const { status, stdout, stderr } = spawnSync(program ?? '', args as string[], {
    cwd: repo.folder,
    env: gateEnvironment(),
    encoding: 'utf8',
    input: answer === undefined ? '' : `${answer}\n`,
  })
  return { status, said: stdout + stderr }
}
const gate = (repo: Repo, ...args: string[]) => paste(repo, ['warrant gate', ...args].join(' '))

/** The first match of a text in what was said. */
const find = (said: string, pattern: RegExp): string => {
  const found = pattern.exec(said)?.[1]
  expect(found, said).toBeDefined()
  return found ?? ''
}

describe('a hint of the gate', () => {
  it('about a comment: the comment accepts the finding, for the commit and the push', () => {
    const repo = start().stage({ 'src/a.js': EVAL })
    const blocked = gate(repo)
    expect(blocked.status).toBe(1)
    const comment = find(blocked.said, /in a comment on the line above: (warrant-ignore \S+: <reason>)/)
    repo.stage({ 'src/a.js': `// ${comment.replace('<reason>', 'a calculator')}\n${EVAL}` })
    expect(gate(repo).status).toBe(0)
    repo.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    repo.commit({})
    expect(gate(repo, '--stage', 'PRE_PUSH').status).toBe(0)
  })

  it('about an entry: the entry accepts the finding, for the commit and the push', () => {
    const repo = start().stage({ 'src/a.js': KEY })
    const line = find(gate(repo).said, /(warrant accept [0-9a-f]{12} --reason "<why>")/)
    const digits = find(line, /accept ([0-9a-f]{6})/)
    const accepted = paste(repo, line.replace('<why>', 'a dead key'), digits)
    paste(repo, find(accepted.said, /(git add \.warrant\/acceptances\.yml)/))
    expect(gate(repo).status).toBe(0)
    repo.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    repo.commit({})
    expect(gate(repo, '--stage', 'PRE_PUSH').status).toBe(0)
  })

  it('about repairs: the difference is shown, and applied', () => {
    const repo = start().stage({ 'src/a.js': "it.only('works', run)\n" })
    const { said } = gate(repo, '--stage', 'PRE_PUSH', '--scope', 'staged')
    const fix = find(said, /(warrant gate --fix) \(--dry-run shows how\)/)
    expect(paste(repo, `${fix} --dry-run`).said).toContain("-it.only('works', run)")
    paste(repo, fix)
    expect(readFileSync(repo.path('src/a.js'), 'utf8')).not.toContain('only')
    expect(gate(repo, '--stage', 'PRE_PUSH', '--scope', 'staged').status).toBe(0)
  })

  it('about what is not shown: the options show it', () => {
    const repo = start().commit({
      '.warrant/rules/bad.yml': rule('bad', 'ERROR'),
      '.warrant/rules/hint.yml': rule('hint', 'INFO'),
    })
    repo.stage({ 'src/a.js': `${'bad()\n'.repeat(60)}hint()\n` })
    const { said } = gate(repo)
    expect(said).toContain('10 more findings not shown')
    const all = gate(repo, find(said, /not shown: (--max 0) shows all/))
    expect(all.said).not.toContain('more findings not shown')
    expect(gate(repo, find(said, /not shown: (--severity INFO)\./)).said).toContain('project.hint')
  })

  it('about a later stage: the push is blocked', () => {
    const repo = start().commit({ '.warrant/rules/bad.yml': rule('bad', 'ERROR') })
    repo.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    repo.stage({ 'src/a.js': 'bad()\n' })
    expect(gate(repo).said).toContain('1 finding of ERROR does not stop a commit, but stops a push and CI.')
    repo.commit({})
    expect(gate(repo, '--stage', 'PRE_PUSH').status).toBe(1)
  })

  it('about receipts: the commits are judged, and the push may go', () => {
    const project = new SignedProject()
    project.branch('topic').commit({ 'src/a.ts': 'export {}\n' }, '--no-verify')
    const refused = project.tryGit(['push', '-q', 'origin', 'topic'])
    expect(refused.status).not.toBe(0)
    const args = find(refused.said, /Otherwise judge it now: warrant (receipts check --judge)\./).split(' ')
    expect(project.warrant(args).status).toBe(0)
    project.git('push', '-q', 'origin', 'topic')
  })
})

describe('a repair of `why`', () => {
  /** The lines below "To unblock", as they are printed: a person edits where no command is given. */
  const commands = (repo: Repo) => {
    const { said } = paste(repo, 'warrant why')
    const [, listed = ''] = /To unblock:\n([\s\S]*?)\n\n/.exec(said) ?? []
    return listed
      .split('\n')
      .flatMap((line) => /: ((?:warrant|git) .+?)(?: \(removes \d+ reasons\))?$/.exec(line)?.[1] ?? [])
  }

  it.each<[string, (repo: Repo) => Repo, RegExp, Readonly<Record<string, string>>]>([
    [
      'an edit',
      (repo) => repo.stage({ 'src/a.js': EVAL }),
      /^warrant gate --stage PRE_COMMIT$/,
      { 'src/a.js': 'export {}\n' },
    ],
    [
      'an edit of the gate',
      (repo) =>
        repo.stage({
          'src/a.js': "it.only('works', run)\n",
          '.pumuki/hard-mode.json': '{"enabled":true}',
        }),
      /--fix$/,
      {},
    ],
    [
      'a policy',
      (repo) => {
        repo.commit({ 'skills.policy.json': POLICY('WARN') })
        return repo.stage({ 'skills.policy.json': POLICY('CRITICAL') })
      },
      /^git restore /,
      {},
    ],
    [
      'tracked modules',
      (repo) =>
        repo.stage({ 'skills.policy.json': POLICY('ERROR'), 'node_modules/a/index.js': 'export {}\n' }),
      /^git rm -r --cached node_modules$/,
      {},
    ],
  ])('by %s leads to the run that allows', (_, make, expected, edits) => {
    const repo = make(start())
    expect(gate(repo).status).toBe(1)
    const lines = commands(repo)
    expect(
      lines.some((line) => expected.test(line)),
      lines.join('\n'),
    ).toBe(true)
    repo.stage(edits)
    for (const line of lines) paste(repo, line)
    expect(gate(repo).status).toBe(0)
    expect(paste(repo, 'warrant why').status).toBe(0)
  })
})

const POLICY = (block: string) => {
  const both = { blockOnOrAbove: block, warnOnOrAbove: 'INFO' }
  return JSON.stringify({ stages: { PRE_COMMIT: both, PRE_PUSH: both, CI: both } })
}
