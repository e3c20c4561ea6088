/** What a client may be told has changed. */
export type ChangeEvent =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string }

/** Carries news from where it happens to every connection that listens. */
export class ChangeEmitter {
  readonly #listeners = new Set<(change: ChangeEvent) => void>()
  readonly #watch: ((emit: (change: ChangeEvent) => void) => () => void) | undefined
  #stop: (() => void) | undefined

  /** `watch` looks for news while somebody listens, and only then. It returns the function that ends it. */
  constructor(watch?: (emit: (change: ChangeEvent) => void) => () => void) {
    this.#watch = watch
  }

  emit(change: ChangeEvent): void {
    for (const listener of [...this.#listeners]) listener(change)
  }

  /** Returns the function that stops the listening. */
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
