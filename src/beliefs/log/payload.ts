import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import type { Operation, OperationResult } from '../graph/operation.ts'

const isNumber = (value: unknown): value is number => Number.isFinite(value)

/**
 * The payload of an entry as canonical JSON. The members are written in sorted order by hand, which is faster than
 * sorting; digests, salts and operation names need no escaping.
 */
export const writePayload = (operation: Operation, done: OperationResult, salt: string): string =>
  writeNodeCreated(operation, done, salt) ??
  `{"args":${canonicalJson(operation.args)},"delta":"${done.delta}","op":"${operation.op}","result":${canonicalJson(done.result)},"salt":"${salt}"}`

/** Fast path for the most frequent operation, a `node.create` without texts. Undefined for all others. */
const writeNodeCreated = (
  { op, args }: Operation,
  { result, delta }: OperationResult,
  salt: string,
): string | undefined => {
  if (op !== 'node.create' || args.claim !== undefined || args.evidence !== undefined) return undefined
  const { at, belief, energy, id, stability } = result
  const known = isNumber(at) && isNumber(belief) && isNumber(energy) && isNumber(id) && isNumber(stability)
  return known && isNumber(args.belief) && isNumber(args.energy)
    ? `{"args":{"belief":${args.belief},"energy":${args.energy}},"delta":"${delta}","op":"node.create","result":{"at":${at},"belief":${belief},"energy":${energy},"id":${id},"stability":${stability}},"salt":"${salt}"}`
    : undefined
}
