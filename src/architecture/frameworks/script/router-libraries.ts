import type { DetectionContext } from '../../connections/framework.ts'
import type { RouterKey } from '../../connections/router-graph.ts'
import type { CallExpression, Expression, Variable } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { chainOf, chainStart, creationOf, factoryName } from './router-calls.ts'

/** How a library creates routers, and what its calls mean. */
export interface RouterLibrary {
  readonly name: string
  readonly modules: RegExp
  /** Functions and classes that create a router. */
  readonly factories: RegExp
  /** Parameters of a plugin that are a router. */
  readonly parameters: RegExp
  /** Declared types of variables that are a router. */
  readonly types: RegExp
}

export const SCRIPT_ROUTER_LIBRARIES: readonly RouterLibrary[] = [
  {
    name: 'Express',
    modules: /^(express|express-promise-router)$/,
    factories: /^(express|Router|express\.Router|PromiseRouter)$/,
    parameters: /^(app|router|server|route)$/,
    types: /^(core\.|express\.)?(Express|Application|I?Router)$/,
  },
  {
    name: 'Fastify',
    modules: /^(fastify|fastify-plugin)$/,
    factories: /^(fastify|Fastify)$/,
    parameters: /^(fastify|app|server|instance)$/,
    types: /^Fastify(Instance|TypedInstance)(<|$)/,
  },
  {
    name: 'Hono',
    modules: /^hono(\/tiny|\/quick)?$|^@hono\/zod-openapi$/,
    factories: /^(Hono|OpenAPIHono)$/,
    parameters: /^app$/,
    types: /^(OpenAPI)?Hono(<|$)/,
  },
  {
    name: 'Koa',
    modules: /^(koa|@koa\/router|koa-router)$/,
    factories: /^(Koa|Router|KoaRouter)$/,
    parameters: /^(router|app)$/,
    types: /^(Koa|Router|KoaRouter)(<|$)/,
  },
]

/** A router of the project. */
interface FoundRouter {
  readonly key: RouterKey
  readonly variable?: Variable
  readonly scope: TypeScope
}

/** A library in one project. */
export class RouterNames {
  readonly library: RouterLibrary
  readonly context: DetectionContext

  constructor(library: RouterLibrary, context: DetectionContext) {
    this.library = library
    this.context = context
  }

  /** Whether a value is a new router: `express()`, `new Koa()`, also under another name of the import. */
  #isCreated(value: Expression | undefined, { unit }: TypeScope): boolean {
    const call = creationOf(value)
    if (call === undefined) return false
    const name = factoryName(call)
    const { factories, modules } = this.library
    const binding = unit.bindings.get(name)
    if (binding === undefined) return factories.test(name)
    return modules.test(binding.module)
      ? binding.name === 'default' || binding.name === '*' || factories.test(binding.name)
      : factories.test(name)
  }

  #isRouter({ value, type }: Variable, scope: TypeScope): boolean {
    return this.#isCreated(value, scope) || (value === undefined && this.library.types.test(type))
  }

  /** The router that a field or a local variable of a class is. */
  #inType(name: string, scope: TypeScope): FoundRouter | undefined {
    const { place, method, index } = scope
    if (place === undefined) return undefined
    const field = index.field(place, name)
    const owner = field?.place ?? place
    const assigned = owner.type.constructors.flatMap(({ locals }) => locals)
    const own = [...method.locals, ...method.parameters, ...assigned].filter((one) => one.name === name)
    const variable = [...(field === undefined ? [] : [field.variable]), ...own].find((one) =>
      this.#isRouter(one, scope),
    )
    if (variable === undefined) return undefined
    return { key: { file: owner.unit.file, name: `${owner.type.name}.${name}` }, variable, scope }
  }

  /** A router of the project that a name refers to. */
  find(name: string, scope: TypeScope): FoundRouter | undefined {
    const inType = this.#inType(name, scope)
    if (inType !== undefined) return inType
    const declared = this.context.modules.declaration(name, scope.unit)
    const there =
      declared.unit === scope.unit ? scope : scope.at(declared.unit, undefined, declared.unit.topLevel)
    const key = { file: declared.unit.file, name: declared.name }
    const variables = there.variables(declared.name)
    const created = variables.find((one) => this.#isRouter(one, there))
    if (created !== undefined) return { key, variable: created, scope: there }
    const isParameter = variables.some(({ value }) => value === undefined) || variables.length === 0
    return isParameter && there === scope && this.library.parameters.test(name)
      ? { key, scope: there }
      : undefined
  }

  /** The router that a chain of calls begins with: a name, or a new router that is exported or has a name. */
  ofCall(call: CallExpression, scope: TypeScope): FoundRouter | undefined {
    const { root } = chainOf(call)
    if (root?.kind === 'name') return this.find(root.name, scope)
    if (root?.kind !== 'call') return undefined
    const { unit } = scope
    const variable = unit.topLevel.locals.find(({ value }) => chainStart(value) === root)
    if (variable !== undefined) return this.find(variable.name, scope)
    return unit.exports.get('default') === 'default' && this.#isCreated(root, scope)
      ? { key: { file: unit.file, name: 'default' }, scope }
      : undefined
  }

  /** The routers that an argument of `use` names: `router`, `router.routes()`, `require('./users')`, `users()`. */
  mounted(argument: Expression, scope: TypeScope): readonly RouterKey[] {
    if (argument.kind === 'list') return argument.items.flatMap((one) => this.mounted(one, scope))
    if (argument.kind === 'name') return this.#named(argument.name, scope)
    if (argument.kind !== 'call') return []
    const { name, receiver, args, makes } = argument.call
    const { modules } = this.context
    if (name === 'require' && args[0]?.kind === 'text') {
      const found = modules.exported({ module: args[0].text, name: 'default' }, scope.unit)
      return found === undefined ? [] : [{ file: found.unit.file, name: found.name }]
    }
    if (receiver?.kind === 'call' && receiver.call.makes)
      return this.#ofClass(receiver.call.name, name, scope)
    if (receiver?.kind === 'name') {
      const made = this.#madeClass(receiver.name, scope)
      if (made !== undefined) return this.#ofClass(made, name, scope)
    }
    if (receiver !== undefined) return /^(routes|middleware)$/.test(name) ? this.mounted(receiver, scope) : []
    if (makes) return []
    // A function that builds a router: all routers of its file.
    const declared = modules.declaration(name, scope.unit)
    return declared.unit === scope.unit ? [] : [{ file: declared.unit.file, name: '*' }]
  }

  #named(name: string, scope: TypeScope): readonly RouterKey[] {
    const inType = this.#inType(name, scope)
    if (inType !== undefined) return [inType.key]
    const { modules } = this.context
    const [head = '', member] = name.split('.')
    const made = member === undefined ? undefined : this.#madeClass(head, scope)
    if (made !== undefined && member !== undefined) return this.#ofClass(made, member, scope)
    const { unit, name: declared } = modules.declaration(head, scope.unit)
    if (member === undefined) return [{ file: unit.file, name: declared }]
    const exported = unit.exports.get(member)
    const local = typeof exported === 'string' ? exported : member
    // An instance that another file exports without a name.
    const isInstance = unit !== scope.unit && declared === 'default' && exported === undefined
    return [{ file: unit.file, name: isInstance ? '*' : local }]
  }

  /** The class of `const users = new Users()`. */
  #madeClass(name: string, scope: TypeScope): string | undefined {
    const { unit, name: declared } = this.context.modules.declaration(name, scope.unit)
    const there = unit === scope.unit ? scope : scope.at(unit, undefined, unit.topLevel)
    for (const { value } of there.variables(declared))
      if (value?.kind === 'call' && value.call.makes && scope.index.find(value.call.name, unit) !== undefined)
        return value.call.name
    return undefined
  }

  /** A field of a class, or all routers of the class when a method returns one. */
  #ofClass(name: string, member: string, { index, unit }: TypeScope): readonly RouterKey[] {
    const place = index.find(name, unit)
    if (place === undefined) return []
    const field = index.field(place, member)
    const owner = field?.place ?? place
    return [{ file: owner.unit.file, name: `${owner.type.name}.${field === undefined ? '*' : member}` }]
  }
}
