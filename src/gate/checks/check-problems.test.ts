import { expect, it } from 'vitest'
import type { CommandResult } from './check.ts'
import { commandProblem, describeEnd } from './check-problems.ts'
import { parseChecks } from './parse-checks.ts'

const ended = (exitCode: number, lastErrors: string): CommandResult => ({
  ended: 'exit',
  exitCode,
  stdout: Buffer.alloc(0),
  omitted: 0,
  file: undefined,
  lastOutput: '',
  lastErrors,
  ms: 1,
})

it('a tool that crashed is quoted with its error, without the stack and what npm says of itself', () => {
  const crash =
    'a.js:1\nsyntax error\n       ^^^^^\n\nSyntaxError: Unexpected identifier\n    at wrapSafe (node:internal:1)\n    at async run (x.js:2:3)\n\nNode.js v22.1.0\nnpm error A complete log of this run can be found in: x.log\n'
  expect(describeEnd(ended(1, crash))).toBe(
    'ended with exit code 1: a.js:1 / syntax error / SyntaxError: Unexpected identifier',
  )
})

it.each([
  ['/bin/sh: 1: pnpm: not found', 127, 'Install `pnpm`, then: pnpm install'],
  ['npm error npx canceled due to missing packages', 1, 'Install it: pnpm install'],
])('%s', async (errors, exitCode, fix) => {
  const { checks } = await parseChecks(
    'checks:\n  a: { run: pnpm exec x, reads: exit, install: pnpm install }\n',
  )
  const [check] = checks
  if (check === undefined) throw new Error('no check')
  expect(commandProblem(check, ended(exitCode, errors))).toMatchObject({ ruleId: 'gate.check-missing', fix })
})
