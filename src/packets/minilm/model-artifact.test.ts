import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseCount } from '../../../test/support/case-count.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { Fault } from '../../kernel/fault.ts'
import { MANIFEST_TYPE, readArtifact } from '../format/artifact.ts'
import { checkModelArtifact, checkModelCard, modelNameFor, writeModelCard } from './model-artifact.ts'
import { MODEL_PLACES } from './model-layout.ts'
import { SENTENCE_FILES } from './model-name.ts'

const DIGEST = `sha256:${'d'.repeat(64)}`
const blobs = {
  weights: { digest: `sha256:${'a'.repeat(64)}`, size: MODEL_PLACES.size },
  vocabulary: { digest: `sha256:${'b'.repeat(64)}`, size: 1000 },
}
const card = writeModelCard(blobs, 'Apache License 2.0')
const layer = (name: string, kind: string, digest: string, size: number) => ({
  mediaType: `application/vnd.warrant.model.${kind}`,
  digest,
  size,
  annotations: { 'org.opencontainers.image.title': `payload/${name}` },
})
const layers = [
  layer('minilm.bin', 'weights.v1', blobs.weights.digest, blobs.weights.size),
  layer('vocabulary.txt', 'vocabulary.v1', blobs.vocabulary.digest, blobs.vocabulary.size),
  layer('model.json', 'config.v1+json', digestBytes(card), card.length),
]
const manifest = {
  schemaVersion: 2,
  mediaType: MANIFEST_TYPE,
  artifactType: 'application/vnd.warrant.model.v1',
  config: { mediaType: layers[2]?.mediaType, digest: digestBytes(card), size: card.length },
  layers,
}

const check = (value: unknown) => {
  const document = readArtifact(Buffer.from(JSON.stringify(value)))
  if (document.kind === 'index') throw new Error('an index')
  return checkModelArtifact(document.artifact)
}
const faultOf = (work: () => unknown): Fault => {
  try {
    work()
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown
    throw thrown
  }
  throw new Error('nothing was thrown')
}

describe('a model on a registry', () => {
  it('is named by its digest, unless its bytes are those of the built-in model', () => {
    expect(check(manifest)).toMatchObject(blobs)
    expect(modelNameFor(DIGEST, blobs)).toBe(`minilm-q8-w128@${DIGEST}`)
    const own = {
      weights: { ...blobs.weights, digest: SENTENCE_FILES.weights },
      vocabulary: { ...blobs.vocabulary, digest: SENTENCE_FILES.vocabulary },
    }
    expect(modelNameFor(DIGEST, own)).toBe('all-MiniLM-L6-v2-q8-s128')
    expect(modelNameFor(DIGEST, { ...own, weights: blobs.weights })).toBe(`minilm-q8-w128@${DIGEST}`)
  })

  const changed = (at: number, change: object) => ({
    ...manifest,
    layers: layers.map((one, i) => (i === at ? { ...one, ...change } : one)),
  })

  it.each<readonly [string, unknown, string]>([
    ['another artifact', { ...manifest, artifactType: 'application/vnd.cpm.packet.v1' }, 'artifact type'],
    ['shorter weights', changed(0, { size: MODEL_PLACES.size - 1 }), 'minilm.bin has'],
    ['longer weights', changed(0, { size: 2 ** 40 }), 'minilm.bin has'],
    ['weights of another type', changed(0, { mediaType: 'application/octet-stream' }), 'no file minilm.bin'],
    ['a huge vocabulary', changed(1, { size: 2 ** 30 }), 'vocabulary.txt has'],
    ['a card that is not the config', changed(2, { digest: DIGEST }), 'not the config'],
    ['a file missing', { ...manifest, layers: layers.slice(1) }, 'no file minilm.bin'],
    ['a file more', { ...manifest, layers: [...layers, layer('x', 'x', DIGEST, 1)] }, 'other files'],
    [
      'a name that leaves the folder',
      changed(1, { annotations: { 'org.opencontainers.image.title': '../x' } }),
      '..',
    ],
  ])('is refused with %s', (_, value, said) => {
    expect(faultOf(() => check(value)).message).toContain(said)
  })

  it.each<readonly [string, unknown, string]>([
    ['no object', [], 'not an object'],
    ['other dimensions', { dimensions: 768 }, 'dimensions'],
    ['files of another model', { files: {} }, 'files'],
    ['another name', { model: 'all-MiniLM-L6-v2-q8-w128' }, 'model in model.json'],
    ['longer windows', { window_tokens: 512 }, 'window_tokens'],
  ])('is refused with a card that has %s', (_, change, said) => {
    const value = Array.isArray(change)
      ? change
      : { ...JSON.parse(Buffer.from(card).toString()), ...(change as object) }
    expect(faultOf(() => checkModelCard(Buffer.from(JSON.stringify(value)), blobs))).toMatchObject({
      code: 'packet.model',
      message: expect.stringContaining(said),
    })
  })

  it('is a fault, whatever its manifest and its card hold', () => {
    checkModelCard(card, blobs)
    fc.assert(
      fc.property(fc.jsonValue(), fc.uint8Array({ maxLength: 60 }), fc.nat(2), (value, bytes, at) => {
        faultOf(() => check(changed(at, { digest: value, size: value })))
        faultOf(() => checkModelCard(Buffer.from(JSON.stringify({ files: value, model: value })), blobs))
        faultOf(() => checkModelCard(bytes, blobs))
      }),
      { numRuns: caseCount(50, 2000) },
    )
  })
})
