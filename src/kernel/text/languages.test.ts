import { expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { extensionOf, grammarForExtension, LANGUAGES, OPTIONAL_GRAMMARS } from './languages.ts'

it('has every extension once', () => {
  const extensions = Object.values(LANGUAGES).flatMap(({ extensions: all }) => all)
  expect(new Set(extensions).size).toBe(extensions.length)
})

it('names the versions of optional grammars that the package declares and the tests use', () => {
  const named = Object.fromEntries(
    [...OPTIONAL_GRAMMARS.values()].map(({ name, version }) => [name, version]),
  )
  expect(manifest.peerDependencies).toEqual(named)
  expect(manifest.devDependencies).toMatchObject(named)
  expect(Object.keys(manifest.peerDependenciesMeta)).toEqual(Object.keys(named).sort())
  expect(Object.keys(manifest.dependencies)).not.toEqual(expect.arrayContaining(Object.keys(named)))
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
