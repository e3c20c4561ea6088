import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sweep } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { SignedProject } from '../support/signed-project.ts'

/** Merges that put an old tree of the target back, and so take away what came since, such as a repair. */

const project = new SignedProject()
const { repo } = project
const id = (name: string): string => repo.git('rev-parse', name).trim()
const tree = (name: string): string => id(`${name}^{tree}`)
const make = (treeId: string, ...parents: readonly string[]): string =>
  repo.git('commit-tree', treeId, ...parents.flatMap((one) => ['-p', one]), '-m', 'made').trim()
afterAll(sweep)

/** Every commit of the target is judged, and all files of each were looked at as well. */
beforeAll(() => {
  for (const step of [1, 2, 3, 4]) {
    repo.git('switch', '-q', 'main')
    project.commit({ 'src/step.ts': `export const step = ${step}\n` })
    expect(project.warrant(['gate', '--all']).status).toBe(0)
  }
  project.git('push', '-q', 'origin', 'main')
  repo.git('fetch', '-q', 'origin')
})

const OLD = ['main~1', 'main~2', 'main~3', 'main~4', 'main~5']

/** What the merge takes in: the old commit, or commits that start from it and leave it as it is. */
const SIDES: Readonly<Record<string, (old: string) => string>> = {
  'the old commit': (old) => old,
  'an empty commit on it': (old) => make(tree(old), old),
  'two empty commits on it': (old) => make(tree(old), make(tree(old), old)),
  'a merge of two that start from it': (old) => make(tree(old), make(tree(old), old), make(tree(old), old)),
}

const MERGES: Readonly<Record<string, (branch: string, side: string, old: string) => string>> = {
  second: (branch, side, old) => make(tree(old), branch, side),
  first: (branch, side, old) => make(tree(old), side, branch),
  third: (branch, side, old) => make(tree(old), branch, make(tree(branch), branch), side),
}

const ROWS = OLD.flatMap((old) =>
  Object.keys(SIDES).flatMap((side) => Object.keys(MERGES).map((place) => [old, side, place] as const)),
)

let branches = 0
const begin = () => {
  branches += 1
  project.branch(`restored-${branches}`).commit({ 'src/own.ts': `export const own = ${branches}\n` })
}

describe('a merge that puts an old tree back', () => {
  it.each(someRows(ROWS, 12, 5))(
    'of %s, by %s as the %s parent, is covered by no receipt',
    (old, side, place) => {
      begin()
      const made = MERGES[place]?.(id('HEAD'), SIDES[side]?.(id(old)) ?? '', id(old)) ?? ''
      repo.git('reset', '-q', '--hard', made)
      expect(project.check().at(-1)).toBe('missing')
      // A look at all files, and at the commit itself, is not a verdict on what is gone.
      expect(tree('HEAD')).toBe(tree(old))
    },
  )

  it('is not covered where the target is merged into a branch that left it long ago', () => {
    project.branch('long-ago', 'main~3').commit({ 'src/own.ts': 'export {}\n' })
    const branch = id('HEAD')
    repo.git('reset', '-q', '--hard', make(tree('main~3'), branch, id('main')))
    expect(project.check()).toEqual(['covered', 'missing'])
    // The same merge with what both sides have needs a verdict of its own, and is covered then.
    repo.git('reset', '-q', '--hard', branch)
    project.git('merge', '-q', '--no-edit', 'main')
    expect(project.check()).toEqual(['covered', 'missing'])
    expect(project.check('--judge')).toEqual(['covered', 'covered'])
  })
})
