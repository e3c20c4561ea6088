import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { projectDir } from './contestants.mjs'
import { waitedNs } from './proc.mjs'
import { Stop } from './stop.mjs'

/** Prints the most memory that a process had. */
const MEMORY = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync } from 'node:fs'
  process.on('exit', () => console.error(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]))`)}`

const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

/**
 * Runs the program to its end.
 *
 * @param {readonly string[]} args
 * @returns {{ stdout: string, cpu: number, memory: number }} CPU in milliseconds, and the most memory in MiB
 */
export function runMeasured(args) {
  const program = join(projectDir, 'dist/bin/warrant.js')
  const before = waitedNs()
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', MEMORY, program, ...args], {
    env,
    encoding: 'utf8',
    maxBuffer: 1024 ** 3,
  })
  if (status !== 0) throw new Stop(`${args.slice(0, 2).join(' ')} failed: ${stdout}${stderr}`.slice(0, 500))
  return {
    stdout,
    cpu: (waitedNs() - before) / 1e6,
    memory: Number(stderr.trim().split('\n').at(-1)) / 1024,
  }
}
