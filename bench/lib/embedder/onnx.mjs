// Writes the sentence model as an ONNX file, for the comparison with onnxruntime-web: in f32, or with weights and
// activations of 8 bits as the usual converters write them. The input is the sum of the embeddings.

const DIM = 384
const HEADS = 12
const LAYERS = 6

/** @param {number | bigint} value */
const varint = (value) => {
  const bytes = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}
const number = (/** @type {number} */ field, /** @type {number} */ value) =>
  Buffer.concat([varint(field * 8), varint(value)])
const bytes = (/** @type {number} */ field, /** @type {string | Uint8Array} */ value) => {
  const content = Buffer.from(value)
  return Buffer.concat([varint(field * 8 + 2), varint(content.length), content])
}
const message = (/** @type {number} */ field, /** @type {Uint8Array[]} */ ...parts) =>
  bytes(field, Buffer.concat(parts))
const floatField = (/** @type {number} */ field, /** @type {number} */ value) => {
  const content = Buffer.alloc(4)
  content.writeFloatLE(value)
  return Buffer.concat([varint(field * 8 + 5), content])
}

const FLOAT = 1
const UINT8 = 2
const INT64 = 7

/** @param {string} name @param {readonly number[]} dims @param {number} type @param {Uint8Array} raw */
const tensor = (name, dims, type, raw) =>
  message(5, ...dims.map((dim) => number(1, dim)), number(2, type), bytes(8, name), bytes(9, raw))
const floats = (/** @type {Float32Array} */ values) =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
const int64s = (/** @type {readonly number[]} */ values) =>
  new Uint8Array(BigInt64Array.from(values, BigInt).buffer)

/** @param {string} name @param {number | readonly number[]} value */
const attribute = (name, value) =>
  message(
    5,
    bytes(1, name),
    ...(typeof value !== 'number'
      ? [...value.map((one) => number(8, one)), number(20, 7)]
      : Number.isInteger(value)
        ? [number(3, value), number(20, 2)]
        : [floatField(2, value), number(20, 1)]),
  )
const valueInfo = (
  /** @type {number} */ field,
  /** @type {string} */ name,
  /** @type {readonly number[]} */ dims,
) =>
  message(
    field,
    bytes(1, name),
    message(2, message(1, number(1, FLOAT), message(2, ...dims.map((dim) => message(1, number(1, dim)))))),
  )

/**
 * @typedef {{ bytes: Uint8Array, min: number, scale: number }} Tensor
 * @param {(name: string) => Tensor} tensorOf @param {number} rows @param {boolean} quantized
 */
export const writeOnnx = (tensorOf, rows, quantized) => {
  /** @type {Uint8Array[]} */
  const nodes = []
  /** @type {Uint8Array[]} */
  const tensors = []
  let count = 0
  const valuesOf = (/** @type {Tensor} */ one) =>
    Float32Array.from(one.bytes, (byte) => byte * one.scale + one.min)
  const add = (
    /** @type {string} */ op,
    /** @type {readonly string[]} */ inputs,
    /** @type {Readonly<Record<string, number | readonly number[]>>} */ attributes = {},
    outputs = 1,
  ) => {
    const names = Array.from({ length: outputs }, () => `v${count++}`)
    nodes.push(
      message(
        1,
        ...inputs.map((name) => bytes(1, name)),
        ...names.map((name) => bytes(2, name)),
        bytes(3, `${op}${count}`),
        bytes(4, op),
        ...Object.entries(attributes).map(([name, value]) => attribute(name, value)),
      ),
    )
    return names
  }
  const one = (/** @type {Parameters<typeof add>} */ ...words) => add(...words)[0] ?? ''
  const constant = (
    /** @type {readonly number[]} */ dims,
    /** @type {number} */ type,
    /** @type {Uint8Array} */ raw,
  ) => {
    const name = `c${count++}`
    tensors.push(tensor(name, dims, type, raw))
    return name
  }
  const scalar = (/** @type {number} */ value) => constant([], FLOAT, floats(Float32Array.of(value)))
  const shape = (/** @type {readonly number[]} */ dims) => constant([dims.length], INT64, int64s(dims))
  const vector = (/** @type {string} */ name) =>
    constant([tensorOf(name).bytes.length], FLOAT, floats(valuesOf(tensorOf(name))))

  const linear = (
    /** @type {string} */ x,
    /** @type {string} */ name,
    /** @type {number} */ inputs,
    /** @type {number} */ outputs,
  ) => {
    const weights = tensorOf(`${name}/Tensordot/ReadVariableOp`)
    const bias = vector(`${name}/BiasAdd/ReadVariableOp`)
    if (!quantized) {
      const matrix = constant([inputs, outputs], FLOAT, floats(valuesOf(weights)))
      return one('Add', [one('MatMul', [x, matrix]), bias])
    }
    const zero = Math.min(255, Math.max(0, Math.round(-weights.min / weights.scale)))
    const matrix = constant([inputs, outputs], UINT8, weights.bytes)
    const [values = '', scale = '', point = ''] = add('DynamicQuantizeLinear', [x], {}, 3)
    const sums = one('MatMulInteger', [values, matrix, point, constant([], UINT8, Uint8Array.of(zero))])
    const factor = one('Mul', [scale, scalar(weights.scale)])
    return one('Add', [one('Mul', [one('Cast', [sums], { to: FLOAT }), factor]), bias])
  }
  const norm = (/** @type {string} */ x, /** @type {string} */ name) =>
    one(
      'LayerNormalization',
      [
        x,
        vector(`${name}/LayerNorm/batchnorm/mul/ReadVariableOp`),
        vector(`${name}/LayerNorm/batchnorm/ReadVariableOp`),
      ],
      { axis: -1, epsilon: 1e-12 },
    )
  const heads = (/** @type {string} */ x, /** @type {readonly number[]} */ perm) =>
    one('Transpose', [one('Reshape', [x, shape([rows, HEADS, DIM / HEADS])])], { perm })

  let x = norm('x', 'embeddings')
  for (let layer = 0; layer < LAYERS; layer++) {
    const name = `encoder/layer_._${layer}`
    const self = `${name}/attention/self`
    const query = heads(linear(x, `${self}/query`, DIM, DIM), [1, 0, 2])
    const key = heads(linear(x, `${self}/key`, DIM, DIM), [1, 2, 0])
    const value = heads(linear(x, `${self}/value`, DIM, DIM), [1, 0, 2])
    const scores = one('Mul', [one('MatMul', [query, key]), scalar(1 / Math.sqrt(DIM / HEADS))])
    const mixed = one('MatMul', [one('Softmax', [scores], { axis: -1 }), value])
    const context = one('Reshape', [one('Transpose', [mixed], { perm: [1, 0, 2] }), shape([rows, DIM])])
    x = norm(
      one('Add', [linear(context, `${name}/attention/output/dense`, DIM, DIM), x]),
      `${name}/attention/output`,
    )
    const inner = linear(x, `${name}/intermediate/dense`, DIM, 4 * DIM)
    const erf = one('Erf', [one('Div', [inner, scalar(Math.SQRT2)])])
    const gelu = one('Mul', [one('Mul', [inner, one('Add', [erf, scalar(1)])]), scalar(0.5)])
    x = norm(one('Add', [linear(gelu, `${name}/output/dense`, 4 * DIM, DIM), x]), `${name}/output`)
  }
  nodes.push(
    message(
      1,
      bytes(1, x),
      bytes(2, 'y'),
      bytes(4, 'ReduceMean'),
      attribute('axes', [0]),
      attribute('keepdims', 0),
    ),
  )
  const graph = [
    ...nodes,
    bytes(2, 'minilm'),
    ...tensors,
    valueInfo(11, 'x', [rows, DIM]),
    valueInfo(12, 'y', [DIM]),
  ]
  return Buffer.concat([number(1, 8), message(8, bytes(1, ''), number(2, 17)), message(7, ...graph)])
}
