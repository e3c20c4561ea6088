import { createHash } from 'node:crypto'
import type { Grammar, MissingGrammar } from './text/languages.ts'

/** A node of a syntax tree: the part of the parser's interface that reading declarations and calls needs. */
export interface SyntaxNode {
  /** Unique in its tree. */
  readonly id: number
  readonly kind: string
  /** Counted from 1. */
  readonly line: number
  readonly lastLine: number
  text(): string
  /** The child in a named field of the grammar. */
  field(name: string): SyntaxNode | undefined
  /** Named children, in the sense of tree-sitter. */
  children(): readonly SyntaxNode[]
  /** Kinds of the anonymous children: keywords and punctuation. */
  words(): readonly string[]
  /** All descendants of these kinds, in source order. */
  descend(kinds: readonly string[]): readonly SyntaxNode[]
  /** Nodes without children below this one whose whole text matches a regular expression in Rust syntax. */
  leaves(regex: string): readonly SyntaxNode[]
  parent(): SyntaxNode | undefined
}

export interface SyntaxParser {
  parse(grammar: Grammar, text: string): SyntaxNode
  /** What has to be installed before a grammar can be used; undefined when nothing has to. */
  missing(grammar: Grammar): MissingGrammar | undefined
}

export const childOfKind = (
  node: SyntaxNode | undefined,
  ...kinds: readonly string[]
): SyntaxNode | undefined => node?.children().find(({ kind }) => kinds.includes(kind))

export const childrenOfKind = (
  node: SyntaxNode | undefined,
  ...kinds: readonly string[]
): readonly SyntaxNode[] => node?.children().filter(({ kind }) => kinds.includes(kind)) ?? []

/** Shorter bodies are often equal by chance. */
const MIN_LINES = 8

/** A digest of the text of a body without its white space; empty for short bodies. */
export const digestOf = (body: SyntaxNode | undefined, text: string): string => {
  if (body === undefined || body.lastLine - body.line < MIN_LINES) return ''
  return createHash('sha256').update(text.replace(/\s+/g, ' ')).digest('base64').slice(0, 16)
}
