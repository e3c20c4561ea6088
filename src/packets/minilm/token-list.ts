import { decodeStrict } from '../../kernel/text/decode.ts'
import { VOCABULARY_SIZE } from './model-layout.ts'

/** Largest file of tokens; that of the built-in model has 232 kB. */
export const MAX_VOCABULARY = 1024 * 1024

/** Tokens that the model and the tokenizer know by their ids. */
const FIXED_TOKENS = new Map([
  [100, '[UNK]'],
  [101, '[CLS]'],
  [102, '[SEP]'],
])

/** Reads the tokens of a model, one a line in the order of their ids. The file may come from a registry. */
export const readTokens = (bytes: Uint8Array): readonly string[] => {
  if (bytes.length > MAX_VOCABULARY) throw new Error(`it has more than ${MAX_VOCABULARY} bytes`)
  const tokens = decodeStrict(bytes).replace(/\n$/, '').split('\n')
  // An id is a row of the weights: with more tokens it would be outside of them.
  if (tokens.length !== VOCABULARY_SIZE)
    throw new Error(`it has ${tokens.length} tokens and not ${VOCABULARY_SIZE}`)
  if (new Set(tokens).size !== tokens.length) throw new Error('it has a token twice')
  for (const [id, token] of FIXED_TOKENS)
    if (tokens[id] !== token) throw new Error(`token ${id} is not ${token}`)
  return tokens
}
