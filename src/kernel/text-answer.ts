import type { JsonObject } from './encoding/json.ts'
import type { Content } from './tool.ts'

/**
 * The answer of a tool that answers with text. It has no structured content: several clients show a model only the
 * structured content if there is any, so the text would be lost. Facts about the text are for programs and travel in `_meta`.
 */
export class TextAnswer {
  readonly facts: JsonObject
  readonly texts: readonly string[]
  /** What a reader has to know beside the text, such as how to get the rest. The last block, one line. */
  readonly note: string | undefined

  constructor(facts: JsonObject, texts: readonly string[], note?: string) {
    this.facts = facts
    this.texts = texts
    this.note = note
  }

  get content(): readonly Content[] {
    const texts =
      this.note === undefined ? this.texts : [...this.texts.filter((text) => text !== ''), `[${this.note}]`]
    return texts.map((text) => ({ type: 'text', text }))
  }
}
