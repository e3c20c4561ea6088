import { createRequire } from 'node:module'
import type { SgNode as NapiNode } from '@ast-grep/napi'
import { GRAMMAR_PACKAGES } from '../../kernel/text/languages.ts'
import { loadGrammars } from './grammar-packages.ts'

/** The native parser. It takes 10 ms to load, and so do the other grammars: both are loaded with the first file. */

type Napi = typeof import('@ast-grep/napi')

/** A rule is plain data: ast-grep checks it when it compiles it. */
type RuleConfig = string | number | { readonly rule?: unknown; readonly utils?: unknown }

export interface SgNode
  extends Omit<NapiNode, 'find' | 'findAll' | 'matches' | 'getMatch' | 'getMultipleMatches'> {
  matches(config: RuleConfig): boolean
  find(config: RuleConfig): SgNode | null
  findAll(config: RuleConfig): SgNode[]
  getMatch(variable: string): SgNode | null
  getMultipleMatches(variable: string): SgNode[]
}

/** Whether a grammar is built into ast-grep. The others can hang or crash on a short hostile text. */
export const isBuiltIn = (grammar: string): boolean => !GRAMMAR_PACKAGES.has(grammar)

const load = createRequire(import.meta.url)
const loadNapi = (): Napi => load('@ast-grep/napi')
let napi: Napi | undefined
let registered = false

/** The root of the syntax tree of a text. */
export const parseText = (grammar: string, text: string): SgNode => {
  napi ??= loadNapi()
  if (!registered && !isBuiltIn(grammar)) {
    // ast-grep accepts further grammars once only, so all are registered together.
    napi.registerDynamicLanguage(loadGrammars())
    registered = true
  }
  return napi.parse(grammar, text).root()
}

// Lines of blanks and comments between the end of one declaration and the annotations of the next.
const NEXT_ANNOTATION = /^(\}[ \t]*\r?\n(?:[ \t]*(?:(?:\/\/|\/?\*)[^\n]*)?\n)*)@/gm

/**
 * Parses for callers that use line numbers only. After a class the Kotlin grammar reads `@A(x = [1]) class B {` as an
 * expression and loses the class; inserting a semicolon prevents that and shifts columns.
 */
export const parseLines = (grammar: string, text: string): SgNode =>
  parseText(grammar, grammar === 'kotlin' ? text.replace(NEXT_ANNOTATION, '$1;@') : text)

/** The number of a node kind; undefined when the grammar does not know it. The grammar must have parsed a text. */
export const kindNumber = (grammar: string, kind: string): number | undefined => {
  try {
    return napi?.kind(grammar, kind)
  } catch {
    return undefined
  }
}
