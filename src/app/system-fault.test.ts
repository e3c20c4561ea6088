import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exitCodeOf } from '../cli/command/command.ts'
import { reportFailure } from './report-failure.ts'
import { toSystemFault } from './system-fault.ts'

const failure = (code: string, path = resolve('.git/hooks/.draft-1-2.tmp')) =>
  Object.assign(new Error(`${code}: …, open '${path}'`), { code, path, syscall: 'open', errno: -1 })

describe('an error of the operating system', () => {
  it.each([
    ['EROFS', 8, 'read-only'],
    ['EACCES', 3, 'permission denied'],
    ['ENOSPC', 6, 'no space'],
    ['EDQUOT', 6, 'quota'],
    ['EMFILE', 6, 'too many files'],
    ['ENOTDIR', 5, 'not a folder'],
  ])('%s is a fault with exit code %i that says: %s', (code, exit, words) => {
    const fault = toSystemFault(failure(code))
    expect(fault && exitCodeOf(fault)).toBe(exit)
    expect(fault?.message).toContain(words)
    expect(fault?.message).toContain('".git/hooks"')
  })

  it('is printed without a stack and without the folders of this machine', () => {
    const printed: string[] = []
    const print = (text: string) => void printed.push(text)
    const terminal = { print, printError: print, printStyled: print }
    expect(reportFailure(failure('EROFS'), { json: false, terminal })).toBe(8)
    expect(printed.join()).toMatch(
      /^warrant: cannot use ".git\/hooks" \(open\): the disk is mounted read-only\. [^\n]+$/,
    )
    expect(printed.join()).not.toContain(process.cwd())
    expect(toSystemFault(failure('EROFS', '/elsewhere/secret/x'))?.message).not.toContain('/elsewhere')
  })

  it('that names no file of the user stays a bug', () => {
    expect(toSystemFault(new Error('x'))).toBeUndefined()
    expect(toSystemFault(undefined)).toBeUndefined()
    expect(toSystemFault(Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' }))).toBeUndefined()
  })
})
