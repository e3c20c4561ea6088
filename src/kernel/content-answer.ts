import type { Content } from './tool.ts'

/** An answer whose content says what its value does not: a text beside the facts about it. */
export class ContentAnswer<T> {
  readonly value: T
  readonly content: readonly Content[]

  constructor(value: T, ...texts: readonly string[]) {
    this.value = value
    this.content = texts.map((text) => ({ type: 'text', text }))
  }
}
