import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { cleanEnvironment } from './support/binary.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'warrant-test-'))
const clone = join(folder, 'clone')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const HANDBOOK = {
  'computers.md': '# Missing computers\n\nTell the security team within an hour. They wipe the disk.\n',
  'holidays.md': '# Holidays\n\nAsk for them in the calendar two weeks ahead.\n',
  'expenses.md': '# Expenses\n\nSend receipts by the fifth of each month.\n',
  'pager.md': '# On call\n\nThe pager moves on every Monday at ten.\n',
}

/** A network of its own that has the loopback address and nothing else. */
const unplugged = (script: string): string => {
  const words = ['--map-root-user', '--net', 'sh', '-ec', `ip link set lo up\n${script}`]
  const { status, stdout, stderr } = spawnSync('unshare', words, {
    cwd: clone,
    env: { ...cleanEnvironment(), CPM_ROOT: join(folder, 'cpm'), XDG_STATE_HOME: join(folder, 'state') },
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
  return stdout
}

const canUnplug =
  spawnSync('unshare', ['--map-root-user', '--net', 'ip', 'link', 'set', 'lo', 'up']).status === 0

describe.skipIf(!canUnplug)('a clean install without a network', () => {
  it('builds, publishes to a local registry, and finds a passage that shares no word with the question', () => {
    mkdirSync(join(folder, 'handbook'))
    for (const [name, text] of Object.entries(HANDBOOK)) writeFileSync(join(folder, 'handbook', name), text)
    execFileSync('git', ['clone', '-q', ROOT, clone])
    execFileSync('npm', ['ci', '--silent', '--no-audit', '--no-fund'], { cwd: clone, stdio: 'ignore' })
    execFileSync(process.execPath, ['scripts/services.mjs', 'install', '--only', 'registry'], { cwd: clone })
    expect(unplugged('cat /proc/net/dev').match(/\w+(?=:)/g)).toEqual(['lo'])
    const warrant = 'node dist/bin/warrant.js packet'
    const walk = `
      export REGISTRY=$WARRANT_TEST_REGISTRY/offline
      ${warrant} build '${folder}/handbook' --name handbook --version 1.0.0 --out '${folder}/out' --quiet
      ${warrant} publish '${folder}/out/handbook/1.0.0' --quiet
      ${warrant} query handbook 'my laptop got stolen' --json > '${folder}/answer.json'`
    unplugged(
      `node scripts/services.mjs run --no-install --only registry -- sh -ec "${walk.replaceAll('$', '\\$')}"`,
    )
    const { results } = JSON.parse(readFileSync(join(folder, 'answer.json'), 'utf8'))
    expect(results[0]).toMatchObject({ path: 'computers.md', words: 0 })
  }, 600_000)
})
