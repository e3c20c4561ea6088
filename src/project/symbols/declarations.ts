import { optional } from '../../kernel/optional.ts'
import type { SyntaxNode } from '../../kernel/syntax-tree.ts'
import { extensionOf, type Grammar, grammarForExtension } from '../../kernel/text/languages.ts'

export const sourceGrammar = (name: string): Grammar | undefined => grammarForExtension(extensionOf(name))

/** Node kinds that declare a symbol, for all grammars: a kind used by several grammars means the same in each. */
const SYMBOL_KINDS: Readonly<Record<string, string>> = {
  class_declaration: 'class',
  abstract_class_declaration: 'class',
  class_definition: 'class',
  interface_declaration: 'interface',
  protocol_declaration: 'protocol',
  enum_declaration: 'enum',
  record_declaration: 'record',
  annotation_type_declaration: 'annotation',
  object_declaration: 'object',
  companion_object: 'object',
  module: 'module',
  internal_module: 'namespace',
  type_alias_declaration: 'type',
  type_alias: 'type',
  type_spec: 'type',
  function_declaration: 'function',
  generator_function_declaration: 'function',
  function_signature: 'function',
  function_definition: 'function',
  method_definition: 'method',
  method_declaration: 'method',
  method_signature: 'method',
  abstract_method_signature: 'method',
  annotation_type_element_declaration: 'method',
  protocol_function_declaration: 'method',
  method_elem: 'method',
  constructor_declaration: 'constructor',
  compact_constructor_declaration: 'constructor',
  init_declaration: 'constructor',
  public_field_definition: 'field',
  field_definition: 'field',
  field_declaration: 'field',
  property_signature: 'property',
  property_declaration: 'property',
  variable_declarator: 'variable',
  const_spec: 'constant',
  var_spec: 'variable',
  assignment: 'variable',
  enum_constant: 'case',
  enum_entry: 'case',
}

/** Symbols whose members are listed. The locals of a function are not listed: no other file can use them. */
const CONTAINER_SYMBOLS = new Set([
  'class',
  'struct',
  'actor',
  'extension',
  'interface',
  'protocol',
  'enum',
  'record',
  'annotation',
  'object',
  'module',
  'namespace',
  'type',
])

/** Nodes that declare nothing but contain declarations. */
const WRAPPERS = new Set([
  'export_statement',
  'ambient_declaration',
  'expression_statement',
  'lexical_declaration',
  'variable_declaration',
  'decorated_definition',
  'type_declaration',
  'const_declaration',
  'var_declaration',
  'var_spec_list',
  'field_declaration',
  'field_declaration_list',
  'struct_type',
  'interface_type',
  'class_body',
  'interface_body',
  'object_type',
  'enum_body',
  'enum_body_declarations',
  'enum_class_body',
  'protocol_body',
  'annotation_type_body',
  'block',
  'statement_block',
  'statements',
  'ERROR',
])

const NAME_NODES = new Set([
  'identifier',
  'type_identifier',
  'simple_identifier',
  'variable_declaration',
  'pattern',
])

export interface DeclaredSymbol {
  readonly name: string
  /** The type that a method of Go belongs to, which is declared elsewhere. */
  readonly receiver?: string
  readonly kind: string
  /** From 1, both inclusive. */
  readonly line: number
  readonly end: number
  readonly members: readonly DeclaredSymbol[]
}

const MAX_NAME = 200

const symbolName = (node: SyntaxNode): string | undefined => {
  // JavaScript calls the name of a class field `property`.
  const named =
    node.field('name') ?? node.field('property') ?? node.children().find(({ kind }) => NAME_NODES.has(kind))
  const name = named?.text().replace(/\s+/g, ' ')
  return name === undefined || name === '' || name.length > MAX_NAME ? undefined : name
}

/** The symbols below a node; members of members down to `depth` levels. */
export const readSymbols = (node: SyntaxNode, depth: number): readonly DeclaredSymbol[] =>
  depth === 0 ? [] : node.children().flatMap((child) => symbolsOf(child, depth))

/** Swift has one node kind for classes, structs, actors, enums and extensions; the keyword tells them apart. */
const declarationKind = (node: SyntaxNode, label: string): string =>
  label === 'class' ? (node.field('declaration_kind')?.text() ?? label) : label

/** `(s *Server)` and `(s *Pool[T])` are `Server` and `Pool`. */
const receiverOf = (node: SyntaxNode): string | undefined =>
  /(\w+)(?:\[[^\]]*\])?\s*,?\s*\)$/.exec(node.field('receiver')?.text() ?? '')?.[1]

const symbolsOf = (node: SyntaxNode, depth: number): readonly DeclaredSymbol[] => {
  const { kind } = node
  const label = Object.hasOwn(SYMBOL_KINDS, kind) ? SYMBOL_KINDS[kind] : undefined
  const name = label === undefined ? undefined : symbolName(node)
  if (label !== undefined && name !== undefined) {
    const shown = declarationKind(node, label)
    const receiver = kind === 'method_declaration' ? receiverOf(node) : undefined
    const members = CONTAINER_SYMBOLS.has(shown) ? readSymbols(node, depth - 1) : []
    return [
      {
        name,
        kind: shown,
        line: node.line,
        end: node.lastLine,
        members,
        ...optional({ receiver }),
      },
    ]
  }
  return WRAPPERS.has(kind) ? readSymbols(node, depth) : []
}
