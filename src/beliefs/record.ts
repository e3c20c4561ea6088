import { canonicalJson } from '../kernel/canonical.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { Done, Operation } from './operation.ts'

const isNumber = (value: unknown): value is number => Number.isFinite(value)

/** The outcome of what happens most, without asking each member what it is. Undefined when it is not that. */
const writeNode = ({ at, belief, energy, id, stability }: JsonObject): string | undefined =>
  isNumber(at) && isNumber(belief) && isNumber(energy) && isNumber(id) && isNumber(stability)
    ? `{"at":${at},"belief":${belief},"energy":${energy},"id":${id},"stability":${stability}}`
    : undefined

const writeArgs = ({ op, args }: Operation): string =>
  op === 'node.create' && args.claim === undefined && args.evidence === undefined && isNumber(args.belief)
    ? `{"belief":${args.belief},"energy":${canonicalJson(args.energy)}}`
    : canonicalJson(args)

const writeResult = (op: string, result: JsonObject): string =>
  (op === 'node.create' ? writeNode(result) : undefined) ?? canonicalJson(result)

/**
 * What an entry is made from, as canonical JSON. Our own few members are written down in their order; digests,
 * salts and names of operations have nothing to escape.
 */
export const writeRecord = (operation: Operation, { result, delta }: Done, salt: string): string =>
  `{"args":${writeArgs(operation)},"delta":"${delta}","op":"${operation.op}","result":${writeResult(operation.op, result)},"salt":"${salt}"}`
