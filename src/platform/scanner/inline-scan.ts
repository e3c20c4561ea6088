import { isBuiltIn } from '../syntax/ast-grep.ts'
import type { ScanGroup } from './plan.ts'

const OPENING = new Set([...'([{<`'].map((char) => char.charCodeAt(0)))
const CLOSING = new Set([...')]}>'].map((char) => char.charCodeAt(0)))
/** Deeper than hand-written code, and far below the depth at which parsers become slow. */
const MAX_NESTING = 256

/** Whether brackets are nested at most `MAX_NESTING` deep; brackets in strings and comments count too. */
const isShallow = (bytes: Uint8Array): boolean => {
  let depth = 0
  for (const byte of bytes) {
    if (OPENING.has(byte)) depth += 1
    else if (CLOSING.has(byte) && depth > 0) depth -= 1
    if (depth > MAX_NESTING) return false
  }
  return true
}

/** In-process parsing cannot be interrupted: only trusted rules, built-in grammars and shallow files run here. */
export const canScanInline = ({ trusted, passes }: ScanGroup, bytes: Uint8Array): boolean =>
  trusted && (passes.length === 0 || (passes.every(({ grammar }) => isBuiltIn(grammar)) && isShallow(bytes)))
