import { optional } from '../../kernel/optional.ts'
import { type Embedder, windowsOf } from '../embed.ts'
import { type Doc, readLineBlocks } from '../format/docs.ts'
import type { ByteSource } from '../format/faiss.ts'
import { wholeNumbers } from '../format/number-list.ts'
import type { OutputFile } from './packet-output.ts'

/** Vectors of an earlier build by the hash of their text. */
export interface KnownVectors {
  get(hash: string): Float32Array | undefined
}

/** What a window needs: a text to be embedded, or the hash of one whose vector is known, and the length of its vector. */
interface WindowInput {
  readonly text?: string
  readonly hash?: string
  readonly length?: number
}

/** The windows of all chunks in order. Their texts go to a scratch file, so that any number of them fits. */
export class WindowInputs {
  readonly #embedder: Embedder
  readonly #scratch: OutputFile
  readonly #known: KnownVectors | undefined
  readonly #firsts = wholeNumbers()
  #windows = 0
  #missing = 0
  #fresh = 0

  constructor(embedder: Embedder, scratch: OutputFile, known?: KnownVectors) {
    this.#embedder = embedder
    this.#scratch = scratch
    // The variant of known vectors is not recorded, so they are reused only without one.
    const isPlain = embedder.prefixes === undefined && embedder.variant === undefined
    this.#known = isPlain ? known : undefined
  }

  /** The number of the first window of each row. */
  get firsts(): Uint32Array {
    return this.#firsts.values
  }

  /** How many windows there are. */
  get windows(): number {
    return this.#windows
  }

  /** How many of them have to be embedded. */
  get missing(): number {
    return this.#missing
  }

  /** How many rows have a window that has to be embedded. */
  get fresh(): number {
    return this.#fresh
  }

  add(doc: Doc): void {
    const windows = windowsOf(this.#embedder, doc)
    // Known vectors are of whole texts.
    const whole = windows.length === 1 && windows[0]?.input === doc.text
    const { hash = '' } = doc
    const isKnown = whole && this.#known?.get(hash) !== undefined
    this.#firsts.push(this.#windows)
    this.#windows += windows.length
    if (!isKnown) {
      this.#missing += windows.length
      this.#fresh += 1
    }
    // No vectors are made.
    if (this.#embedder.dim === 0) return
    for (const { input, length } of windows)
      this.#write({ ...(isKnown ? { hash } : { text: input }), ...optional({ length }) })
  }

  /** The vector of a known text. */
  known(hash: string): Float32Array {
    return this.#known?.get(hash) as Float32Array
  }

  /** Reads the inputs back. `scratch` has what was written to the scratch file, which must have ended. */
  async *read(scratch: ByteSource): AsyncGenerator<readonly WindowInput[]> {
    for await (const { lines } of readLineBlocks(scratch))
      yield lines.map((line) => JSON.parse(Buffer.from(line).toString()))
  }

  /** As JSON: a text that was cut within a character is no UTF-8. */
  #write(input: WindowInput): void {
    this.#scratch.write(Buffer.from(`${JSON.stringify(input)}\n`))
  }
}
