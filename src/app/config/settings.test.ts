import { expect, it } from 'vitest'
import { configOptions } from './settings.ts'

it('puts every setting into a group', () => {
  const lost = configOptions().filter(({ group }) => group === 'other')
  expect(lost.map(({ flag }) => flag)).toEqual([])
})
