import { afterEach, describe, expect, it } from 'vitest'
import { COMMITS, GUARDS, HUSKY_GUARDS, LAUNCHERS } from '../support/bypasses.ts'
import { someRows } from '../support/case-count.ts'
import { GuardedRepository, HUSKY } from '../support/guarded-repository.ts'

/** Whatever a bypass is written in, the answer to the next event names what it did. Each one runs in the same repository. */

const EVAL = 'export const run = (input: string) => eval(input)\n'
const launchers = Object.entries(LAUNCHERS)
/** Each row with two launchers. The normal run takes a few. */
const withLaunchers = <T>(rows: Readonly<Record<string, T>>, nth: number) =>
  someRows(
    Object.entries(rows).flatMap(([name, row], at) =>
      [at, at + 5].map((one) => {
        const [by = '', line = ''] = launchers[one % launchers.length] ?? []
        return [`${name}, by ${by}`, row, line] as const
      }),
    ),
    nth,
    1,
  )

describe.each([
  ['plain hooks', 'true', GUARDS],
  ['husky', HUSKY, HUSKY_GUARDS],
])('with %s', (_, prepare, guards) => {
  const guarded = new GuardedRepository(prepare)
  const restore = guarded.keep()
  afterEach(restore)
  const launch = (script: string, line: string) => {
    guarded.home.write({ script })
    guarded.shell(`export S=$HOME/script; ${line}`)
  }

  describe('a commit that went past the hooks', () => {
    it.each(withLaunchers(COMMITS, 23))('is named with what blocks in it: %s', (_, script, line) => {
      guarded.repo.write({ 'src/new.ts': EVAL })
      guarded.shell('git switch -qc t; git add -A')
      launch(script, line)
      const { additionalContext = '' } = guarded.next()
      expect(additionalContext).toMatch(/commits? without a receipt.*\n[0-9a-f]{12} (sneaky|index on t)/)
      expect(additionalContext).toContain('javascript.eval')
      expect(guarded.next()).toEqual({})
    })
  })

  describe('a guard that was changed', () => {
    it.each(withLaunchers(guards, 13))(
      'is named, and the gate runs again: %s',
      (_, [script, named], line) => {
        launch(script, line)
        const { permissionDecision, permissionDecisionReason = '', additionalContext = '' } = guarded.next()
        expect(permissionDecisionReason + additionalContext).toContain(named)
        if (permissionDecision === 'deny') {
          const [, repair = ''] =
            /Put it back: (.+)|with `(.+?)`/.exec(permissionDecisionReason)?.filter(Boolean) ?? []
          expect(guarded.next(repair)).toEqual({})
          guarded.shell(repair)
        }
        expect(guarded.next()).toEqual({})
        guarded.repo.write({ 'src/new.ts': EVAL })
        guarded.shell('git add -A; ! git commit -qm blocked 2>/dev/null')
      },
    )
  })
})
