import { createRequire } from 'node:module'
import type { SgNode } from '@ast-grep/napi'
import { GRAMMAR_PACKAGES } from '../../kernel/text/languages.ts'

/** The native parser. Loading it costs ten milliseconds, the grammars beside it as many again: both wait for a file. */

export type { SgNode }

type Napi = typeof import('@ast-grep/napi')

/** Whether a grammar is one of the library's own. The others can be brought to hang, or to crash, by a short text. */
export const isBuiltIn = (grammar: string): boolean => !GRAMMAR_PACKAGES.has(grammar)

const load = createRequire(import.meta.url)
let napi: Napi | undefined
let registered = false

/** The root of the syntax tree of a text. */
export const parseText = (grammar: string, text: string): SgNode => {
  napi ??= load('@ast-grep/napi') as Napi
  if (!registered && !isBuiltIn(grammar)) {
    // The library takes all further grammars at once, and only once.
    const grammars = [...GRAMMAR_PACKAGES].map(([name, from]) => [name, load(from)])
    napi.registerDynamicLanguage(Object.fromEntries(grammars))
    registered = true
  }
  return napi.parse(grammar, text).root()
}

// Lines of blanks and comments between the end of one declaration and the annotations of the next.
const NEXT_ANNOTATION = /^(\}[ \t]*\r?\n(?:[ \t]*(?:(?:\/\/|\/?\*)[^\n]*)?\n)*)@/gm

/**
 * The same for who asks about lines only. Behind the end of a class the Kotlin grammar takes `@A(x = [1]) class B {`
 * for an expression, and the class is lost; a semicolon there keeps them apart.
 */
export const parseLines = (grammar: string, text: string): SgNode =>
  parseText(grammar, grammar === 'kotlin' ? text.replace(NEXT_ANNOTATION, '$1;@') : text)

/** The number of a kind of node in a grammar that has read a text; undefined when it knows no such kind. */
export const kindNumber = (grammar: string, kind: string): number | undefined => {
  try {
    return napi?.kind(grammar, kind)
  } catch {
    return undefined
  }
}
