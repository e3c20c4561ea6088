const view = new DataView(new ArrayBuffer(4))

/** Round half to even. */
const roundEven = (value: number, drop: number): number => {
  const half = 2 ** (drop - 1)
  const kept = value >>> drop
  const rest = value & (2 ** drop - 1)
  return rest > half || (rest === half && (kept & 1) === 1) ? kept + 1 : kept
}

/** The IEEE 754 binary16 nearest to a float32. */
export const encodeFloat16 = (value: number): number => {
  view.setFloat32(0, value)
  const bits = view.getUint32(0)
  const sign = (bits >>> 16) & 0x8000
  const exponent = ((bits >>> 23) & 0xff) - 127
  const mantissa = bits & 0x7fffff
  if (exponent === 128) return sign | (mantissa === 0 ? 0x7c00 : 0x7e00)
  if (exponent > 15) return sign | 0x7c00
  // A carry out of the mantissa increments the exponent, which is the correct rounding.
  if (exponent >= -14) return sign | (((exponent + 15) << 10) + roundEven(mantissa, 13))
  // Subnormal; below 2^-25 everything rounds to zero.
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
