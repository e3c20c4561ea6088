import { canonicalJson } from '../kernel/canonical.ts'
import type { Done, Operation } from './operation.ts'

/**
 * What an entry is made from, as canonical JSON. Our own few members are written down in their order; digests,
 * salts and names of operations have nothing to escape.
 */
export const writeRecord = ({ op, args }: Operation, { result, delta }: Done, salt: string): string =>
  `{"args":${canonicalJson(args)},"delta":"${delta}","op":"${op}","result":${canonicalJson(result)},"salt":"${salt}"}`
