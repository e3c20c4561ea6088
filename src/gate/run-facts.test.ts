import { expect, it } from 'vitest'
import type { GateFinding } from './reports/report.ts'
import { whyPartial } from './run-facts.ts'

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
  expect(whyPartial(open, ['b'])).toBe('rules did not read what the tree has of a, b')
  expect(whyPartial([], ['6', '5', '4', '3', '2', '1'])).toBe(
    'rules did not read what the tree has of 1, 2, 3, 4, 5 and 1 more',
  )
  expect(whyPartial([finding('x', 'c')], [])).toBeUndefined()
})
