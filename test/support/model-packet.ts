import { digestBytes } from '../../src/kernel/encoding/hash.ts'
import { MODEL_ARTIFACT, MODEL_FILES, writeModelCard } from '../../src/packets/minilm/model-artifact.ts'
import { type MadePacket, makeArtifact } from './packet-maker.ts'

interface ModelParts {
  readonly weights: Uint8Array
  readonly vocabulary: Uint8Array
}

/** A model as `warrant packet publish-model` publishes it, whatever its files hold, and with changes to its manifest. */
export const makeModel = (
  { weights, vocabulary }: ModelParts,
  change: (manifest: Record<string, unknown>) => unknown = () => {},
): MadePacket => {
  const blob = (bytes: Uint8Array) => ({ digest: digestBytes(bytes), size: bytes.length })
  const card = writeModelCard({ weights: blob(weights), vocabulary: blob(vocabulary) }, 'a notice')
  const bytes = { weights, vocabulary, card }
  const files = Object.entries(MODEL_FILES).map(([part, { name }]) => [
    `payload/${name}`,
    bytes[part as keyof typeof bytes],
  ])
  return makeArtifact(Object.fromEntries(files), (manifest) => {
    const types = Object.values(MODEL_FILES).map(({ type }) => type)
    Object.assign(manifest, {
      artifactType: MODEL_ARTIFACT,
      config: { mediaType: MODEL_FILES.card.type, ...blob(card) },
      layers: (manifest.layers as object[]).map((layer, i) => ({ ...layer, mediaType: types[i] })),
    })
    change(manifest)
  })
}
