import { realpathSync } from 'node:fs'
import type { Launch } from '../surfaces/cli/client-config.ts'

/**
 * How a client should start this program. The path that runs now is the one that surely works, unless npx
 * put it in a cache that may be swept tomorrow.
 */
export const launchSelf = (args: readonly string[], bin?: string | boolean): Launch => {
  if (typeof bin === 'string') return { command: bin, args }
  const program = realpathSync(process.argv[1] ?? '')
  if (/[\\/]_npx[\\/]/.test(program)) return { command: 'npx', args: ['-y', 'warrant', ...args] }
  return { command: 'node', args: [program, ...args] }
}
