import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { packetFaults } from '../faults.ts'
import { type Artifact, type Descriptor, placeFiles, readArtifact } from '../format/artifact.ts'
import { readJson } from '../format/json-bytes.ts'
import { MODEL_DIM, MODEL_PLACES } from './model-layout.ts'
import { EARLIER_SENTENCE_MODEL, PINNED_MODEL, SENTENCE_FILES, SENTENCE_MODEL } from './model-name.ts'
import { MAX_VOCABULARY } from './token-list.ts'
import { WINDOW_TOKENS } from './windows.ts'

/** The artifact type of a model on a registry. */
export const MODEL_ARTIFACT = 'application/vnd.warrant.model.v1'

/** The files of a published model, each a layer. The card is the config of the artifact too. */
export const MODEL_FILES = {
  weights: { name: 'minilm.bin', type: 'application/vnd.warrant.model.weights.v1' },
  vocabulary: { name: 'vocabulary.txt', type: 'application/vnd.warrant.model.vocabulary.v1' },
  card: { name: 'model.json', type: 'application/vnd.warrant.model.config.v1+json' },
} as const

const SCHEMA = 'warrant.model'
const SCHEMA_VERSION = '1.0'
const MAX_CARD = 64 * 1024

type SizedFile = Pick<Descriptor, 'digest' | 'size'>

/** The blobs of a model. */
interface ModelBlobs {
  readonly weights: SizedFile
  readonly vocabulary: SizedFile
}

const refuse = (why: string): never => {
  throw packetFaults.model(`this is not a model that can be used: ${why}`)
}

/** The name in packets for vectors of a pinned model with other weights than the built-in one. */
export const pinnedModelName = (digest: Digest): string => `${PINNED_MODEL}@${digest}`

const isBuiltIn = ({ weights, vocabulary }: ModelBlobs): boolean =>
  weights.digest === SENTENCE_FILES.weights && vocabulary.digest === SENTENCE_FILES.vocabulary

/** The model name for packets: that of the built-in model for the same bytes, so that their vectors are comparable. */
export const modelNameFor = (digest: Digest, blobs: ModelBlobs): string =>
  isBuiltIn(blobs) ? SENTENCE_MODEL : pinnedModelName(digest)

const cardFiles = ({ weights, vocabulary }: ModelBlobs) => ({
  [MODEL_FILES.weights.name]: { digest: weights.digest, size: weights.size },
  [MODEL_FILES.vocabulary.name]: { digest: vocabulary.digest, size: vocabulary.size },
})

/** What a card must say of a model. */
const cardFacts = (blobs: ModelBlobs) => ({
  schema: SCHEMA,
  schema_version: SCHEMA_VERSION,
  // The earlier name: a card names weights, and weights that were published before stay the same.
  model: isBuiltIn(blobs) ? EARLIER_SENTENCE_MODEL : PINNED_MODEL,
  dimensions: MODEL_DIM,
  window_tokens: WINDOW_TOKENS,
  files: cardFiles(blobs),
})

/** The card of a model: the same bytes for the same model and notice. */
export const writeModelCard = (blobs: ModelBlobs, notice: string): Uint8Array =>
  Buffer.from(canonicalJson({ ...cardFacts(blobs), licence_notice: notice }))

export const readModelCard = (bytes: Uint8Array): Readonly<Record<string, unknown>> => {
  const card = readJson(bytes, MODEL_FILES.card.name, MAX_CARD, packetFaults.model)
  return isRecord(card) ? card : refuse(`${MODEL_FILES.card.name} is not an object`)
}

/** Checks that a card describes this model, and one of the layout that is read here. */
export const checkModelCard = (bytes: Uint8Array, blobs: ModelBlobs): void => {
  const card = readModelCard(bytes)
  for (const [member, expected] of Object.entries(cardFacts(blobs)))
    if (canonicalJson(card[member] ?? null) !== canonicalJson(expected))
      refuse(`${member} in ${MODEL_FILES.card.name} is not ${canonicalJson(expected).slice(0, 200)}`)
}

/** Checks the manifest of a model, before anything else of it is fetched: types, names and sizes of its files. */
export const checkModelArtifact = (artifact: Artifact): ModelBlobs => {
  if (artifact.artifactType !== MODEL_ARTIFACT) refuse(`its artifact type is not ${MODEL_ARTIFACT}`)
  const placed = new Map(placeFiles(artifact, 'payload').map(({ path, descriptor }) => [path, descriptor]))
  const file = (part: keyof typeof MODEL_FILES): Descriptor => {
    const { name, type } = MODEL_FILES[part]
    const found = placed.get(`payload/${name}`)
    return found?.mediaType === type ? found : refuse(`it has no file ${name} of the type ${type}`)
  }
  const [weights, vocabulary, card] = [file('weights'), file('vocabulary'), file('card')]
  if (artifact.layers.length !== Object.keys(MODEL_FILES).length) refuse('it has other files too')
  if (weights.size !== MODEL_PLACES.size)
    refuse(`${MODEL_FILES.weights.name} has ${weights.size} bytes and not ${MODEL_PLACES.size}`)
  if (vocabulary.size > MAX_VOCABULARY) refuse(`${MODEL_FILES.vocabulary.name} has ${vocabulary.size} bytes`)
  if (card.size > MAX_CARD || card.digest !== artifact.config.digest)
    refuse(`${MODEL_FILES.card.name} is too long, or not the config of the artifact`)
  return { weights, vocabulary }
}

/** The model name of a stored artifact, from its manifest; undefined when it is not a model. */
export const storedModelName = (manifest: Uint8Array): string | undefined => {
  const document = readArtifact(manifest)
  if (document.kind === 'index' || document.artifact.artifactType !== MODEL_ARTIFACT) return undefined
  return modelNameFor(digestBytes(manifest), checkModelArtifact(document.artifact))
}
