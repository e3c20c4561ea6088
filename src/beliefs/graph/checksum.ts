/**
 * A checksum of 53 bits, so that it fits into a double, made of two 32-bit hash states. Each step is a bijection of the
 * state and of the word, so a change of one word changes both states; the rotation carries high bits to low ones. It
 * detects flipped bits and writes outside the commit path. It is no protection against an attacker.
 */
// Position of the low half of a double in memory, so that checksums do not depend on endianness.
const LOW = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1

const mixA = (state: number, word: number): number => {
  const mixed = Math.imul(state ^ word, 0x85ebca6b)
  return (mixed << 13) | (mixed >>> 19)
}

const mixB = (state: number, word: number): number => {
  const mixed = Math.imul(state ^ word, 0xc2b2ae35)
  return (mixed << 17) | (mixed >>> 15)
}

/** All bits of the first state and the upper 21 of the second. */
const combine = (a: number, b: number): number => (a >>> 0) * 2 ** 21 + (b >>> 11)

/** 32-bit words per cell. */
const CELL_WORDS = 8

/** `words` is an integer view of the cells. */
export const checksumCell = (words: Int32Array, id: number): number => {
  const low = LOW
  const high = 1 - low
  const end = (id + 1) * CELL_WORDS
  let a = id
  let b = ~id
  for (let at = id * CELL_WORDS; at < end; at += 2) {
    const first = words[at + low] ?? 0
    const second = words[at + high] ?? 0
    a = mixA(mixA(a, first), second)
    b = mixB(mixB(b, first), second)
  }
  return combine(a, b)
}

/** `words` is an integer view of the weights. */
export const checksumEdge = (words: Int32Array, id: number, src: number, dst: number): number => {
  const first = words[id * 2 + LOW] ?? 0
  const second = words[id * 2 + 1 - LOW] ?? 0
  const a = mixA(mixA(mixA(mixA(id, src), dst), first), second)
  const b = mixB(mixB(mixB(mixB(~id, src), dst), first), second)
  return combine(a, b)
}
