import { createHash } from 'node:crypto'
import type { Grammar } from '../../kernel/text/languages.ts'

/** A node of a syntax tree: the part of the parser's interface that reading declarations and calls needs. */
export interface SyntaxNode {
  /** Differs from that of every other node of the same tree. */
  readonly id: number
  readonly kind: string
  /** Counted from 1. */
  readonly line: number
  readonly lastLine: number
  text(): string
  /** The child in a role the grammar names. */
  field(name: string): SyntaxNode | undefined
  /** Children that have a name in the grammar. */
  children(): readonly SyntaxNode[]
  /** Keywords and marks among the children. */
  words(): readonly string[]
  /** Everything below of these kinds, in the order of the text. */
  descend(kinds: readonly string[]): readonly SyntaxNode[]
  /** Nodes without children below this one whose whole text matches a regular expression in Rust syntax. */
  leaves(regex: string): readonly SyntaxNode[]
  parent(): SyntaxNode | undefined
}

export interface SyntaxParser {
  parse(grammar: Grammar, text: string): SyntaxNode
}

export const childOfKind = (
  node: SyntaxNode | undefined,
  ...kinds: readonly string[]
): SyntaxNode | undefined => node?.children().find(({ kind }) => kinds.includes(kind))

export const childrenOfKind = (
  node: SyntaxNode | undefined,
  ...kinds: readonly string[]
): readonly SyntaxNode[] => node?.children().filter(({ kind }) => kinds.includes(kind)) ?? []

/** Shorter bodies are alike by chance. */
const MIN_LINES = 8

/** Tells bodies of code apart by their words, not by their layout; empty for short ones. */
export const digestOf = (body: SyntaxNode | undefined, text: string): string => {
  if (body === undefined || body.lastLine - body.line < MIN_LINES) return ''
  return createHash('sha256').update(text.replace(/\s+/g, ' ')).digest('base64').slice(0, 16)
}
