import { describe, expect, it } from 'vitest'
import { exampleImport } from '../../scripts/docs-frameworks.ts'
import type { Framework } from '../../src/architecture/connections/framework.ts'
import { ConnectionDetector } from '../../src/architecture/connections/interconnections.ts'
import { FRAMEWORKS } from '../../src/architecture/frameworks/frameworks.ts'
import { KNOWN_LIBRARIES } from '../../src/architecture/frameworks/known-libraries.ts'
import { usedLibraries } from '../../src/architecture/frameworks/used-libraries.ts'
import { readProjectFiles } from '../../src/architecture/project-reader.ts'
import { memoryFiles } from '../../src/architecture/source/memory-files.fake.ts'
import { WALK_LIMITS } from '../../src/architecture/source/source-files.ts'
import { SourceIndex } from '../../src/architecture/source/source-index.ts'
import { syntaxTrees } from '../../src/platform/syntax/syntax-trees.ts'
import { connectionRows, type Snippet } from '../support/project-rows.ts'
import { CORPUS } from './corpus.ts'

/** The detectors that find something in a snippet, and the libraries that its report calls recognized or not. */
const recognizedIn = async (texts: Snippet['files']) => {
  const files = memoryFiles(texts)
  const { units, configuration, protos } = await readProjectFiles(
    files,
    files.walk(WALK_LIMITS),
    syntaxTrees(),
    {
      at: '',
      checkDeadline: () => {},
    },
  )
  const detector = new ConnectionDetector(new SourceIndex(units), configuration, {
    protos,
    frameworks: FRAMEWORKS,
  })
  for (const unit of units) detector.declareRoutes(unit)
  for (const unit of units) detector.detect(unit)
  return { detectors: [...detector.recognized.keys()], ...usedLibraries(units, detector.recognized) }
}

describe.each(CORPUS.map((one) => ({ name: `${one.framework} (${one.language})`, ...one })))(
  '$name',
  ({ found, notFound }) => {
    it('has at least three snippets that are found and one that is not', () => {
      expect(found.length).toBeGreaterThanOrEqual(3)
      expect(notFound.length).toBeGreaterThanOrEqual(1)
      for (const { rows } of found) expect(rows).not.toEqual([])
    })

    it('is a recognized library in reports', async () => {
      const all = await Promise.all(found.map(({ files }) => recognizedIn(files)))
      expect(all.flatMap(({ recognized }) => recognized)).not.toEqual([])
      expect(all.flatMap(({ unrecognized }) => unrecognized.map(({ name }) => name))).toEqual([])
    })

    it.each(found)('$title', async ({ files, rows }) => {
      expect(await connectionRows(files)).toEqual(rows)
    })

    it.each(notFound)('not: $title', async ({ files }) => {
      expect(await connectionRows(files)).toEqual([])
    })
  },
)

it('lists every framework once', () => {
  const names = CORPUS.map(({ framework, language }) => `${framework} ${language}`)
  expect(new Set(names).size).toBe(names.length)
})

it('has a snippet for every detector', async () => {
  const shown = new Set<Framework>()
  for (const { found } of CORPUS)
    for (const { files } of found) for (const one of (await recognizedIn(files)).detectors) shown.add(one)
  const missing = FRAMEWORKS.filter((one) => !shown.has(one))
  expect(missing.map(({ name, language }) => `${name} (${language})`)).toEqual([])
})

it('knows a module of every library', () => {
  const wrong = KNOWN_LIBRARIES.filter(({ imports }) => !imports.test(exampleImport(imports)))
  expect(wrong.map(({ name, imports }) => `${name}: ${exampleImport(imports)}`)).toEqual([])
})
