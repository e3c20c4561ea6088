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
const NEW_OF_VALUE = /\bnew\((?!\[[^{}()]*\)|map\[[^{}()]*\)|struct\b|chan\b|interface\b|func\([^)]*\)\s*\))/g

/** The annotation of the dots of a parameter: `String @NonNull... names`. */
const ANNOTATED_DOTS = /@[\w.]+(?=\s*\.\.\.)/g

/** What a grammar does not know yet, and text of the same meaning that it knows. */
const NEWER: Readonly<Record<string, readonly [RegExp, string]>> = {
  go: [NEW_OF_VALUE, 'of('],
  java: [ANNOTATED_DOTS, ''],
}

/** Marks of templates: the text that a program puts in their place is not known, so a name stands for it. */
const TEMPLATE_MARKS =
  /\{%[\s\S]{0,1000}?%\}|\{\{[\s\S]{0,1000}?\}\}|<%[\s\S]{0,1000}?%>|<\?(?:php\b|=)[\s\S]{0,1000}?\?>|\$\{[A-Za-z_.]{1,100}\}|@[A-Z_]{2,100}@/g
const FRONT_MATTER = /^---\r?\n[\s\S]{0,10000}?^---[ \t]*$/m
const STATEMENT_MARK = /^\{%|^<%(?!=)|^<\?php/

/** The text as a template would give it; undefined if it has no mark of one. */
const fillTemplate = (text: string): string | undefined => {
  const filled = text
    .replace(FRONT_MATTER, (block, at: number) => (at === 0 ? '' : block))
    .replace(TEMPLATE_MARKS, (mark) => (STATEMENT_MARK.test(mark) ? ' ' : 'filled'))
  return filled === text ? undefined : filled
}

const accepts = (grammar: string, text: string): boolean =>
  parseText(grammar, text).find({ rule: { kind: 'ERROR' } }) === null

const acceptsNewer = (grammar: string, text: string): boolean => {
  const newer = NEWER[grammar]
  return newer !== undefined && text.search(newer[0]) !== -1 && accepts(grammar, text.replace(...newer))
}

/** Statements of Python 2, which its grammar knows in part. */
const PYTHON_2 =
  /^[ \t]*(?:print[ \t]+["'%]|exec[ \t]+["']|except[ \t]+[\w.]+,[ \t]*\w+[ \t]*:|raise[ \t]+[\w.]+,)/m

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

const isRefused = async (grammar: string, text: string): Promise<boolean> => {
  if (grammar === 'python' && PYTHON_2.test(text)) return false
  if (COMPLETE.has(grammar)) return !acceptsNewer(grammar, text)
  const sets = PLUGINS[grammar]
  return sets === undefined ? hasUnclosedToken(grammar, text) : !(await acceptsScript(text, sets))
}

/**
 * Whether the language refuses a text in which our grammar found an error. The grammars lag behind the languages: for
 * scripts a second parser decides, for Kotlin and Swift an unclosed bracket, string or comment. The text of a template
 * is none of the language.
 */
export const isSyntaxError = async (grammar: string, text: string): Promise<boolean> => {
  if (!(await isRefused(grammar, text))) return false
  const filled = fillTemplate(text)
  if (filled === undefined) return true
  return (await isRefused(grammar, filled)) && !(COMPLETE.has(grammar) && accepts(grammar, filled))
}
