import { expect, it } from 'vitest'
import { extensionOf, grammarForExtension, LANGUAGES } from './languages.ts'

it('has every extension once', () => {
  const extensions = Object.values(LANGUAGES).flatMap(({ extensions: all }) => all)
  expect(new Set(extensions).size).toBe(extensions.length)
})

it.each([
  ['src/a.ts', 'TypeScript'],
  ['a.TSX', 'Tsx'],
  ['a.js', 'JavaScript'],
  ['a.d/b.jsx', 'JavaScript'],
  ['build.gradle.kts', 'kotlin'],
  ['a.d/b', undefined],
  ['README', undefined],
  ['a.constructor', undefined],
])('%s is read with the grammar %s', (path, grammar) => {
  expect(grammarForExtension(extensionOf(path))).toBe(grammar)
})
