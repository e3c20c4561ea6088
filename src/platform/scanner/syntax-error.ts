import type { ParserPlugin } from '@babel/parser'
import { parseText } from '../syntax/ast-grep.ts'
import { hasUnclosedToken } from './unclosed-token.ts'

const DECORATORS: ParserPlugin = 'decorators'
const TYPES: readonly ParserPlugin[] = ['typescript', DECORATORS]
/** Plugins of the second parser by grammar: one of the sets has to accept a text. */
const PLUGINS: Readonly<Record<string, readonly (readonly ParserPlugin[])[]>> = {
  TypeScript: [TYPES],
  Tsx: [[...TYPES, 'jsx']],
  JavaScript: [
    ['jsx', DECORATORS],
    ['jsx', 'flow', DECORATORS],
  ],
}

/** The grammars that accept all valid code of public repositories; an error that they report is one. */
const COMPLETE = new Set(['python', 'go', 'java'])

/** `new` of a value, which is younger than the grammar of Go. With another name it is a call like any other. */
const NEW_OF_VALUE = /\bnew\((?=["`\d]|func\b|[\w.]+[([]|\w+\.\w+\.\w)/g

const acceptsNewer = (grammar: string, text: string): boolean => {
  if (grammar !== 'go' || text.search(NEW_OF_VALUE) === -1) return false
  return parseText(grammar, text.replace(NEW_OF_VALUE, 'of(')).find({ rule: { kind: 'ERROR' } }) === null
}

const acceptsScript = async (text: string, sets: readonly (readonly ParserPlugin[])[]): Promise<boolean> => {
  const { parse } = await import('@babel/parser')
  return sets.some((plugins) => {
    try {
      // What is parsed with recovery breaks a rule of the language and not its grammar.
      parse(text, {
        sourceType: 'unambiguous',
        errorRecovery: true,
        allowReturnOutsideFunction: true,
        allowAwaitOutsideFunction: true,
        allowSuperOutsideMethod: true,
        allowUndeclaredExports: true,
        plugins: [...plugins],
      })
      return true
    } catch {
      return false
    }
  })
}

/**
 * Whether the language refuses a text in which our grammar found an error. The grammars lag behind the languages: for
 * scripts a second parser decides, for Kotlin and Swift an unclosed bracket, string or comment.
 */
export const isSyntaxError = async (grammar: string, text: string): Promise<boolean> => {
  if (COMPLETE.has(grammar)) return !acceptsNewer(grammar, text)
  const sets = PLUGINS[grammar]
  return sets === undefined ? hasUnclosedToken(grammar, text) : !(await acceptsScript(text, sets))
}
