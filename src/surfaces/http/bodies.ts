/** How many questions are remembered with their answers, and how long either may be. */
const RECENT = { answers: 128, bytes: 64 * 1024, question: 256 }

/** Longer ones are written anew each time: sending them costs more than that, and memory is dear too. */
const MAX_FIXED = 16 * 1024 * 1024

/** The bytes of answers that are the same as long as one file is. */
export class Bodies {
  readonly #fixed = new Map<string, Buffer>()
  readonly #recent = new Map<string, Buffer>()

  /** An answer there is one of: written once and kept. */
  fixed(name: string, write: () => string): Buffer {
    const kept = this.#fixed.get(name)
    if (kept !== undefined) return kept
    const body = Buffer.from(write())
    if (body.length <= MAX_FIXED) this.#fixed.set(name, body)
    return body
  }

  /** An answer to a question asked before, while it is remembered. */
  recall(question: string): Buffer | undefined {
    return this.#recent.get(question)
  }

  /** Clients ask the same few questions again and again: what was learnt first is forgotten first. */
  remember(question: string, text: string): Buffer {
    const body = Buffer.from(text)
    if (body.length > RECENT.bytes || question.length > RECENT.question) return body
    if (this.#recent.size >= RECENT.answers) {
      for (const oldest of this.#recent.keys()) {
        this.#recent.delete(oldest)
        break
      }
    }
    this.#recent.set(question, body)
    return body
  }
}
