import type { Content } from './tool.ts'

/** An answer with content blocks of its own: a text beside the structured facts about it. */
export class ContentAnswer<T> {
  readonly value: T
  readonly content: readonly Content[]

  constructor(value: T, ...texts: readonly string[]) {
    this.value = value
    this.content = texts.map((text) => ({ type: 'text', text }))
  }
}
