import { expect, it } from 'vitest'
import { givenUpProblem } from './file-problems.ts'

it('stops a commit for a source file that was not scanned completely, and not for other text', () => {
  expect(givenUpProblem('time', true).severity).toBe('CRITICAL')
  expect(givenUpProblem('time', false).severity).toBe('ERROR')
})
