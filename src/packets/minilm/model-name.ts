/**
 * The model name in packets built with it: weights of 8 bits, windows of 128 tokens within sections. It changes
 * whenever a vector would.
 */
export const SENTENCE_MODEL = 'all-MiniLM-L6-v2-q8-s128'
/** The name in packets of earlier builds, whose windows go across sections. They keep their answers. */
export const EARLIER_SENTENCE_MODEL = 'all-MiniLM-L6-v2-q8-w128'
/** Names of vectors that the built-in model compares with. */
export const SENTENCE_MODELS: readonly string[] = [SENTENCE_MODEL, EARLIER_SENTENCE_MODEL]
/** The provider in the manifests of these packets. */
export const SENTENCE_PROVIDER = 'warrant-minilm'

/** Digests of the two files that have this name. */
export const SENTENCE_FILES = {
  weights: 'sha256:1762c1fd97283da7aa7acedb719dd1815083c6e3fa6046f8aef7b78c6d424a0b',
  vocabulary: 'sha256:07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3',
} as const

/** What models with other weights are called. In packets their digest follows: see `pinnedModelName`. */
export const PINNED_MODEL = 'minilm-q8-w128'
