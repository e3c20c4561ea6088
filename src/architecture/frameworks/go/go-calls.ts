import type { CallExpression } from '../../source/source-unit.ts'
import { callsIn, type PlacedCall, type TypeScope } from '../../source/type-scope.ts'

/** Calls and composite literals, with the functions around them. */
export const goCalls = (scope: TypeScope): readonly PlacedCall[] =>
  callsIn([...scope.unit.functions, scope.unit.topLevel], scope)

/** The import path of the package that a called function or a composite literal is of. */
export const moduleOf = ({ receiver }: CallExpression, { unit }: TypeScope): string | undefined =>
  receiver?.kind === 'name' ? unit.bindings.get(receiver.name)?.module : undefined
