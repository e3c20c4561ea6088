/** Instructions by name: their bytes, and what follows them. */
type Follow = 'local' | 'label' | 'memory' | 'i32' | 'f64' | 'lane' | 'none'

const SIMD = 0xfd
const OPCODES: Readonly<Record<string, readonly [bytes: readonly number[], follow: Follow]>> = {
  br: [[0x0c], 'label'],
  br_if: [[0x0d], 'label'],
  'local.get': [[0x20], 'local'],
  'local.set': [[0x21], 'local'],
  'local.tee': [[0x22], 'local'],
  'i32.load': [[0x28, 2], 'memory'],
  'f32.load': [[0x2a, 2], 'memory'],
  'i32.store': [[0x36, 2], 'memory'],
  'f64.store': [[0x39, 3], 'memory'],
  'i32.const': [[0x41], 'i32'],
  'i32.lt_u': [[0x49], 'none'],
  'i32.ge_u': [[0x4f], 'none'],
  'f64.lt': [[0x63], 'none'],
  'i32.add': [[0x6a], 'none'],
  'i32.mul': [[0x6c], 'none'],
  'i32.and': [[0x71], 'none'],
  'i32.shl': [[0x74], 'none'],
  'i32.shr_u': [[0x76], 'none'],
  'f64.add': [[0xa0], 'none'],
  'f64.mul': [[0xa2], 'none'],
  'f64.convert_i32_s': [[0xb7], 'none'],
  'f64.promote_f32': [[0xbb], 'none'],
  'v128.load': [[SIMD, 0x00, 4], 'memory'],
  'v128.load8x8_s': [[SIMD, 0x01, 3], 'memory'],
  'v128.zero': [[SIMD, 0x0c, ...Array<number>(16).fill(0)], 'none'],
  'i32x4.extract_lane': [[SIMD, 0x1b], 'lane'],
  'i32x4.add': [[SIMD, 0xae, 0x01], 'none'],
  'i32x4.dot_i16x8_s': [[SIMD, 0xba, 0x01], 'none'],
}

const TYPES: Readonly<Record<string, number>> = { i32: 0x7f, f64: 0x7c, v128: 0x7b }
const EMPTY_BLOCK = 0x40
const END = 0x0b

const unsigned = (value: number): number[] => {
  const low = value & 0x7f
  return value < 0x80 ? [low] : [low | 0x80, ...unsigned(value >>> 7)]
}

const signed = (value: number): number[] => {
  const low = value & 0x7f
  const rest = value >> 7
  const done = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)
  return done ? [low] : [low | 0x80, ...signed(rest)]
}

const section = (id: number, body: readonly number[]): number[] => [id, ...unsigned(body.length), ...body]
const vector = (items: readonly (readonly number[])[]): number[] => [
  ...unsigned(items.length),
  ...items.flat(),
]
const word = (text: string): number[] => [...unsigned(text.length), ...Buffer.from(text, 'latin1')]

export interface Routine {
  readonly name: string
  /** Names and types, in order. */
  readonly parameters: Readonly<Record<string, string>>
  readonly result: string
  readonly locals: Readonly<Record<string, string>>
  /** One instruction a line, as WebAssembly's text format writes them. */
  readonly body: string
}

const typeCode = (name: string): number => {
  const code = TYPES[name]
  if (code === undefined) throw new TypeError(`no such type: ${name}`)
  return code
}

/** Turns the lines of a routine into bytes. Labels are counted from the innermost block outwards. */
const assembleBody = ({ parameters, locals, body }: Routine): number[] => {
  const places = [...Object.keys(parameters), ...Object.keys(locals)]
  const labels: string[] = []
  const position = (list: readonly string[], name: string): number => {
    const at = list.indexOf(name)
    if (at === -1) throw new TypeError(`unknown name: ${name}`)
    return at
  }
  const operand: Readonly<Record<Follow, (text: string) => number[]>> = {
    none: () => [],
    local: (text) => unsigned(position(places, text.slice(1))),
    label: (text) => unsigned(position([...labels].reverse(), text)),
    memory: (text) => unsigned(Number(text.replace('offset=', '') || 0)),
    i32: (text) => signed(Number(text)),
    f64: (text) => [...new Uint8Array(Float64Array.of(Number(text)).buffer)],
    lane: (text) => [Number(text)],
  }
  const line = (text: string): number[] => {
    const [name = '', argument = ''] = text.split(/\s+/)
    if (name === 'block' || name === 'loop') {
      labels.push(argument)
      return [name === 'block' ? 0x02 : 0x03, EMPTY_BLOCK]
    }
    if (name === 'end') {
      labels.pop()
      return [END]
    }
    const found = OPCODES[name]
    if (found === undefined) throw new TypeError(`no such instruction: ${name}`)
    return [...found[0], ...operand[found[1]](argument)]
  }
  return body
    .split('\n')
    .map((text) => text.replace(/;;.*$/, '').trim())
    .filter((text) => text !== '')
    .flatMap(line)
}

/** A WebAssembly module of one routine, which works on a memory it is given as `host.memory`. */
export const assembleWasm = (routine: Routine): Uint8Array<ArrayBuffer> => {
  const parameters = Object.values(routine.parameters).map((type) => [typeCode(type)])
  const locals = Object.values(routine.locals).map((type) => [1, typeCode(type)])
  const code = [...vector(locals), ...assembleBody(routine), END]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector([[0x60, ...vector(parameters), ...vector([[typeCode(routine.result)]])]])),
    ...section(2, vector([[...word('host'), ...word('memory'), 0x02, 0x00, 1]])),
    ...section(3, vector([[0]])),
    ...section(7, vector([[...word(routine.name), 0x00, 0]])),
    ...section(10, vector([[...unsigned(code.length), ...code]])),
  ])
}
