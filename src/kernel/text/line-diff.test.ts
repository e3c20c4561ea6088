import { expect, it } from 'vitest'
import { diffLines } from './line-diff.ts'

it('shows what was removed, added and kept', () => {
  expect(diffLines('a\nb\nc', 'a\nB\nc\nd')).toEqual(['  a', '- b', '+ B', '  c', '+ d'])
  expect(diffLines('', 'a')).toEqual(['- ', '+ a'])
  expect(diffLines('a\nb', 'a\nb')).toEqual(['  a', '  b'])
})

it('shows a very long text as a whole', () => {
  const long = 'x\n'.repeat(3_000)
  expect(diffLines('y', long)).toHaveLength(3_001)
})
