import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectDir } from '../contestants.mjs'

/** Modules of the product, bundled like the product. */
const PARTS = `
  export { openVectors } from './src/platform/packets/vectors/vector-file.ts'
  export { VectorThread } from './src/platform/packets/vectors/vector-threads.ts'
  export { systemClock } from './src/platform/system/clock.ts'
  export { packetReader } from './src/platform/packets/reader.ts'
  export { flatHeader, writeFlatIndex } from './src/packets/format/faiss.ts'
  export { normalizeRow } from './src/packets/format/vectors.ts'
  export { writeWindowRows } from './src/packets/format/vectors.ts'
  export { SENTENCE_MODEL } from './src/packets/embed.ts'
  export { retrieve } from './src/packets/ask/retrieve.ts'
  export { SentenceModel } from './src/packets/minilm/model.ts'
  export { makeTokenizer } from './src/packets/minilm/tokenizer.ts'
  export { sentenceEmbedder } from './src/platform/packets/sentence-model.ts'
  export { PacketBuilder } from './src/packets/build/build.ts'
  export { FolderOutput } from './src/platform/packets/folder.ts'
  export { markdownSpans } from './src/packets/build/markdown-sections.ts'
  export { localEmbedder } from './test/support/local-embedder.ts'`

/** @param {string} folder @returns {Promise<string>} the file */
export async function bundleParts(folder) {
  const { build } = createRequire(join(projectDir, 'package.json'))('esbuild')
  const outfile = join(folder, 'parts.mjs')
  await build({
    stdin: { contents: PARTS, resolveDir: projectDir, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  })
  return outfile
}

/** @param {string} folder @returns {Promise<any>} */
export async function loadParts(folder) {
  return import(pathToFileURL(await bundleParts(folder)).href)
}
