import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { describeWith } from '../services.ts'
import { BINARY, cleanEnvironment, makeFolder, Program, sweep } from '../support/binary.ts'
import { initialize, request } from '../support/messages.ts'
import { packetJson } from '../support/packet-program.ts'

afterAll(sweep)

/** A repository with everything committed. */
const makeRepository = async (): Promise<string> => {
  const root = await makeFolder()
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: root })
  mkdirSync(join(root, 'docs'))
  writeFileSync(join(root, 'docs/guide.md'), '# Wicks\n\nTrim the wick at dusk.\n')
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'first')
  return root
}

/** What `git add -A` would take. */
const untrackedFiles = (root: string): string =>
  execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], { cwd: root, encoding: 'utf8' })

describe('what is kept in a repository', () => {
  it('is not seen by git: beliefs; and the key of the lineage is not there', async () => {
    const root = await makeRepository()
    const program = new Program(['mcp', '--root', root], { cwd: root })
    program.send(initialize(0))
    program.send(
      request(1, 'tools/call', {
        name: 'node_create',
        arguments: { belief: 0.5, energy: 1, claim: 'secret' },
      }),
    )
    await program.answers(2)
    expect(readdirSync(join(root, '.warrant'))).toContain('lineage.db')
    expect(untrackedFiles(root)).toBe('')
    await program.finish()
    const checkpoint = [BINARY, 'log', 'checkpoint', '--graph', 'default', '--root', root]
    execFileSync(process.execPath, checkpoint, { cwd: root, env: cleanEnvironment({}) })
    expect(readdirSync(join(root, '.warrant'))).not.toContain('lineage.key')
    expect(untrackedFiles(root)).toBe('')
  })
})

describeWith('registry', 'packets that are kept in a repository', (host) => {
  it('are not seen by git either', async () => {
    const root = await makeRepository()
    const out = await makeFolder()
    const env = { REGISTRY: `${host}/traces` }
    await packetJson(['build', 'docs', '--name', 'guide', '--version', '1.0.0', '--out', out], env, root)
    expect(await packetJson(['publish', join(out, 'guide/1.0.0')], env, root)).toMatchObject({ code: 0 })
    expect(await packetJson(['lookup', 'guide'], env, root)).toMatchObject({ code: 0 })
    expect(untrackedFiles(root)).toBe('')
    expect(await packetJson(['query', 'guide', 'when to trim'], env, root)).toMatchObject({ code: 0 })
    expect(readdirSync(join(root, '.cpm'))).toContain('cas')
    expect(untrackedFiles(root)).toBe('')
  })
})
