/**
 * The model name in packets built with it: weights of 8 bits, windows of 128 tokens within sections. It changes
 * whenever a vector would.
 */
export const SENTENCE_MODEL = 'all-MiniLM-L6-v2-q8-s128'
/** The provider in the manifests of these packets. */
export const SENTENCE_PROVIDER = 'warrant-minilm'
