import { join } from 'node:path'
import { isRecord, jsonOf } from '../../kernel/encoding/json.ts'
import type { ScratchClone } from '../../platform/git/scratch-clone.ts'
import { findProgram } from '../../platform/programs/client-signs.ts'
import type { HookedClient } from '../../setup/client-hooks.ts'
import { CLIENT_SANDBOXES } from '../../setup/client-sandbox.ts'
import type { CanaryRow } from './read-answer.ts'

/** Prints those of its arguments that it can write to. */
const TRY = `for p; do if [ -d "$p" ]; then true > "$p/warrant-canary" && echo "$p"; elif [ -e "$p" ]; then true >> "$p" && echo "$p"; fi; done 2>/dev/null; exit 0`
const RUN = ['sh', '-c', TRY, 'sh']

/** A program with the same means as the sandboxes of the clients on this system, and its arguments. */
const launchReadOnly = (paths: readonly string[]): readonly string[] =>
  process.platform === 'darwin'
    ? [
        'sandbox-exec',
        '-p',
        `(version 1)(allow default)(deny file-write* ${paths.map((path) => `(subpath ${JSON.stringify(path)})`).join(' ')})`,
      ]
    : ['bwrap', '--dev-bind', '/', '/', ...paths.flatMap((path) => ['--ro-bind-try', path, path])]

const isOpened = (local: string | undefined): boolean => {
  const value = jsonOf(local ?? '')
  const sandbox = isRecord(value) && isRecord(value.sandbox) ? value.sandbox : {}
  return sandbox.enabled === false || sandbox.allowUnsandboxedCommands === true
}

/** Runs what the settings of a client keep read-only in a sandbox of this system. No row without such settings. */
export const fireSandbox = async (
  client: HookedClient,
  clone: ScratchClone,
  read: (path: string) => Promise<string | undefined>,
): Promise<readonly CanaryRow[]> => {
  const sandbox = CLIENT_SANDBOXES[client]
  const text = sandbox && (await read(sandbox.file))
  const names = text === undefined ? undefined : sandbox?.readOnlyPaths(text)
  if (names === undefined) return []
  const row = (result: CanaryRow['result'], detail: string, fix?: string): readonly CanaryRow[] => [
    { point: `sandbox ${client}`, result, detail, ...(fix !== undefined && { fix }) },
  ]
  if (client === 'claude' && isOpened(await read('.claude/settings.local.json')))
    return row(
      'does not block',
      'the settings of this clone open the sandbox',
      'Remove sandbox from .claude/settings.local.json.',
    )
  const paths = names.map((name) => join(clone.folder, name))
  const [program = '', ...args] = launchReadOnly(paths)
  if ((await findProgram(program, process.env.PATH ?? '')) === undefined)
    return row(
      'does not block',
      `${program} is not on the PATH, so commands run outside of a sandbox`,
      'Install bubblewrap and socat.',
    )
  const writable = ((await clone.run('sh', [...RUN.slice(1), ...paths]))?.stdout ?? '')
    .split('\n')
    .slice(0, -1)
  const inside = await clone.run(program, [...args, ...RUN, ...paths])
  await clone.run('sh', ['-c', 'rm -f "$@"', 'sh', ...paths.map((path) => join(path, 'warrant-canary'))])
  if (inside?.exitCode !== 0)
    return row(
      'cannot be shown',
      `${program} does not run here: ${inside?.stderr.trim().split('\n').at(-1) ?? ''}`,
    )
  const open = inside.stdout.split('\n').slice(0, -1)
  return open.length > 0
    ? row(
        'does not block',
        `commands can write ${open.map((path) => path.slice(clone.folder.length + 1)).join(', ')}`,
      )
    : row('blocks', `commands cannot write ${writable.length} files and folders of the gate`)
}
