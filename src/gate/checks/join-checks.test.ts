import { describe, expect, it } from 'vitest'
import { joinChecks, parseChecks } from './parse-checks.ts'

const file = (members: string, name = 'a') => parseChecks(`checks:\n  ${name}: { ${members} }\n`)
const BASE = 'run: x, reads: lines, stages: [PRE_COMMIT, CI], severity: { error: ERROR }, only: changed-files'

const join = async (members: string | undefined) => {
  const base = await file(BASE)
  const after = members === undefined ? undefined : await file(members)
  return joinChecks(base, after)
}

describe('a changed check', () => {
  it.each([
    ['a is removed', undefined],
    ['a runs another command', BASE.replace('run: x', "run: 'true'")],
    ['a reads exit instead of lines', BASE.replace('lines', 'exit')],
    ['a no longer runs at CI', BASE.replace(', CI', '')],
    ['a depends on other paths', `${BASE}, paths: [docs/**]`],
    ['a has lower severities', BASE.replace('error: ERROR', 'error: INFO')],
    ['a has lower severities', BASE.replace('error: ERROR', 'warning: OFF')],
    ['a counts changed-lines only', BASE.replace('changed-files', 'changed-lines')],
  ])('is weaker when %s, and judges in both versions', async (effect, members) => {
    const { changes, required } = await join(members)
    expect(changes).toMatchObject([{ file: '.warrant/checks.yml', effect, weaker: true }])
    expect(required.map(({ ofBase }) => ofBase)).toEqual(members === undefined ? [true] : [false, true])
    expect(required.every(({ digests }) => digests.length === 1)).toBe(true)
  })

  it('is not weaker when it judges more', async () => {
    const { changes } = await join(BASE.replace('changed-files', 'all'))
    expect(changes).toMatchObject([{ weaker: false }])
  })

  it('may run as it was allowed before, when the rest of the file changes', async () => {
    const base = await file(BASE)
    const after = await parseChecks(`# new\nchecks:\n  a: { ${BASE} }\n  b: { run: y, reads: exit }\n`)
    const { required, changes } = joinChecks(base, after)
    expect(required.find(({ check }) => check.name === 'a')?.digests).toEqual([after.digest, base.digest])
    expect(required.find(({ check }) => check.name === 'b')?.digests).toEqual([after.digest])
    expect(changes).toMatchObject([{ effect: 'b is added', weaker: false }])
  })
})
