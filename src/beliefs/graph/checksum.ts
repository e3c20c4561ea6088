/**
 * A seal of stored words: 53 bits, so that it is a number. Each step is a bijection of the lane and of the
 * word, so any change of one word changes both lanes; the rotation lets high bits reach low ones. It finds
 * bits that flipped and writes that went past the commit path. Whoever can write seals too is not kept out.
 */
// Which half of a double comes first in memory is the machine's business; seals must not depend on it.
const LOW = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1

const mixA = (lane: number, word: number): number => {
  const mixed = Math.imul(lane ^ word, 0x85ebca6b)
  return (mixed << 13) | (mixed >>> 19)
}

const mixB = (lane: number, word: number): number => {
  const mixed = Math.imul(lane ^ word, 0xc2b2ae35)
  return (mixed << 17) | (mixed >>> 15)
}

/** All of the first lane, and the upper bits of the second. */
const combine = (a: number, b: number): number => (a >>> 0) * 2 ** 21 + (b >>> 11)

/** Words a cell has, read as integers. */
const CELL_WORDS = 8

/** `words` is an integer view of the cells. */
export const checksumCell = (words: Int32Array, id: number): number => {
  const low = LOW
  const high = 1 - low
  const end = (id + 1) * CELL_WORDS
  let a = id
  let b = ~id
  for (let at = id * CELL_WORDS; at < end; at += 2) {
    const first = words[at + low] as number
    const second = words[at + high] as number
    a = mixA(mixA(a, first), second)
    b = mixB(mixB(b, first), second)
  }
  return combine(a, b)
}

/** `words` is an integer view of the weights. */
export const checksumEdge = (words: Int32Array, id: number, src: number, dst: number): number => {
  const first = words[id * 2 + LOW] as number
  const second = words[id * 2 + 1 - LOW] as number
  const a = mixA(mixA(mixA(mixA(id, src), dst), first), second)
  const b = mixB(mixB(mixB(mixB(~id, src), dst), first), second)
  return combine(a, b)
}
