import { createHash } from 'node:crypto'
import type { LineageLog, Row, TreeNode } from '../../src/lineage/store.ts'

export const GENESIS = '{"clock":"wall","version":1}'

export const row = (seq: number, text = `entry ${seq}`): Row => ({
  seq,
  entry: JSON.stringify({ seq, text }),
  payload: JSON.stringify({ args: text }),
})

export const rows = (from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, place) => row(from + place))

export const node = (level: number, index: number): TreeNode => ({
  level,
  index,
  hash: createHash('sha256').update(`${level}/${index}`).digest('hex'),
})

/** Everything in a log, read page by page. */
export const readAll = async (log: LineageLog, page = 1_000): Promise<Row[]> => {
  const all: Row[] = []
  for (;;) {
    const found = await log.read(all.length, page)
    all.push(...found)
    if (found.length < page) return all
  }
}

/** Appends a row with `text` and returns its sequence number. */
export const addNext = async (log: LineageLog, text: string): Promise<number> => {
  for (;;) {
    const { size } = await log.head()
    if (await log.append(size, [row(size, text)], [node(0, size)])) return size
  }
}

/** The texts of the rows, in order. */
export const texts = (all: readonly Row[]): string[] => all.map(({ entry }) => JSON.parse(entry).text)
