import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { describeTools, toolFile } from './peers/peers.ts'
import { cleanEnvironment } from './support/binary.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'warrant-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

const expectHandshake = (program: string): void => {
  const { stdout } = spawnSync(process.execPath, [program, 'mcp', '--root', folder], {
    input: `${JSON.stringify(INITIALIZE)}\n`,
    env: cleanEnvironment(),
    encoding: 'utf8',
  })
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { serverInfo: { name: 'warrant' } } })
}

await describeTools('the bundle', () => {
  it('is one that the official tool accepts and unpacks, and its server answers', () => {
    const words = ['scripts/packaging/bundle.mjs', '--out', folder, '--url', 'https://example.com/v1']
    execFileSync(process.execPath, words, { cwd: ROOT, stdio: 'ignore' })
    const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.mcpb'))
    const mcpb = (...args: string[]): string =>
      execFileSync(process.execPath, [toolFile('@anthropic-ai/mcpb/dist/cli/cli.js'), ...args], {
        encoding: 'utf8',
      })
    mcpb('unpack', join(folder, name), join(folder, 'unpacked'))
    expect(mcpb('validate', join(folder, 'unpacked/manifest.json'))).toMatch(/passes/)
    expectHandshake(join(folder, 'unpacked/node_modules/warrant/dist/bin/warrant.js'))
  }, 300_000)
})

describe('the packed package', () => {
  it('installs in an empty project, judges, and answers a client', () => {
    const project = join(folder, 'project')
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{"private":true}')
    const npm = (cwd: string, ...words: string[]) =>
      execFileSync('npm', [...words, '--silent', '--no-audit', '--no-fund'], { cwd, encoding: 'utf8' }).trim()
    const packed = npm(ROOT, 'pack', '--pack-destination', project).split('\n').at(-1) ?? ''
    npm(project, 'install', `./${packed}`)
    expect(readdirSync(join(project, 'node_modules/@ast-grep'))).not.toContain('lang-kotlin')
    writeFileSync(join(project, 'A.kt'), 'package a\nclass A\n')
    execFileSync('git', ['init', '-q'], { cwd: project })
    execFileSync('git', ['add', 'A.kt'], { cwd: project })
    const judge = () => {
      const words = ['--no-install', 'warrant', 'gate', '--stage', 'PRE_COMMIT', '--no-evidence']
      return spawnSync('npx', words, { cwd: project, env: cleanEnvironment(), encoding: 'utf8' })
    }
    const blocked = judge()
    expect(blocked.status).toBe(1)
    const [, install = ''] = /Run `npm (install --save-dev \S+)`/.exec(blocked.stdout) ?? []
    // The line that the finding names is the repair.
    npm(project, ...install.split(' '))
    expect(judge().status).toBe(0)
    expectHandshake(join(project, 'node_modules/warrant/dist/bin/warrant.js'))
  }, 300_000)
})
