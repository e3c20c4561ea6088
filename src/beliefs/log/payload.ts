import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import type { Operation, OperationResult } from '../graph/operation.ts'

const isNumber = (value: unknown): value is number => Number.isFinite(value)

/**
 * What an entry is made from, as canonical JSON. Our own few members are written down in their order; digests,
 * salts and names of operations have nothing to escape.
 */
export const writePayload = (operation: Operation, done: OperationResult, salt: string): string =>
  writeNodeCreated(operation, done, salt) ??
  `{"args":${canonicalJson(operation.args)},"delta":"${done.delta}","op":"${operation.op}","result":${canonicalJson(done.result)},"salt":"${salt}"}`

/** The record of what happens most, without asking each member what it is. Undefined when it is not that. */
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
