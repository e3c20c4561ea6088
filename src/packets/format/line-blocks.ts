import { nextTurn } from '../../kernel/async/cooperative.ts'
import type { ByteSource } from './faiss.ts'

const NEWLINE = 0x0a
/** Bytes read between two yields, a few milliseconds of parsing. */
const STEP = 1024 * 1024

/** Some lines of a file, without their ends, and the offset of each. */
interface LineBlock {
  readonly lines: readonly Uint8Array[]
  readonly starts: readonly number[]
}

/** Reads the lines of a file in groups, in bounded memory. */
export async function* readLineBlocks(source: ByteSource): AsyncGenerator<LineBlock> {
  let rest: Uint8Array = new Uint8Array()
  for (let at = 0, size = STEP; at < source.size; ) {
    const more = await source.read(at, Math.min(size, source.size - at))
    at += more.length
    const bytes = rest.length === 0 ? more : Buffer.concat([rest, more])
    const end = at === source.size ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1
    const [lines, starts]: [Uint8Array[], number[]] = [[], []]
    for (let start = 0; start < end; ) {
      const found = bytes.indexOf(NEWLINE, start)
      const stop = found === -1 ? bytes.length : found
      lines.push(bytes.subarray(start, stop))
      starts.push(at - bytes.length + start)
      start = stop + 1
    }
    rest = bytes.subarray(end)
    // A line longer than the block: with larger blocks it is not copied again and again.
    size = rest.length > STEP ? 2 * rest.length : STEP
    yield { lines, starts }
    await nextTurn()
  }
}
