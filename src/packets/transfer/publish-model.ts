import { digestBytes } from '../../kernel/encoding/hash.ts'
import { decodeStrict } from '../../kernel/text/decode.ts'
import { packetFaults } from '../faults.ts'
import { memorySource } from '../format/faiss.ts'
import { type Reference, writeReference } from '../format/reference.ts'
import { SentenceModel } from '../minilm/model.ts'
import { MODEL_ARTIFACT, MODEL_FILES, modelNameFor, writeModelCard } from '../minilm/model-artifact.ts'
import { MODEL_PLACES } from '../minilm/model-layout.ts'
import { MAX_VOCABULARY, readTokens } from '../minilm/token-list.ts'
import type { RegistryWriter } from '../registry.ts'
import type { OpenFile } from '../store.ts'
import { makeLayer, type Published, pushArtifact, type UploadOptions } from './push-artifact.ts'

/** Says where a model is from and under which licence. */
const NOTICE_FILE = 'NOTICE.txt'
const MAX_NOTICE = 32 * 1024

const FIX =
  'Name a folder with minilm.bin and vocabulary.txt in the layout of the built-in model, and NOTICE.txt with its origin and licence.'

const readPart = async (open: OpenFile, name: string, most: number): Promise<Uint8Array> => {
  const source = await open(name)
  if (source === undefined) throw packetFaults.model(`the folder has no ${name}`, { fix: FIX })
  if (source.size > most) throw packetFaults.model(`${name} has more than ${most} bytes`, { fix: FIX })
  return source.read(0, source.size)
}

/** Runs a check of a file, and names the file where it fails. */
const checkPart = <T>(name: string, check: () => T): T => {
  try {
    return check()
  } catch (cause) {
    throw packetFaults.model(`${name}: ${(cause as Error).message}`, { cause, fix: FIX })
  }
}

const checkWeights = (weights: Uint8Array): void => {
  if (weights.length !== MODEL_PLACES.size) throw new Error(`it has not ${MODEL_PLACES.size} bytes`)
  new SentenceModel((into, at) => into.set(weights.subarray(at, at + into.length)))
}

interface PublishedModel extends Published {
  /** The model name in packets that are built with it. */
  readonly model: string
}

/** Publishes the model of a folder under a tag. The same files have the same digest each time. */
export const uploadModel = async (
  registry: RegistryWriter,
  open: OpenFile,
  ref: Reference,
  options: UploadOptions,
  signal: AbortSignal,
): Promise<PublishedModel> => {
  const { host, repository, tag, digest } = ref
  if (tag === undefined || digest !== undefined)
    throw packetFaults.reference(`${writeReference(ref)} names a digest`, {
      fix: 'Name the tag to publish the model under: HOST/NAME:TAG.',
    })
  const weights = await readPart(open, MODEL_FILES.weights.name, MODEL_PLACES.size)
  const vocabulary = await readPart(open, MODEL_FILES.vocabulary.name, MAX_VOCABULARY)
  const noticeBytes = await readPart(open, NOTICE_FILE, MAX_NOTICE)
  const notice = checkPart(NOTICE_FILE, () => decodeStrict(noticeBytes))
  checkPart(MODEL_FILES.vocabulary.name, () => readTokens(vocabulary))
  checkPart(MODEL_FILES.weights.name, () => checkWeights(weights))
  const blob = (bytes: Uint8Array) => ({ digest: digestBytes(bytes), size: bytes.length })
  const blobs = { weights: blob(weights), vocabulary: blob(vocabulary) }
  const card = writeModelCard(blobs, notice)
  const parts = { weights, vocabulary, card }
  const layers = await Promise.all(
    Object.entries(MODEL_FILES).map(([part, { name, type }]) =>
      makeLayer(name, `payload/${name}`, type, memorySource(parts[part as keyof typeof parts])),
    ),
  )
  const published = await pushArtifact(
    registry,
    {
      at: { host, repository },
      artifactType: MODEL_ARTIFACT,
      config: { type: MODEL_FILES.card.type, bytes: card },
      layers,
      tags: [tag],
    },
    options,
    signal,
  )
  return { ...published, model: modelNameFor(published.digest, blobs) }
}
