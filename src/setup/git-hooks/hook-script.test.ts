import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOOK_NAMES, hookState, insertBlock, isBlockCurrent, removeBlock } from './hook-script.ts'

const PROGRAM = "/opt/it's here/warrant.js"

const START = '# >>> PUMUKI MANAGED START >>>'
const END = '# <<< PUMUKI MANAGED END <<<'
const bytes = (text: string) => Buffer.from(text, 'latin1')

describe('the managed block', () => {
  it('makes a hook of its own where there is none, and takes it away again', () => {
    const made = insertBlock(undefined, 'pre-commit', PROGRAM)
    expect(made.toString()).toMatch(/^#!\/usr\/bin\/env sh\n# >>> PUMUKI/)
    expect(made.toString()).toContain('warrant gate --stage PRE_COMMIT')
    expect(insertBlock(undefined, 'pre-push', PROGRAM).toString()).toContain('--stage PRE_PUSH')
    expect(hookState(made)).toBe('managed')
    expect(removeBlock(made)).toBeUndefined()
  })

  it('is outdated when it is not what this version writes, older or edited', () => {
    for (const name of HOOK_NAMES) {
      const made = insertBlock(bytes('#!/bin/sh\nexit 0\n'), name, PROGRAM)
      expect(isBlockCurrent(made, name)).toBe(true)
      const others = [
        made.toString().replace(/warrant_gate (.*) \|\| exit \$\?/, 'warrant_gate $1 || true'),
        made.toString().replace('"$@"', '"$@" </dev/null'),
        made.toString().replace('warrant_gate() {', 'warrant_gate() {\n  return 0'),
      ]
      for (const other of others) expect(isBlockCurrent(bytes(other), name)).toBe(false)
      expect(insertBlock(bytes(others[0] ?? ''), name, PROGRAM).equals(made)).toBe(true)
    }
    expect(isBlockCurrent(insertBlock(undefined, 'pre-push', PROGRAM), 'pre-commit')).toBe(false)
  })

  it('names a program in any folder: the path is written as UTF-8', () => {
    const made = insertBlock(undefined, 'pre-commit', '/home/žofia/дом/warrant.js')
    expect(made.toString('utf8')).toContain("'/home/žofia/дом/warrant.js'")
    expect(isBlockCurrent(made, 'pre-commit')).toBe(true)
  })

  it('comes before the rest, because a hook may end with exit', () => {
    const text = insertBlock(bytes('#!/bin/bash\nset -e\nexit 0\n'), 'pre-commit', PROGRAM).toString()
    expect(text.indexOf('#!/bin/bash')).toBe(0)
    expect(text.indexOf(END)).toBeLessThan(text.indexOf('set -e'))
  })

  it('is replaced where it stands, and a second time changes nothing', () => {
    const old = bytes(`#!/bin/sh\nbefore\n${START}\nold words\n${END}\nafter`)
    const once = insertBlock(old, 'pre-commit', PROGRAM)
    expect(once.toString()).toMatch(/^#!\/bin\/sh\nbefore\n# >>>/)
    expect(once.toString()).toMatch(/<<<\nafter$/)
    expect(once.toString()).not.toContain('old words')
    expect(insertBlock(once, 'pre-commit', PROGRAM).equals(once)).toBe(true)
  })

  const rest = fc.oneof(
    fc.constantFrom('echo hi', 'exit 0\r\n', '\xff\xfe\n', '# comment', `${END}\n`, 'x', '\n\n', '\t', 'é\n'),
    fc.uint8Array({ min: 1 }).map((part) => Buffer.from(part).toString('latin1')),
  )
  const first = fc.constantFrom('#!/bin/sh\n', '#!/usr/bin/env -S bash -eu\n', '#!/bin/zsh\r\n', '')

  it('leaves every other byte as it was, there and back', () => {
    void fc.assert(
      fc.property(first, fc.array(rest), (line, parts) => {
        const foreign = Buffer.from(`${line}x${parts.join('')}`, 'latin1')
        const inserted = insertBlock(foreign, 'pre-push', PROGRAM)
        expect(hookState(inserted)).toBe('managed')
        const left = removeBlock(inserted)
        expect(Buffer.isBuffer(left) && left.equals(foreign)).toBe(true)
      }),
    )
  })

  it.each([
    ['python', '#!/usr/bin/env python3\nprint(1)\n'],
    ['node', '#!/usr/bin/node\n'],
    ['fish', '#!/usr/bin/env -S fish -N\n'],
    ['a binary', '\x7fELF\0\0'],
  ])('is not forced on a hook for %s', (_, text) => {
    expect(() => insertBlock(bytes(text), 'pre-commit', PROGRAM)).toThrow(
      expect.objectContaining({ code: 'hook.program' }),
    )
  })

  it.each([
    ['only a start', `#!/bin/sh\n${START}\nx\n`],
    ['only an end', `#!/bin/sh\nx\n${END}\n`],
    ['the two the wrong way round', `#!/bin/sh\n${END}\nx\n${START}\n`],
    ['the words inside a line', `#!/bin/sh\necho '${START}'\necho '${END}'\n`],
  ])('is not there with %s', (_, text) => {
    expect(hookState(bytes(text))).toBe('unmanaged')
    expect(removeBlock(bytes(text))).toBe('unchanged')
  })

  it('is not replaced between two start markers and an end: the text between may be foreign', () => {
    const text = bytes(`#!/bin/sh\n${START}\nmine\n${START}\nx\n${END}\n`)
    expect(() => removeBlock(text)).toThrow(expect.objectContaining({ code: 'hook.tangled' }))
    expect(() => insertBlock(text, 'pre-commit', PROGRAM)).toThrow(
      expect.objectContaining({ code: 'hook.tangled' }),
    )
  })
})
