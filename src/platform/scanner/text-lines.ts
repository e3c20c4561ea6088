/** Offsets into the text; the end is exclusive. */
export type Place = readonly [start: number, end: number]

const lineStarts = (text: string): readonly number[] => {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** A text and its lines, which are computed when the first is asked for: most files have no match. */
export class TextLines {
  readonly text: string
  #known: readonly number[] | undefined

  constructor(text: string) {
    this.text = text
  }

  get #starts(): readonly number[] {
    this.#known ??= lineStarts(this.text)
    return this.#known
  }

  /** The number of the line at an offset, from 0. */
  lineAt(offset: number): number {
    let [low, high] = [0, this.#starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return low
  }

  startOf(line: number): number {
    return this.#starts[line] ?? this.text.length
  }

  line(number: number): string {
    return this.text.slice(this.startOf(number), this.startOf(number + 1)).replace(/\r?\n$/, '')
  }

  /** The lines that a place is in. */
  linesOf([start, end]: Place): string {
    const last = this.lineAt(Math.max(start, end - 1))
    return this.text.slice(this.startOf(this.lineAt(start)), this.startOf(last + 1)).replace(/\r?\n$/, '')
  }
}
