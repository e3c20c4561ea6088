import { spawnSync } from 'node:child_process'
import { BINARY, cleanEnvironment } from './binary.ts'

/** Runs `warrant` to its end and reads the one JSON document it prints. */
export const runJson = (
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): {
  readonly status: number | null
  readonly value: ReturnType<typeof JSON.parse>
  readonly stderr: string
} => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, ...args, '--json'], {
    cwd,
    env: cleanEnvironment(env),
    encoding: 'utf8',
    input: '',
  })
  return { status, value: stdout === '' ? undefined : JSON.parse(stdout), stderr }
}
