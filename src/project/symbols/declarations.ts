import { extensionOf, grammarForExtension } from '../../kernel/text/languages.ts'

/** A node of a syntax tree, as far as we look at one. */
export interface DeclarationNode {
  kind(): string | number
  text(): string
  children(): DeclarationNode[]
  field(name: string): DeclarationNode | null
  range(): { readonly start: Place; readonly end: Place }
  /** Nodes whose whole text fits a regular expression of the parser's own kind. */
  findAll(config: { readonly rule: { readonly regex: string } }): DeclarationNode[]
}

interface Place {
  readonly line: number
  readonly column: number
}

/** Parses a text with a grammar of ast-grep. */
export type ParseText = (grammar: string, text: string) => DeclarationNode

export const grammarOf = (name: string): string | undefined => grammarForExtension(extensionOf(name))

/** Kinds of node that declare something, in all grammars at once: where they share a name, they share its meaning. */
const DECLARES: Readonly<Record<string, string>> = {
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

/** Declarations that hold others. Functions do too, but what is inside of them is nobody else's business. */
const HOLDS = new Set([
  'class',
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

/** What only stands around declarations. */
const AROUND = new Set([
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

const NAMES = new Set([
  'identifier',
  'type_identifier',
  'simple_identifier',
  'variable_declaration',
  'pattern',
])

export interface Declared {
  readonly name: string
  readonly kind: string
  /** From 1, both inclusive. */
  readonly line: number
  readonly end: number
  readonly inside: readonly Declared[]
}

const MAX_NAME = 200

const nameOf = (node: DeclarationNode): string | undefined => {
  // JavaScript calls the name of a class field `property`.
  const named =
    node.field('name') ??
    node.field('property') ??
    node.children().find((child) => NAMES.has(String(child.kind())))
  const name = named?.text().replace(/\s+/g, ' ')
  return name === undefined || name === '' || name.length > MAX_NAME ? undefined : name
}

/** Reads on as deep as declarations hold declarations. `depth` is how many levels of them are wanted. */
export const readSymbols = (node: DeclarationNode, depth: number): readonly Declared[] =>
  depth === 0 ? [] : node.children().flatMap((child) => symbolsOf(child, depth))

const symbolsOf = (node: DeclarationNode, depth: number): readonly Declared[] => {
  const kind = String(node.kind())
  const label = Object.hasOwn(DECLARES, kind) ? DECLARES[kind] : undefined
  const name = label === undefined ? undefined : nameOf(node)
  if (label !== undefined && name !== undefined) {
    const { start, end } = node.range()
    const inside = HOLDS.has(label) ? readSymbols(node, depth - 1) : []
    return [{ name, kind: label, line: start.line + 1, end: end.line + 1, inside }]
  }
  return AROUND.has(kind) ? readSymbols(node, depth) : []
}
