import { describe, expect, it } from 'vitest'
import { writeProgramBlock } from './hook-script.ts'
import { checkHook } from './install-hooks.ts'

const PROGRAM = '/opt/warrant.js'
const bytes = (text: string) => Buffer.from(text, 'latin1')
const installed = (before = '#!/bin/sh\n', after = '') => {
  const block = writeProgramBlock('pre-commit', PROGRAM)
  return bytes(`${before}${block}${after}`)
}
const state = (hook: Uint8Array | undefined, executable = true) =>
  checkHook(hook, 'pre-commit', executable).state

describe('a hook with the managed block', () => {
  it.each([
    ['as it is installed', installed()],
    ['with the usual first lines', installed('#!/usr/bin/env bash\n# ours\n\nset -eu\n')],
    ['before other commands', installed('#!/bin/sh\n', 'npm test\nexit 0\n')],
    ['without a first line for a shell', installed('')],
  ])('runs the gate: %s', (_, hook) => {
    expect(checkHook(hook, 'pre-commit', true)).toEqual({ state: 'managed' })
  })

  it.each([
    ['an exit before it', installed('#!/bin/sh\nexit 0\n')],
    ['a condition around it', installed('#!/bin/sh\nif false; then\n', 'fi\n')],
    ['a text that swallows it', installed("#!/bin/sh\ncat <<'X' >/dev/null\n", 'X\n')],
    ['a command that may replace the shell', installed('#!/bin/sh\nexec true\n')],
    ['a shell that runs nothing', installed('#!/bin/sh -n\n')],
    ['a program that is no shell', installed('#!/bin/true\n')],
    ['an option that runs nothing', installed('#!/bin/sh\nset -n\n')],
  ])('is idle with %s', (_, hook) => {
    expect(checkHook(hook, 'pre-commit', true)).toEqual({ state: 'idle', problem: expect.any(String) })
  })

  it('is idle when git may not start it, and outdated when the block was edited', () => {
    expect(state(installed(), false)).toBe('idle')
    const edited = installed().toString('latin1').replaceAll('|| exit $?', '|| true')
    expect(state(bytes(edited))).toBe('outdated')
  })

  it('is told from a hook without the block', () => {
    expect(state(undefined, false)).toBe('missing')
    expect(state(bytes('#!/bin/sh\n'), false)).toBe('unmanaged')
  })
})
