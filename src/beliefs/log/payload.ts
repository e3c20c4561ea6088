import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import type { Operation, OperationResult } from '../graph/operation.ts'

/**
 * The payload of an entry as canonical JSON. The outer members are written in sorted order by hand; digests, salts and
 * operation names need no escaping.
 */
export const writePayload = (operation: Operation, done: OperationResult, salt: string): string =>
  `{"args":${canonicalJson(operation.args)},"delta":"${done.delta}","op":"${operation.op}","result":${canonicalJson(done.result)},"salt":"${salt}"}`
