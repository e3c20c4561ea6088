import { optional } from '../../kernel/optional.ts'
/** Declarations and calls of a source file in one model for all languages: the input of every detector. */

export type Expression =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'join'; readonly parts: readonly Expression[] }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'call'; readonly call: CallExpression }
  | { readonly kind: 'annotation'; readonly annotation: Annotation }
  | {
      readonly kind: 'record'
      readonly entries: ReadonlyMap<string, Expression>
      /** Of a composite literal in Go, as written in the source. */
      readonly type?: string
    }
  | { readonly kind: 'other'; readonly text: string; readonly lambda?: Lambda }

/** A function that is written where it is used. Only for scripts. */
export interface Lambda {
  readonly parameters: readonly string[]
  readonly line: number
  readonly lastLine: number
  /** The object that it returns, where the code shows one. */
  readonly returns?: Expression
}

export interface CallExpression {
  readonly receiver?: Expression
  /** The method, or the type when `makes` is true. */
  readonly name: string
  /** A constructor call. */
  readonly makes: boolean
  /** In Python, keyword arguments are one record at the end. */
  readonly args: readonly Expression[]
  readonly line: number
  /** The calls that enclose it, innermost first. Only for route calls. */
  readonly within?: readonly CallExpression[]
}

export interface Annotation {
  readonly name: string
  readonly line: number
  /** By name; an argument without a name is `value`. */
  readonly args: ReadonlyMap<string, Expression>
}

export interface Variable {
  readonly name: string
  /** As written in the source; empty when inferred. */
  readonly type: string
  readonly line: number
  readonly annotations: readonly Annotation[]
  readonly value?: Expression
}

export interface Method {
  readonly name: string
  readonly line: number
  readonly lines: number
  readonly annotations: readonly Annotation[]
  readonly returns: string
  readonly parameters: readonly Variable[]
  readonly locals: readonly Variable[]
  readonly calls: readonly CallExpression[]
  /** Values of its return statements. Only for Python, and for methods of scripts that are named after an address. */
  readonly returned?: readonly Expression[]
  /** Equal for bodies that differ only in white space; empty for short bodies. */
  readonly digest: string
  /** Lines of empty catch blocks. */
  readonly silentCatches: readonly number[]
}

export type TypeKind = 'class' | 'abstract class' | 'interface' | 'record' | 'enum' | '@interface' | 'object'

export interface TypeUnit {
  readonly name: string
  readonly kind: TypeKind
  readonly line: number
  readonly lines: number
  readonly annotations: readonly Annotation[]
  /** As written in the source, with type arguments. */
  readonly extends?: string
  readonly implements: readonly string[]
  readonly fields: readonly Variable[]
  readonly constructors: readonly Method[]
  readonly methods: readonly Method[]
  /** Calls in field initializers and static blocks; of scripts, also in decorators of the type. */
  readonly calls: readonly CallExpression[]
}

export type SourceLanguage = 'java' | 'kotlin' | 'script' | 'python' | 'go'

/** A name that a file imports. */
export interface ImportBinding {
  /** The module as written: `./users`, `express`, `app.routers`. */
  readonly module: string
  /** The name in that module: `default` for a default import, `*` for the module itself. */
  readonly name: string
}

export interface SourceUnit {
  readonly file: string
  readonly language: SourceLanguage
  readonly package: string
  readonly imports: readonly string[]
  /** Imported names, by the name in this file. Empty for Java and Kotlin, whose imports are full names. */
  readonly bindings: ReadonlyMap<string, ImportBinding>
  /** Exported names with their name in this file, or with the module they come from. Only for scripts. */
  readonly exports: ReadonlyMap<string, string | ImportBinding>
  readonly types: readonly TypeUnit[]
  /**
   * Functions outside of types, with their annotations. Empty for Java. Of scripts, only the name, the line and the
   * directives such as `'use server'` as annotations.
   */
  readonly functions: readonly Method[]
  /** Code outside of types, that of functions included. */
  readonly topLevel: Method
}

export const textExpression = (text: string): Expression => ({ kind: 'text', text })

/** A variable without annotations. */
export const plainVariable = (name: string, line: number, value?: Expression, type = ''): Variable => ({
  name,
  type,
  line,
  annotations: [],
  ...optional({ value }),
})

/** The value in a record, by the first of these names that it has. */
export const recordEntry = (
  value: Expression | undefined,
  ...names: readonly string[]
): Expression | undefined =>
  value?.kind === 'record'
    ? names.map((name) => value.entries.get(name)).find((one) => one !== undefined)
    : undefined

/** A keyword argument of Python or a labelled one of Swift: they are one record at the end. */
export const keyword = (args: readonly Expression[], ...names: readonly string[]): Expression | undefined =>
  recordEntry(args.at(-1), ...names)

export const itemsOf = (value: Expression | undefined): readonly Expression[] =>
  value?.kind === 'list' ? value.items : []

/** The name that an expression is; empty for all others. */
export const nameIn = (value: Expression | undefined): string => (value?.kind === 'name' ? value.name : '')

export const callIn = (value: Expression | undefined): CallExpression | undefined =>
  value?.kind === 'call' ? value.call : undefined

/** `a.b.C<D>` is `C`. */
export const simpleName = (type: string): string => {
  const bare = type.replace(/[<([?].*$/s, '').trim()
  return bare.slice(bare.lastIndexOf('.') + 1)
}

/** The first type argument: `List<a.B<C>>` gives `B`. */
export const firstArgument = (type: string): string => {
  const start = type.indexOf('<')
  return start < 0 ? '' : simpleName(type.slice(start + 1).split(/[,>]/)[0] ?? '')
}

export const findAnnotation = (
  annotations: readonly Annotation[],
  ...names: readonly string[]
): Annotation | undefined => annotations.find(({ name }) => names.includes(name))

/** Constructors and methods of a type, in this order. */
export const bodiesOf = (type: TypeUnit): readonly Method[] => [...type.constructors, ...type.methods]

export const NO_METHOD: Method = {
  name: '',
  line: 1,
  lines: 0,
  annotations: [],
  returns: '',
  parameters: [],
  locals: [],
  calls: [],
  digest: '',
  silentCatches: [],
}

/** A file without content; its language and path are filled in by a reader. */
export const NO_UNIT: Omit<SourceUnit, 'file' | 'language'> = {
  package: '',
  imports: [],
  bindings: new Map(),
  exports: new Map(),
  types: [],
  functions: [],
  topLevel: NO_METHOD,
}
