import type { FaultMaker } from '../../kernel/fault.ts'
import { decodeStrict } from '../../kernel/text/decode.ts'

/** Nobody nests a packet's files this deep; whoever does is after the stack of whoever writes them again. */
const MAX_DEPTH = 64

const tooDeep = (value: unknown, left: number): boolean =>
  value !== null &&
  typeof value === 'object' &&
  (left === 0 || Object.values(value).some((member) => tooDeep(member, left - 1)))

/** JSON out of bytes from outside: within a size, valid UTF-8, not too deep. */
export const readJson = (bytes: Uint8Array, what: string, maxBytes: number, fault: FaultMaker): unknown => {
  if (bytes.length > maxBytes) throw fault(`${what} has more than ${maxBytes} bytes`)
  let value: unknown
  try {
    value = JSON.parse(decodeStrict(bytes))
  } catch (cause) {
    throw fault(`${what} is not JSON`, { cause })
  }
  if (tooDeep(value, MAX_DEPTH)) throw fault(`${what} is nested too deep`)
  return value
}
