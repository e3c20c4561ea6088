/**
 * A seal of stored words: 53 bits, so that it is a number. Each step is a bijection of the lane and of the
 * word, so any change of one word changes both lanes; the rotation lets high bits reach low ones. It finds
 * bits that flipped and writes that went past the commit path. Whoever can write seals too is not kept out.
 */
// Which half of a double comes first in memory is the machine's business; seals must not depend on it.
const LOW = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1

const turnA = (lane: number, word: number): number => {
  const mixed = Math.imul(lane ^ word, 0x85ebca6b)
  return (mixed << 13) | (mixed >>> 19)
}

const turnB = (lane: number, word: number): number => {
  const mixed = Math.imul(lane ^ word, 0xc2b2ae35)
  return (mixed << 17) | (mixed >>> 15)
}

/** All of the first lane, and the upper bits of the second. */
const join = (a: number, b: number): number => (a >>> 0) * 2 ** 21 + (b >>> 11)

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
    a = turnA(turnA(a, first), second)
    b = turnB(turnB(b, first), second)
  }
  return join(a, b)
}

/** `words` is an integer view of the weights. */
export const checksumEdge = (words: Int32Array, id: number, src: number, dst: number): number => {
  const first = words[id * 2 + LOW] as number
  const second = words[id * 2 + 1 - LOW] as number
  const a = turnA(turnA(turnA(turnA(id, src), dst), first), second)
  const b = turnB(turnB(turnB(turnB(~id, src), dst), first), second)
  return join(a, b)
}
