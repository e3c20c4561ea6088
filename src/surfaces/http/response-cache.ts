/** How many questions are remembered with their answers, and how long either may be. */
const RECENT = { questions: 1024, answers: 128, bytes: 64 * 1024, question: 256 }

/** Longer ones are written anew each time: sending them costs more than that, and memory is dear too. */
const MAX_FIXED = 16 * 1024 * 1024

/** The bytes of answers that are the same as long as one file is. */
export class ResponseCache {
  readonly #fixed = new Map<string, Buffer>()
  readonly #recent = new Map<string, Buffer>()
  readonly #asked = new Set<string>()

  /** An answer there is one of: written once and kept. */
  fixed(name: string, write: () => string): Buffer {
    const kept = this.#fixed.get(name)
    if (kept !== undefined) return kept
    const body = Buffer.from(write())
    if (body.length <= MAX_FIXED) this.#fixed.set(name, body)
    return body
  }

  /** An answer to a question asked before, while it is remembered. */
  get(question: string): Buffer | undefined {
    return this.#recent.get(question)
  }

  /**
   * Clients ask the same few questions again and again: from the second time on the answer is kept, and what was
   * learnt first is forgotten first. One that turns pages asks each once, and pays for no memory.
   */
  set(question: string, text: string): string | Buffer {
    if (text.length > RECENT.bytes || question.length > RECENT.question) return text
    if (!this.#asked.has(question)) {
      if (this.#asked.size >= RECENT.questions) this.#asked.clear()
      this.#asked.add(question)
      return text
    }
    const body = Buffer.from(text)
    const [oldest] = this.#recent.size < RECENT.answers ? [] : this.#recent.keys()
    if (oldest !== undefined) this.#recent.delete(oldest)
    this.#recent.set(question, body)
    return body
  }
}
