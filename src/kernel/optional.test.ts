import fc from 'fast-check'
import { expect, it } from 'vitest'
import { optional } from './optional.ts'

it('leaves out what is undefined, and nothing else', () => {
  expect(optional({ a: undefined, b: null, c: 0, d: '', e: false, f: [] })).toStrictEqual({
    b: null,
    c: 0,
    d: '',
    e: false,
    f: [],
  })
})

it('keeps the order of the members', () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { maxLength: 12 })
  fc.assert(
    fc.property(names, fc.infiniteStream(fc.option(fc.integer(), { nil: undefined })), (keys, values) => {
      const members = Object.fromEntries(keys.map((key) => [key, values.next().value]))
      const kept = keys.filter((key) => members[key] !== undefined)
      expect(Object.entries(optional(members))).toEqual(kept.map((key) => [key, members[key]]))
    }),
  )
})
