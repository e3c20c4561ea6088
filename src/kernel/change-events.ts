/** A change that clients can be notified of. */
export type ChangeEvent =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string }

/** Forwards changes to all listening connections. */
export class ChangeEmitter {
  readonly #listeners = new Set<(change: ChangeEvent) => void>()
  readonly #watch: ((emit: (change: ChangeEvent) => void) => () => void) | undefined
  #stop: (() => void) | undefined

  /** `watch` runs only while there are listeners. It returns the function that stops it. */
  constructor(watch?: (emit: (change: ChangeEvent) => void) => () => void) {
    this.#watch = watch
  }

  emit(change: ChangeEvent): void {
    for (const listener of [...this.#listeners]) listener(change)
  }

  /** Returns the function that removes the listener. */
  listen(listener: (change: ChangeEvent) => void): () => void {
    this.#listeners.add(listener)
    this.#stop ??= this.#watch?.((change) => this.emit(change))
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }
}
