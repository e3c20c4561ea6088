const NAMED: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
}

const ESCAPE = /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|(.))/gs

/** The text with the escapes of `$'…'` and `printf` replaced. */
export const decodeAnsiEscapes = (text: string): string =>
  text.replace(ESCAPE, (_, hex?: string, short?: string, long?: string, octal?: string, char = '') => {
    const digits = hex ?? short ?? long
    if (digits === undefined && octal === undefined) return NAMED[char] ?? char
    const value = digits === undefined ? Number.parseInt(octal ?? '', 8) & 255 : Number.parseInt(digits, 16)
    return value <= 0x10ffff ? String.fromCodePoint(value) : ''
  })
