import { describe, expect, it } from 'vitest'
import { matchTemplate } from './resource.ts'

describe('a template', () => {
  it.each([
    ['a://{id}/data', 'a://7/data', { id: '7' }],
    ['a://{id}/data', 'a://x%20y/data', { id: 'x y' }],
    ['a://{one}/{two}', 'a://1/2', { one: '1', two: '2' }],
    ['a.b://{id}', 'a.b://x', { id: 'x' }],
    ['a://{id}', 'a://x/y', undefined],
    ['a://{id}/{+path}', 'a://x/y/z%20w.md', { id: 'x', path: 'y/z w.md' }],
    ['a://{id}/{+path}', 'a://x/', undefined],
    ['a://{id}', 'a://', undefined],
    ['a.b://{id}', 'aXb://x', undefined],
    ['a://{id}', 'a://%zz', undefined],
    ['a://{id}/data', 'a://7/data/../secret', undefined],
  ])('%s reads %s as %j', (template, uri, variables) => {
    expect(matchTemplate(template, uri)).toEqual(variables)
  })

  it('hands over an encoded slash as part of one variable, for the reader to judge', () => {
    expect(matchTemplate('a://{id}', 'a://..%2Fsecret')).toEqual({ id: '../secret' })
  })
})
