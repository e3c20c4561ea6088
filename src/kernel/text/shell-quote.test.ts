import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { quoteShell, quoteShellWord } from './shell-quote.ts'

const echo = (word: string): string => execFileSync('sh', ['-c', `printf %s ${word}`], { encoding: 'utf8' })

it('gives the shell back what was quoted', () => {
  const text = fc.string({
    unit: fc.constantFrom(...`ab'"\\$(\`;&|<>*?~# \n\t!`),
    minLength: 1,
    maxLength: 12,
  })
  fc.assert(
    fc.property(text, (word) => {
      expect(echo(quoteShell(word))).toBe(word)
      expect(echo(quoteShellWord(word))).toBe(word)
    }),
    { numRuns: 60 },
  )
})

it('quotes only what needs it', () => {
  expect(quoteShellWord('feature/a-1')).toBe('feature/a-1')
  expect(quoteShellWord('$(x)')).toBe("'$(x)'")
  expect(quoteShellWord('')).toBe("''")
})
