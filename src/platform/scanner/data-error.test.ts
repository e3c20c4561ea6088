import { describe, expect, it } from 'vitest'
import { findDataError } from './data-error.ts'

/** Path, text, and the place of the error; undefined when the file is not reported. */
const CASES: readonly [string, string, readonly [number, number] | undefined][] = [
  ['package.json', '{\n  "name": "a",\n  "version": "1"\n}\n', undefined],
  ['package.json', '{\n  "name": "a",\n}\n', [2, 0]],
  ['package.json', '{\n  "name": "a"\n  "version": "1"\n}\n', [2, 2]],
  ['data.json', '{ "a": [1, 2 }', [0, 13]],
  ['data.json', '{ "a": 1', [0, 8]],
  ['data.json', '', undefined],
  ['data.json', '{"a":1}\n{"a":2}\n', undefined],
  ['tsconfig.json', '{\n  // why\n  "strict": true,\n}\n', undefined],
  ['tsconfig.base.json', '{ "strict": true, }', undefined],
  ['.vscode/settings.json', '{ "a": [1,], /* b */ }', undefined],
  ['rules.json', '{ "address": "https://shop.dev" // comment\n}', undefined],
  ['rules.jsonc', '{ "a": 1 /* open', [0, 16]],
  ['src/templates/package.json', '{ "name": {{ name }} }', undefined],
  ['src/package.json', '{ "name": <%= name %> }', undefined],
  ['test/fixtures/broken.json', '{', undefined],
  ['deploy.yaml', 'a:\n  - b\n  - c: d\n', undefined],
  ['deploy.yaml', 'a: [1, 2\nb: 3\n', [1, 0]],
  ['deploy.yaml', 'a: b: c\n', [0, 3]],
  ['.github/workflows/ci.yml', 'a: "x\nb: 1\n', [2, 0]],
  ['.github/workflows/ci.yml', `env:\n  A: \${{ secrets.A }}\n`, undefined],
  ['chart/deployment.yaml', 'a: {{ .Values.a }}\n{{- end }}\n', undefined],
  ['all.yml', 'a: 1\n---\nb: 2\n', undefined],
  ['all.yml', 'a: !Ref b\nc: !Sub "d"\n', undefined],
  ['contrib/vscode/launch.json', '{ "a": 1, }', undefined],
  ['appsettings.Development.json', '{ "a": 1, // b\n}', undefined],
  ['metrics.json', '{ "a": NaN, "b": [-Infinity, "NaN"] }', undefined],
  ['metrics.json', '{ "a": NaN, }', [0, 13]],
  ['src/main/resources/application.yml', 'info:\n  version: @project.version@\n', undefined],
  ['readme.md', '{', undefined],
]

describe('the first syntax error of a data file', () => {
  it.each(CASES)('%s %j', async (path, text, place) => {
    expect(await findDataError(path, text)).toEqual(place)
  })

  it('is found in time that grows with the file alone', async () => {
    const parts = ['/*', '{', ', ', '"\\', '- ', '&a ', 'a: ', '[a, b: ', '}', ']\n', 'a: |\n', '---\n']
    for (const part of parts) {
      const start = performance.now()
      await findDataError('data.json', part.repeat(200_000 / part.length))
      await findDataError('data.yaml', part.repeat(10_000 / part.length))
      expect([part, performance.now() - start < 3_000]).toEqual([part, true])
    }
  })
})
