import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../../test/support/binary.ts'
import { isRunning } from '../../../test/support/process.ts'
import { runCommand } from './command.ts'

const folder = mkdtempSync(join(tmpdir(), 'warrant-command-'))
const env = { PATH: process.env.PATH ?? '' }
const run = (
  command: string,
  { timeoutMs = 20_000, writesFile = false, signal = new AbortController().signal } = {},
) => runCommand({ run: command, env: [], timeoutMs, writesFile }, { cwd: folder, env }, signal)

const pidsIn = (name: string): number[] =>
  existsSync(join(folder, name))
    ? readFileSync(join(folder, name), 'utf8').trim().split('\n').map(Number)
    : []

/** Waits until none of the processes in a file runs. */
const areGone = (name: string): Promise<void> =>
  eventually('the end of all processes', () => !pidsIn(name).some(isRunning))

describe('a command', () => {
  it('gets its own environment, and a file for results that is gone afterwards', async () => {
    const { exitCode, file, stdout } = await run('env; echo "$OUT"; echo results > "$OUT"; exit 3', {
      writesFile: true,
    })
    const lines = Buffer.from(stdout).toString('utf8').trim().split('\n')
    expect(exitCode).toBe(3)
    expect(Buffer.from(file ?? []).toString('utf8')).toBe('results\n')
    expect(existsSync(lines.at(-1) ?? '')).toBe(false)
    const names = lines.map((line) => line.split('=')[0])
    expect(names).not.toContain('HOME')
    expect(names.filter((name) => name?.startsWith('XDG'))).toEqual([])
  })

  it('that writes without end is read to the end, and a part of it is kept', async () => {
    const { stdout, omitted, lastOutput } = await run('head -c 50000000 /dev/zero; echo the end')
    expect(stdout.length).toBe(10 * 1024 * 1024)
    expect(stdout.length + omitted).toBe(50_000_008)
    expect(lastOutput).toMatch(/the end\n$/)
  })

  it('that hangs is ended at its deadline, with children that left its group', async () => {
    const started = performance.now()
    const fork = '(setsid sh -c "echo \\$\\$ >> pids; sleep 60" &); sh -c "echo \\$\\$ >> pids; sleep 60"'
    const { ended, exitCode } = await run(fork, { timeoutMs: 1_500 })
    expect({ ended, exitCode }).toEqual({ ended: 'timeout', exitCode: undefined })
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(pidsIn('pids')).toHaveLength(2)
    await areGone('pids')
  })

  it('that leaves a process with its pipes is not waited for, and what is left in its group is ended', async () => {
    const started = performance.now()
    const { ended, exitCode } = await run('sh -c "echo \\$\\$ > left; sleep 60" & sleep 0.3; exit 0')
    expect({ ended, exitCode }).toEqual({ ended: 'exit', exitCode: 0 })
    expect(performance.now() - started).toBeLessThan(10_000)
    await areGone('left')
  })

  it('is ended when it is cancelled', async () => {
    const controller = new AbortController()
    const running = run('echo $$ > cancelled; sleep 60', { signal: controller.signal })
    await eventually('a process', () => pidsIn('cancelled').length > 0)
    controller.abort()
    expect((await running).ended).toBe('cancelled')
    await areGone('cancelled')
  })
})
