import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BINARY } from '../support/binary.ts'
import { GuardedRepository } from '../support/guarded-repository.ts'

const guarded = new GuardedRepository()
const { repo, home } = guarded
const events = join(home.path('state', 'warrant', 'events'))
const folder = join(events, readdirSync(events)[0] ?? '')
const DAY_MS = 24 * 3_600_000
const dayOf = (ago: number): string => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10)
const fileOf = (ago: number): string => join(folder, `${dayOf(ago)}.jsonl`)
const lineOf = (ago: number, at: number): string => {
  const isRefused = at % 50 === 0
  const event = {
    client: 'claude',
    session: `s${at % 90}`,
    what: 'command',
    command: 'git commit --no-verify -m',
  }
  const verdict = isRefused ? { verdict: 'refused', rule: 'hooks-skipped' } : { verdict: 'allowed' }
  return JSON.stringify({ at: `${dayOf(ago)}T12:00:00.000Z`, ...event, ...verdict })
}
const verify = () => {
  const { status, stdout } = guarded.warrant(['log', 'verify'])
  return { status, changed: JSON.parse(stdout).changed_events ?? [] }
}

/** Every file of a folder, those in folders below it too. */
const filesBelow = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const inner = join(path, entry.name)
    return entry.isDirectory() ? filesBelow(inner) : entry.isFile() ? [inner] : []
  })

describe('what is kept of an event', () => {
  const MARK = 'k3ep-th1s-s3cret'
  const patch = `*** Begin Patch\n*** Add File: src/p.ts\n+export const p = '${MARK}'\n*** End Patch\n`
  const inputs: readonly (readonly [tool: string, input: object])[] = [
    [
      'Bash',
      {
        command: `mysql -p${MARK} --password=${MARK} ${MARK}; TOKEN=${MARK} curl -H "X: ${MARK}" https://${MARK}`,
      },
    ],
    ['Bash', { command: `cat > src/c.ts <<E\nexport const c = '${MARK}'\nE`, description: MARK }],
    ['Bash', { command: `git commit --no-verify -m ${MARK}; ${MARK} ${MARK}; "${MARK}" x` }],
    ['Bash', { command: `case x in ${`${MARK}|`.repeat(3_000)}` }],
    ['Write', { file_path: 'src/w.ts', content: `export const w = '${MARK}'\n` }],
    ['Write', { file_path: 'src/e.ts', content: `eval('${MARK}' + input)\n` }],
    ['Edit', { file_path: 'src/a.ts', old_string: 'const a = 1', new_string: `const a = '${MARK}'` }],
    ['Edit', { file_path: 'src/a.ts', old_string: MARK, new_string: MARK }],
    ['NotebookEdit', { notebook_path: 'n.ipynb', new_source: MARK }],
    ['apply_patch', { command: patch }],
    ['mcp__files__write_file', { path: 'src/m.ts', content: MARK }],
    ['WebFetch', { url: `https://${MARK}`, prompt: MARK }],
  ]

  it('holds no argument and no content, searched by bytes in all that this user keeps', () => {
    for (const client of ['claude', 'copilot', 'cursor', 'codex', 'gemini'])
      for (const moment of ['PreToolUse', 'PostToolUse'])
        for (const [tool_name, tool_input] of inputs) {
          const name = client === 'gemini' ? (moment === 'PreToolUse' ? 'BeforeTool' : 'AfterTool') : moment
          const event = { hook_event_name: name, session_id: 'x', cwd: repo.folder, tool_name, tool_input }
          guarded.warrant(
            ['hook', client, '--budget', '9000'],
            JSON.stringify({ ...event, tool_response: MARK }),
          )
        }
    expect(guarded.warrant(['gate']).status).toBe(0)
    const kept = [...filesBelow(home.path('state')), ...filesBelow(repo.path('.warrant'))]
    expect(kept.length).toBeGreaterThan(5)
    expect(readFileSync(fileOf(0), 'utf8').split('\n').length).toBeGreaterThan(80)
    expect(kept.filter((path) => readFileSync(path).includes(MARK))).toEqual([])
  })
})

describe('many events', () => {
  it('are listed in a tenth of a second: those refused in a week, of 100,000', () => {
    for (let ago = 1; ago <= 5; ago++)
      writeFileSync(fileOf(ago), Array.from({ length: 20_000 }, (_, at) => `${lineOf(ago, at)}\n`).join(''), {
        mode: 0o600,
      })
    const times = Array.from({ length: 7 }, () => {
      const script = `TIMEFORMAT='%U %S'; time "${process.execPath}" "${BINARY}" log --refused --since 7d >/dev/null`
      const { stderr } = guarded.start('bash', ['-c', script])
      return stderr
        .trim()
        .split(' ')
        .reduce((sum, one) => sum + Number(one), 0)
    })
    // Of the processor, because other programs may run beside it.
    expect(times.sort()[0]).toBeLessThan(0.1)
    expect(
      JSON.parse(guarded.warrant(['log', '--refused', '--since', '7d', '--json', '--limit', '5000']).stdout),
    ).toMatchObject({
      unsealed: 100_000,
    })
  })

  it('are sealed by the next run, which says nothing about them; what came since is counted', () => {
    expect(guarded.warrant(['gate']).status).toBe(0)
    expect(verify()).toEqual({ status: 0, changed: [] })
    guarded.next()
    expect(guarded.warrant(['log']).stdout).toMatch(/\n1 event not sealed yet/)
  })

  it('are kept for 90 days', () => {
    writeFileSync(fileOf(91), `${lineOf(91, 0)}\n`)
    writeFileSync(fileOf(89), `${lineOf(89, 0)}\n`)
    expect(guarded.warrant(['gate']).status).toBe(0)
    const days = readdirSync(folder)
    expect([days.includes(`${dayOf(91)}.jsonl`), days.includes(`${dayOf(89)}.jsonl`)]).toEqual([false, true])
    expect(verify()).toEqual({ status: 0, changed: [] })
  })

  it('take at most 100 MB: the oldest days are removed, which is no finding', () => {
    const block = `${Array.from({ length: 20_000 }, (_, at) => lineOf(6, at)).join('\n')}\n`
    mkdirSync(folder, { recursive: true })
    for (const ago of [6, 7, 8])
      while ((statSync(fileOf(ago), { throwIfNoEntry: false })?.size ?? 0) < 45e6)
        appendFileSync(fileOf(ago), block)
    expect(guarded.warrant(['gate']).status).toBe(0)
    const total = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    expect(total).toBeLessThan(105e6)
    expect(readdirSync(folder)).toContain(`${dayOf(5)}.jsonl`)
    expect(readdirSync(folder)).not.toContain(`${dayOf(89)}.jsonl`)
    expect(verify()).toEqual({ status: 0, changed: [] })
    writeFileSync(fileOf(2), readFileSync(fileOf(2), 'utf8').replace('allowed', 'refused'))
    expect(verify()).toEqual({ status: 1, changed: [dayOf(2)] })
  })
})
