/** What a client may be told has changed. */
export type Change =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string }

/** Carries news from where it happens to every connection that listens. */
export class Changes {
  readonly #listeners = new Set<(change: Change) => void>()

  emit(change: Change): void {
    for (const listener of [...this.#listeners]) listener(change)
  }

  /** Returns the function that stops the listening. */
  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
