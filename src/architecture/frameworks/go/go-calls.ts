import type { CallExpression, Expression } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

/** A call or a composite literal, with the function around it. */
export interface PlacedGoCall {
  readonly call: CallExpression
  readonly scope: TypeScope
}

export const goCalls = (scope: TypeScope): readonly PlacedGoCall[] => {
  const { unit } = scope
  return [...unit.functions, unit.topLevel].flatMap((method) => {
    const inside = scope.at(unit, undefined, method)
    return method.calls.map((call) => ({ call, scope: inside }))
  })
}

/** The import path of the package that a called function or a composite literal is of. */
export const moduleOf = ({ receiver }: CallExpression, { unit }: TypeScope): string | undefined =>
  receiver?.kind === 'name' ? unit.bindings.get(receiver.name)?.module : undefined

/** A field of a composite literal, by the first of these names that it has. */
export const fieldOf = (
  value: Expression | undefined,
  ...names: readonly string[]
): Expression | undefined =>
  value?.kind === 'record'
    ? names.map((name) => value.entries.get(name)).find((one) => one !== undefined)
    : undefined

/** Whether a text has no part that is known only at run time. */
export const isFixed = (text: string): boolean => text !== '' && !/[{}$]/.test(text)
