import { expect, it } from 'vitest'
import { redactSecrets } from './secret-matches.ts'

it('covers a secret to the end of the next line, and moves nothing', () => {
  const lines = ['before', "const a = '\u{1f511}key' // \u{1f512}", '  rest of it', 'after']
  const shown = redactSecrets(lines, [{ line: 2, column: 12, endLine: 2, endColumn: 17, continues: true }])
  expect(shown).toEqual(['before', `const a = '${'*'.repeat(6)} ** **`, '  **** ** **', 'after'])
  expect(shown.map(({ length }) => length)).toEqual(lines.map(({ length }) => length))
})

it('covers what is left of a file that ends with its secret', () => {
  expect(redactSecrets(['key'], [{ line: 1, column: 1, endLine: 1, endColumn: 4, continues: true }])).toEqual(
    ['***'],
  )
})
