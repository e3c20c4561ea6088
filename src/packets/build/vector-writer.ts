import { flatHeader } from '../format/faiss.ts'
import { writeVectors, writeWindowRows } from '../format/vectors.ts'
import { scaledVector, type WindowVector } from './embed-docs.ts'
import type { OutputFile, PacketOutput } from './packet-output.ts'
import type { WindowInputs } from './window-inputs.ts'

/** The vectors of all windows, and which of them are those of a row. */
export const WINDOW_FILES = { index: 'faiss/windows.faiss', rows: 'windows.bin' }
const ROW_FILES = { halves: 'vectors.f16.bin', index: 'faiss/index.faiss' }

const toBytes = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

/** The files of vectors of a packet, written while the vectors are made. Without any vector there are none. */
export class VectorWriter {
  readonly #output: PacketOutput
  readonly #inputs: WindowInputs
  readonly #files = new Map<string, OutputFile>()
  #dim = 0
  #window = 0
  #row = 0

  constructor(output: PacketOutput, inputs: WindowInputs) {
    this.#output = output
    this.#inputs = inputs
  }

  /** Length of the vectors; zero when there are none. */
  get dim(): number {
    return this.#dim
  }

  /** Adds the vector of the next window. */
  add(window: WindowVector): void {
    const { vector } = window
    if (vector.length === 0) return
    if (this.#files.size === 0) this.#begin(vector.length)
    this.#files.get(WINDOW_FILES.index)?.write(toBytes(scaledVector(window)))
    if (this.#window++ !== this.#inputs.firsts[this.#row]) return
    // A row is found by its first window where windows are not known.
    this.#row += 1
    this.#files.get(ROW_FILES.index)?.write(toBytes(vector))
    this.#files.get(ROW_FILES.halves)?.write(writeVectors({ rows: 1, dim: this.#dim, values: vector }))
  }

  end(): void {
    for (const file of this.#files.values()) file.end()
    if (!this.#files.has(WINDOW_FILES.index)) return
    const rows = this.#output.create(WINDOW_FILES.rows)
    rows.write(writeWindowRows(this.#inputs.firsts))
    rows.end()
  }

  /** Takes back what was written, when not all vectors can be made. */
  remove(): void {
    for (const [path, file] of this.#files) {
      file.end()
      this.#output.remove(path)
    }
    this.#files.clear()
    this.#dim = 0
  }

  #begin(dim: number): void {
    const { firsts, windows } = this.#inputs
    this.#dim = dim
    this.#create(ROW_FILES.halves)
    this.#create(ROW_FILES.index).write(flatHeader(firsts.length, dim))
    if (windows !== firsts.length) this.#create(WINDOW_FILES.index).write(flatHeader(windows, dim))
  }

  #create(path: string): OutputFile {
    const file = this.#output.create(path)
    this.#files.set(path, file)
    return file
  }
}
