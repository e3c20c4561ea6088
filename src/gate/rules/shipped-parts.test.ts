import { describe, expect, it } from 'vitest'
import { readShippedRules } from '../../../scripts/rules.ts'
import { expandBraces } from '../../kernel/text/glob.ts'
import { extensionOf } from '../../kernel/text/languages.ts'
import { coverage } from './paths-by-rule.ts'
import {
  containsWord,
  globWords,
  joinRules,
  partsFor,
  restorePart,
  splitRules,
  storePart,
} from './shipped-parts.ts'

const shipped = await readShippedRules()
const { index, parts } = splitRules(shipped)

/** Paths that a glob without braces matches: each wildcard as a short text and as a long one. */
const pathsOf = (glob: string): readonly string[] =>
  ['x', 'Some-Thing.x'].map((text) =>
    glob
      .replaceAll('**/', 'src/1/')
      .replaceAll('**', 'deep/er')
      .replaceAll('*', text)
      .replaceAll('?', 'x')
      .replace(/\[([^\]])[^\]]*\]/g, '$1'),
  )

describe('the shipped rules in parts', () => {
  it('are all rules once they are stored, read and put together', () => {
    const stored = [...parts.values()].map((part) => JSON.stringify(storePart(part)))
    const restored = stored.map((text) => restorePart(JSON.parse(text)))
    expect(joinRules(index, restored)).toEqual(JSON.parse(JSON.stringify(shipped)))
  })

  it('are loaded for every file that a rule about certain names reads', () => {
    const named = Object.values(parts.get('named')?.rules ?? {}).flat()
    expect(named.length).toBeGreaterThan(50)
    let loaded = 0
    for (const rule of named)
      for (const glob of rule.files ?? [])
        for (const one of expandBraces(typeof glob === 'string' ? glob : glob.glob))
          for (const path of pathsOf(one).flatMap((path) => [path, path.toUpperCase()])) {
            const covers = coverage({ files: [glob], ignores: [] }, [''])
            const scope = { extensions: new Set([extensionOf(path)]), paths: ['a.ts', path] }
            if (!covers(path)) continue
            expect(partsFor(index, scope), `${rule.id} ${path}`).toContain('named')
            loaded += 1
          }
    expect(loaded).toBeGreaterThan(1_500)
  })

  it('leave out rules about other names, unless the names are not told', () => {
    const extensions = new Set(['ts'])
    const paths = ['src/1/file-1.ts']
    expect(partsFor(index, { extensions, paths })).toEqual(['shared', 'typescript'])
    expect(partsFor(index, { extensions })).toEqual(['named', 'shared', 'typescript'])
  })
})

describe('words of globs', () => {
  it.each([
    [['**/*.{yml,yaml}'], ['.yml', '.yaml']],
    [
      ['**/Dockerfile', '**/[sS]eed*.TF'],
      ['dockerfile', 'eed'],
    ],
    [[{ glob: '**/.ENV*', caseInsensitive: true }], ['.env']],
    [['**/*.yml', '**/*.ts'], undefined],
    [['**/*.yml', '**/*'], undefined],
    [['**/[!a]bc.yml'], undefined],
    [['**/ñandú.yml'], undefined],
    [[], undefined],
  ])('of %j are %j', (globs, words) => {
    expect(globWords(globs)).toEqual(words)
  })

  it('are found in paths of any case', () => {
    expect(containsWord(['a.ts', 'b/DOCKERFILE.dev'], ['dockerfile'])).toBe(true)
    expect(containsWord(['a.ts'], ['dockerfile'])).toBe(false)
  })
})
