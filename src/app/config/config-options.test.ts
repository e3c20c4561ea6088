import { expect, it } from 'vitest'
import { configOptions } from './config-options.ts'

it('puts every setting into a group', () => {
  const lost = configOptions().filter(({ group }) => group === 'other')
  expect(lost.map(({ flag }) => flag)).toEqual([])
})
