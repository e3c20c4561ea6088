import { optional } from '../../kernel/optional.ts'
import type { SourceIndex } from '../source/source-index.ts'
import {
  type Annotation,
  type Expression,
  NO_METHOD,
  type SourceUnit,
  type TypeUnit,
} from '../source/source-unit.ts'
import type { TextResolver } from '../source/text-resolver.ts'
import { TypeScope } from '../source/type-scope.ts'
import type { Inbound, Outbound } from './framework.ts'
import { injectionsOf, rolesOf } from './roles.ts'

interface AnnotationView {
  readonly name: string
  /** With constants and placeholders resolved. */
  readonly args: Readonly<Record<string, readonly string[]>>
}

interface TypeView {
  readonly name: string
  readonly kind: string
  readonly line: number
  readonly lines: number
  readonly annotations: readonly AnnotationView[]
  readonly roles: readonly string[]
  readonly extends?: string
  readonly implements: readonly string[]
  readonly injects: readonly string[]
  readonly methods: readonly {
    readonly name: string
    readonly line: number
    readonly lines: number
    readonly annotations: readonly AnnotationView[]
    readonly returns: string
  }[]
}

export interface Signature {
  readonly file: string
  readonly package: string
  readonly types: readonly TypeView[]
  readonly inbound: readonly Inbound[]
  readonly outbound: readonly Outbound[]
}

const MAX_NESTING = 4

class SignatureWriter {
  readonly #resolver: TextResolver
  readonly #scope: TypeScope

  constructor(resolver: TextResolver, scope: TypeScope) {
    this.#resolver = resolver
    this.#scope = scope
  }

  #texts(expression: Expression, depth: number): readonly string[] {
    if (expression.kind === 'list') return expression.items.flatMap((one) => this.#texts(one, depth))
    if (expression.kind === 'other') return expression.text === '' ? [] : [expression.text]
    if (expression.kind !== 'annotation')
      return this.#resolver.texts(expression, this.#scope).map(({ text }) => text)
    if (depth >= MAX_NESTING) return [`@${expression.annotation.name}`]
    const inside = [...expression.annotation.args].flatMap(([name, value]) =>
      this.#texts(value, depth + 1).map((text) => `${name}=${text}`),
    )
    return [`@${expression.annotation.name}(${inside.join(', ')})`]
  }

  annotations(all: readonly Annotation[]): readonly AnnotationView[] {
    return all.map(({ name, args }) => ({
      name,
      args: Object.fromEntries([...args].map(([key, value]) => [key, this.#texts(value, 0)])),
    }))
  }

  type(type: TypeUnit, unit: SourceUnit): TypeView {
    const roles = rolesOf(type, unit)
    return {
      name: type.name,
      kind: type.kind,
      line: type.line,
      lines: type.lines,
      annotations: this.annotations(type.annotations),
      roles,
      ...optional({ extends: type.extends }),
      implements: type.implements,
      injects: injectionsOf(type, roles).map((one) => one.type),
      methods: type.methods.map(({ name, line, lines, annotations, returns }) => ({
        name,
        line,
        lines,
        annotations: this.annotations(annotations),
        returns,
      })),
    }
  }
}

/** The answer of extract_architectural_signatures for one file. */
export const writeSignature = (
  unit: SourceUnit,
  { index, resolver }: { readonly index: SourceIndex; readonly resolver: TextResolver },
  { inbound, outbound }: Pick<Signature, 'inbound' | 'outbound'>,
): Signature => ({
  file: unit.file,
  package: unit.package,
  types: unit.types.map((type) => {
    const writer = new SignatureWriter(resolver, new TypeScope(index, unit, type, NO_METHOD))
    return writer.type(type, unit)
  }),
  inbound,
  outbound,
})
