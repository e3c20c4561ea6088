import { describe, expect, it } from 'vitest'
import { connectionRows } from '../support/project-rows.ts'
import { CORPUS } from './corpus.ts'

describe.each(CORPUS.map((one) => ({ name: `${one.framework} (${one.language})`, ...one })))(
  '$name',
  ({ found, notFound }) => {
    it('has at least three snippets that are found and one that is not', () => {
      expect(found.length).toBeGreaterThanOrEqual(3)
      expect(notFound.length).toBeGreaterThanOrEqual(1)
      for (const { rows } of found) expect(rows).not.toEqual([])
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
