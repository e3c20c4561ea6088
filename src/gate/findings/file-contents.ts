import type { ChangeSet, FileContent, FileReading } from '../ports.ts'
import type { UnjudgedKind } from '../rules/path-kinds.ts'

export interface KindTests {
  readonly byPath: (path: string) => UnjudgedKind | undefined
  readonly byContent: (path: string, bytes: Uint8Array) => boolean
}

/** The most that waits until the base has been asked about it. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024

/** Reads the files in scope, and marks those that are judged for secrets alone. */
export class FileContents {
  /** The kind of each file that rules about the program do not read. */
  readonly kinds = new Map<string, UnjudgedKind>()
  /** Files that say they are generated, which they did not at the base: they are judged as any other. */
  readonly newlyMarked: string[] = []
  readonly #set: ChangeSet
  readonly #tests: KindTests

  constructor(set: ChangeSet, tests: KindTests) {
    this.#set = set
    this.#tests = tests
  }

  async *read(paths: readonly string[], signal: AbortSignal): AsyncGenerator<FileReading> {
    let waiting: FileContent[] = []
    let size = 0
    for await (const reading of this.#set.read(paths, signal)) {
      const { path, bytes } = reading
      const kind = this.#tests.byPath(path)
      if (bytes === undefined) yield reading
      else if (kind !== undefined) yield this.#exempt(reading, kind)
      else if (!this.#tests.byContent(path, bytes)) yield reading
      else if (this.#set.source === 'git:repository') yield this.#exempt(reading, 'generated')
      else {
        waiting.push(reading)
        size += bytes.length
      }
      if (size < MAX_WAITING_BYTES) continue
      yield* this.#compare(waiting, signal)
      waiting = []
      size = 0
    }
    if (waiting.length > 0) yield* this.#compare(waiting, signal)
  }

  #exempt(file: FileContent, kind: UnjudgedKind): FileContent {
    this.kinds.set(file.path, kind)
    return { ...file, secretsOnly: true }
  }

  /** A new file, or one that people wrote until now, cannot take itself out by a comment. */
  async *#compare(files: readonly FileContent[], signal: AbortSignal): AsyncGenerator<FileContent> {
    const paths = files.map(({ path }) => path)
    const marked = new Set<string>()
    const set = this.#set
    const before = set.readCommitted?.(paths, signal) ?? set.readBefore(paths, signal)
    for await (const { path, bytes } of before)
      if (bytes !== undefined && this.#tests.byContent(path, bytes)) marked.add(path)
    for (const file of files) {
      if (!marked.has(file.path)) this.newlyMarked.push(file.path)
      yield marked.has(file.path) ? this.#exempt(file, 'generated') : file
    }
  }
}
