import { expect, it } from 'vitest'
import { writeTable } from './text-table.ts'

it('aligns columns by their widest cell, however many rows there are', () => {
  const rows = Array.from({ length: 300_000 }, (_, at) => [String(at), 'x'])
  const lines = writeTable(['n', 'word'], rows).split('\n')
  expect(lines.slice(0, 3)).toEqual(['n       word', '------  ----', '0       x'])
  expect(lines).toHaveLength(300_002)
})
