import {
  type HookName,
  type HookState,
  HUSKY_LINE,
  hookState,
  isBlockCurrent,
  linesBeforeBlock,
} from './hook-script.ts'

/**
 * The state of a hook, as it is reported. `outdated`: the block is not the one that this version writes. `idle`: git
 * does not start the hook, or the hook may end before it reaches the block.
 */
export type ReportedState = HookState | 'outdated' | 'idle'

interface HookCheck {
  readonly state: ReportedState
  /** Why the gate may not run; absent when it does. */
  readonly problem?: string
}

const SHELL = /^#!\s*\/(?:usr\/)?bin\/(?:env (?:-S )?)?(?:sh|bash|dash|ash|ksh|mksh|zsh)(?: -[eux]+)?\s*$/
/** Lines that cannot end a script: blank ones, comments, and options that make it stricter. */
const HARMLESS = /^\s*(?:#.*|set -[eux]+)?\s*$/

const idleReason = (bytes: Uint8Array, executable: boolean): string | undefined => {
  if (!executable) return 'the file is not executable, so git does not start it'
  const [first = '', ...rest] = linesBeforeBlock(bytes)
  if (first.startsWith('#!') && !SHELL.test(first)) return 'its first line does not start a plain shell'
  const lines = first.startsWith('#!') ? rest : [first, ...rest]
  return lines.every((line) => HARMLESS.test(line) || HUSKY_LINE.test(line))
    ? undefined
    : 'lines before the block may end the hook before the gate runs'
}

/** Whether a hook runs the gate, by its mode, its lines before the block, and the bytes of the block. */
export const checkHook = (bytes: Uint8Array | undefined, name: HookName, executable: boolean): HookCheck => {
  const state = hookState(bytes)
  if (bytes === undefined || state !== 'managed') return { state }
  const reason = idleReason(bytes, executable)
  if (reason !== undefined) return { state: 'idle', problem: reason }
  return isBlockCurrent(bytes, name)
    ? { state }
    : { state: 'outdated', problem: 'its block is not the one that this version writes' }
}
