import { pushTo } from '../../kernel/multimap.ts'
import { memoized } from '../source/memoized.ts'
import type { SourceIndex } from '../source/source-index.ts'
import { type Expression, simpleName } from '../source/source-unit.ts'
import type { KnownText, TextResolver } from '../source/text-resolver.ts'
import { callsIn, callsOf, type PlacedCall, TypeScope } from '../source/type-scope.ts'
import { BaseUrlFinder, callChain } from './client-base-url.ts'

const MAX_DEPTH = 6
const MAX_STEPS = 200

const CREATES = /^(retrofit2\.|org\.springframework\.web\.service\.)/

const classNameOf = (argument: Expression): string | undefined =>
  argument.kind === 'other' && argument.text.endsWith('.class')
    ? simpleName(argument.text.replace(/\.class$/, ''))
    : undefined

/** Where clients are made of interfaces: `retrofit.create(Api::class.java)`, `factory.createClient(Api.class)`. */
interface CreationIndex {
  readonly byType: ReadonlyMap<string, readonly PlacedCall[]>
  /** Calls of `baseUrl` of any client, for creations that no call shows. */
  readonly bases: readonly PlacedCall[]
}

const creationsOf = memoized((index: SourceIndex): CreationIndex => {
  const byType = new Map<string, PlacedCall[]>()
  const bases: PlacedCall[] = []
  for (const unit of index.units) {
    if (!unit.imports.some((name) => CREATES.test(name))) continue
    const top = new TypeScope(index, unit, undefined, unit.topLevel)
    const places = [
      ...unit.types.flatMap((type) => callsOf(type, top.at(unit, type, unit.topLevel))),
      ...callsIn([...unit.functions, unit.topLevel], top),
    ]
    for (const place of places) {
      const { name, args } = place.call
      if (name === 'baseUrl') bases.push(place)
      if (name !== 'create' && name !== 'createClient') continue
      for (const type of args.flatMap((one) => classNameOf(one) ?? [])) pushTo(byType, type, place)
    }
  }
  return { byType, bases }
})

/** Finds the base address of an interface of which a library makes a client. */
export class CreatedClients {
  readonly #resolver: TextResolver
  readonly #bases: BaseUrlFinder
  #steps = 0

  constructor(resolver: TextResolver) {
    this.#resolver = resolver
    this.#bases = new BaseUrlFinder(resolver)
  }

  baseOf(type: string, index: SourceIndex): KnownText | undefined {
    const { byType, bases } = creationsOf(index)
    for (const { call, scope } of byType.get(type) ?? []) {
      this.#steps = 0
      const found = this.#base(call.receiver, scope, 0)
      if (found !== undefined) return found
    }
    // One base address in the whole project is that of all its clients.
    const texts = bases.flatMap(({ call, scope }) => this.#resolver.text(call.args[0], scope) ?? [])
    const [only] = texts
    return only !== undefined && new Set(texts.map(({ text }) => text)).size === 1
      ? { ...only, confidence: only.confidence === 'low' ? 'low' : 'medium' }
      : undefined
  }

  /** A factory may get the client in an argument: `builderFor(RestClientAdapter.create(client)).build()`. */
  #base(expression: Expression | undefined, scope: TypeScope, depth: number): KnownText | undefined {
    this.#steps += 1
    if (expression === undefined || depth > MAX_DEPTH || this.#steps > MAX_STEPS) return undefined
    const direct = this.#bases.find(expression, scope)
    if (direct !== undefined && !direct.text.startsWith('{')) return direct
    const inside =
      expression.kind === 'call'
        ? callChain(expression.call).flatMap(({ args }) => args)
        : expression.kind === 'name'
          ? scope.variables(expression.name).flatMap(({ value }) => value ?? [])
          : []
    for (const one of inside) {
      const found = this.#base(one, scope, depth + 1)
      if (found !== undefined) return found
    }
    return undefined
  }
}
