import { expect, it } from 'vitest'
import type { GateFinding } from './reports/report.ts'
import { listPartial } from './run-facts.ts'

const finding = (ruleId: string, file: string): GateFinding => ({
  ruleId,
  severity: 'ERROR',
  code: 'X',
  message: '',
  file,
  matchedBy: 'FileContent',
  source: 'git:staged',
  state: 'new',
  fingerprint: file,
})

it('names what a receipt does not cover: files that no rule read, each once, and no more than five', () => {
  const open = [finding('gate.file-unread', 'b'), finding('gate.file-given-up', 'a'), finding('x', 'c')]
  expect(listPartial(open, { other: [], large: ['b'] })).toEqual(['rules did not read all of a, b'])
  expect(listPartial([], { other: ['6', '5', '4', '3', '2', '1'], large: [] })).toEqual([
    'the tree has other contents than were read of 1, 2, 3, 4, 5 and 1 more',
  ])
  expect(listPartial([finding('x', 'c')], { other: [], large: [] })).toEqual([])
})
