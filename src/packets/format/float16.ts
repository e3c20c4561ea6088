const view = new DataView(new ArrayBuffer(4))

/** Rounds to the nearest of two neighbours, to the even one when both are as near. */
const roundEven = (value: number, drop: number): number => {
  const half = 2 ** (drop - 1)
  const kept = value >>> drop
  const rest = value & (2 ** drop - 1)
  return rest > half || (rest === half && (kept & 1) === 1) ? kept + 1 : kept
}

/** The sixteen bits of IEEE 754 binary16 nearest to a float32. */
export const encodeFloat16 = (value: number): number => {
  view.setFloat32(0, value)
  const bits = view.getUint32(0)
  const sign = (bits >>> 16) & 0x8000
  const exponent = ((bits >>> 23) & 0xff) - 127
  const mantissa = bits & 0x7fffff
  if (exponent === 128) return sign | (mantissa === 0 ? 0x7c00 : 0x7e00)
  if (exponent > 15) return sign | 0x7c00
  // A carry out of the mantissa moves into the exponent, which is just what rounding up means.
  if (exponent >= -14) return sign | (((exponent + 15) << 10) + roundEven(mantissa, 13))
  // Below the smallest normal number; beyond 25 bits nothing is left to round.
  if (exponent < -25) return sign
  return sign | roundEven(mantissa | 0x800000, -exponent - 1)
}

export const decodeFloat16 = (bits: number): number => {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >>> 10) & 0x1f
  const mantissa = bits & 0x3ff
  if (exponent === 31) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (1 + mantissa / 1024) * 2 ** (exponent - 15)
}
