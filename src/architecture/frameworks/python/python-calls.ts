import type { DetectionContext, FindIn } from '../../connections/framework.ts'
import type { CallExpression, Expression } from '../../source/source-unit.ts'
import { callIn, nameIn } from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import type { PlacedValue, TypeScope } from '../../source/type-scope.ts'
import { callsIn, callsOf, type PlacedCall } from '../../source/type-scope.ts'

/** What the detectors of Python libraries share: calls with their scopes, full names, and the makers of objects. */

/** Values of values that are looked at for one expression: names may be assigned from each other many times. */
const MAX_VALUES = 60

const placedCalls = new WeakMap<object, readonly PlacedCall[]>()

/** All calls of a file, each with the scope of its function. */
export const pythonCalls = (scope: TypeScope): readonly PlacedCall[] => {
  const { unit } = scope
  const known = placedCalls.get(unit)
  if (known !== undefined) return known
  const seen = new Set<CallExpression>()
  const inTypes = unit.types.flatMap((type) => callsOf(type, scope.at(unit, type, unit.topLevel)))
  const outside = unit.topLevel.calls.map((call) => ({ call, scope }))
  const all = [...callsIn(unit.functions, scope), ...inTypes, ...outside]
    // A nested function is part of the one around it, and all functions are part of the module.
    .filter(({ call }) => !seen.has(call) && seen.add(call))
    .map((one) => ({ call: one.call, scope: one.scope.atLine(one.call.line) }))
  placedCalls.set(unit, all)
  return all
}

/** A positional argument. */
export const positional = (args: readonly Expression[], at: number): Expression | undefined =>
  args[at]?.kind === 'record' && at === args.length - 1 ? undefined : args[at]

/** `name` with the module it is imported from: `redis.asyncio.from_url`; as written when it is not imported. */
const fullName = (name: string, { unit }: TypeScope): string => {
  const [head = '', ...rest] = name.split('.')
  const binding = unit.bindings.get(head)
  if (binding === undefined) return name
  // `import urllib.request` binds `urllib`.
  if (binding.name === '*' && binding.module.startsWith(`${head}.`)) return name
  return [binding.module, ...(binding.name === '*' ? [] : [binding.name]), ...rest].join('.')
}

/** The full name of a called function; undefined for a method of a value. */
export const qualifiedName = ({ receiver, name }: CallExpression, scope: TypeScope): string | undefined => {
  if (receiver === undefined) return fullName(name, scope)
  return receiver.kind === 'name' ? fullName(`${receiver.name}.${name}`, scope) : undefined
}

/** The values that functions and properties of the project return for an expression. */
const returnedBy: FindIn<Expression, readonly PlacedValue[]> = (expression, scope, { modules }) => {
  const call = callIn(expression)
  const name = call?.name ?? nameIn(expression)
  const owner =
    call === undefined
      ? name.slice(0, Math.max(0, name.lastIndexOf('.')))
      : call.receiver?.kind === 'name'
        ? call.receiver.name
        : undefined
  const member = name.slice(name.lastIndexOf('.') + 1)
  if (call !== undefined && call.receiver === undefined) {
    const { unit, name: declared } = modules.declaration(name, scope.unit)
    const method = unit.functions.find((one) => one.name === declared)
    return (method?.returned ?? []).map((value) => ({
      value,
      scope: scope.at(unit, undefined, method ?? unit.topLevel),
    }))
  }
  if (owner === undefined) return []
  const place = owner === 'this' || owner === '' ? scope.place : typePlace(owner, scope, modules)
  const method = place?.type.methods.find((one) => one.name === member)
  if (place === undefined || method === undefined) return []
  return (method.returned ?? []).map((value) => ({ value, scope: scope.at(place.unit, place.type, method) }))
}

/** The class of the object that a name refers to, here or in the file that it is imported from. */
const typePlace = (name: string, scope: TypeScope, modules: DetectionContext['modules']) => {
  const { unit, name: declared } = modules.declaration(name, scope.unit)
  const there = unit === scope.unit ? scope : scope.at(unit, undefined, unit.topLevel)
  const type = there.typeOf({ kind: 'name', name: declared })
  return type === '' ? undefined : scope.index.find(type, unit)
}

/** Whether a value was looked at before, or too many were. */
const wasSeen = (value: Expression, seen: Set<Expression>): boolean => {
  if (seen.has(value) || seen.size >= MAX_VALUES) return true
  seen.add(value)
  return false
}

/** The text of an expression, through functions and properties that return it. */
export const pythonText = (
  expression: Expression | undefined,
  scope: TypeScope,
  context: DetectionContext,
  seen = new Set<Expression>(),
): KnownText | undefined => {
  const known = context.resolver.text(expression, scope)
  if (expression === undefined || known === undefined || wasSeen(expression, seen)) return known
  if (!/^\{[\w.[\]]*\}$/.test(known.text)) return known
  for (const one of [...returnedBy(expression, scope, context), ...assigned(expression, scope, context)]) {
    const found = pythonText(one.value, one.scope, context, seen)
    if (found !== undefined && !found.text.startsWith('{'))
      return { ...found, confidence: found.confidence === 'high' ? 'medium' : found.confidence }
  }
  return known
}

/** The values that are assigned to a name, here or in the file that it is imported from. */
const assigned: FindIn<Expression, readonly PlacedValue[]> = (expression, scope, { modules }) => {
  if (expression.kind !== 'name') return []
  const [head = '', ...members] = expression.name.split('.')
  const own = scope.variables(expression.name)
  if (own.length > 0 && !own.some(({ value }) => value === expression))
    return own.flatMap(({ value }) => (value === undefined ? [] : [{ value, scope }]))
  const { unit, name } = modules.declaration(head, scope.unit)
  if (unit === scope.unit) return []
  const there = scope.at(unit, undefined, unit.topLevel)
  const wanted = name === '*' ? (members[0] ?? '') : name
  return there
    .variables(wanted)
    .flatMap(({ value }) => (value === undefined ? [] : [{ value, scope: there }]))
}

/** The call that made the object an expression refers to: through variables, imports and functions. */
export const makerOf = (
  expression: Expression | undefined,
  scope: TypeScope,
  context: DetectionContext,
  accepts: (name: string) => boolean,
  seen = new Set<Expression>(),
): PlacedCall | undefined => {
  if (expression === undefined || wasSeen(expression, seen)) return undefined
  if (expression.kind === 'call') {
    const name = qualifiedName(expression.call, scope)
    if (name !== undefined && accepts(name)) return { call: expression.call, scope }
  } else if (expression.kind !== 'name') return undefined
  for (const one of [...assigned(expression, scope, context), ...returnedBy(expression, scope, context)]) {
    const found = makerOf(one.value, one.scope, context, accepts, seen)
    if (found !== undefined) return found
  }
  return undefined
}

/** The full name of the annotated type of a variable or parameter: `session: aiohttp.ClientSession`. */
export const annotatedType = (expression: Expression | undefined, scope: TypeScope): string => {
  if (expression?.kind !== 'name') return ''
  const type = scope.variables(expression.name).find((one) => one.type !== '')?.type ?? ''
  return fullName(type.replace(/^Optional\[|\]$|\s*\|\s*None$|["']/g, ''), scope)
}
