import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scriptBlock } from '../editors/edit-script.ts'
import { applyInsertions, UneditableFile } from '../editors/insertion.ts'
import {
  EMPTY_HOOK,
  HOOK_NAMES,
  type HookName,
  hookState,
  isBlockCurrent,
  writeCommittedBlock,
  writeProgramBlock,
} from './hook-script.ts'

const PROGRAM = "/opt/it's here/warrant.js"

const START = '# >>> WARRANT >>>'
const END = '# <<< WARRANT <<<'
const bytes = (text: string) => Buffer.from(text, 'latin1')

const insertBlock = async (hook: Buffer | undefined, name: HookName, program: string): Promise<Buffer> => {
  const { insert, withoutOutdated } = scriptBlock(name, writeProgramBlock(name, program))
  const old = hook?.toString('latin1') ?? EMPTY_HOOK
  const text = withoutOutdated?.(old) ?? old
  return bytes(applyInsertions(text, await insert(text)))
}

const removeBlock = async (hook: Buffer): Promise<Buffer | undefined> => {
  const entry = scriptBlock('pre-commit', '')
  const removal = await entry.remove(hook.toString('latin1'), new Set())
  if (typeof removal === 'string') return undefined
  return bytes(removal.text)
}

describe('the managed block', () => {
  it('makes a hook of its own where there is none, and takes it away again', async () => {
    const made = await insertBlock(undefined, 'pre-commit', PROGRAM)
    expect(made.toString()).toMatch(/^#!\/usr\/bin\/env sh\n# >>> WARRANT/)
    expect(made.toString()).toContain('warrant gate --stage PRE_COMMIT')
    expect((await insertBlock(undefined, 'pre-push', PROGRAM)).toString()).toContain('--stage PRE_PUSH')
    expect(hookState(made)).toBe('managed')
    expect((await removeBlock(made))?.toString()).toBe(EMPTY_HOOK)
  })

  it('is outdated when it is not what this version writes, older or edited', async () => {
    for (const name of HOOK_NAMES) {
      const made = await insertBlock(bytes('#!/bin/sh\nexit 0\n'), name, PROGRAM)
      expect(isBlockCurrent(made, name)).toBe(true)
      const others = [
        made.toString().replace(/warrant_gate (.*) \|\| exit \$\?/, 'warrant_gate $1 || true'),
        made.toString().replace('"$@"', '"$@" </dev/null'),
        made.toString().replace('warrant_gate() {', 'warrant_gate() {\n  return 0'),
      ]
      for (const other of others) expect(isBlockCurrent(bytes(other), name)).toBe(false)
      expect((await insertBlock(bytes(others[0] ?? ''), name, PROGRAM)).equals(made)).toBe(true)
    }
    expect(isBlockCurrent(await insertBlock(undefined, 'pre-push', PROGRAM), 'pre-commit')).toBe(false)
  })

  it('names a program in any folder: the path is written as UTF-8', async () => {
    const made = await insertBlock(undefined, 'pre-commit', '/home/žofia/дом/warrant.js')
    expect(made.toString('utf8')).toContain("'/home/žofia/дом/warrant.js'")
    expect(isBlockCurrent(made, 'pre-commit')).toBe(true)
  })

  it('of a committed hook names no path, and is current in every clone', () => {
    for (const name of HOOK_NAMES)
      for (const strict of [true, false]) {
        const block = writeCommittedBlock(name, strict)
        expect(block).not.toContain(PROGRAM)
        expect(isBlockCurrent(bytes(`#!/bin/sh\n${block}`), name)).toBe(true)
      }
  })

  it('comes before the rest, because a hook may end with exit', async () => {
    const text = (await insertBlock(bytes('#!/bin/bash\nset -e\nexit 0\n'), 'pre-commit', PROGRAM)).toString()
    expect(text.indexOf('#!/bin/bash')).toBe(0)
    expect(text.indexOf(END)).toBeLessThan(text.indexOf('set -e'))
  })

  it('is renewed, and a second time changes nothing', async () => {
    const old = bytes(`#!/bin/sh\nbefore\n${START}\nold words\n${END}\nafter`)
    const once = await insertBlock(old, 'pre-commit', PROGRAM)
    expect(once.toString()).toMatch(/^#!\/bin\/sh\n# >>>/)
    expect(once.toString()).toMatch(/<<<\nbefore\nafter$/)
    expect(once.toString()).not.toContain('old words')
    expect((await insertBlock(once, 'pre-commit', PROGRAM)).equals(once)).toBe(true)
  })

  const rest = fc.oneof(
    fc.constantFrom('echo hi', 'exit 0\r\n', '\xff\xfe\n', '# comment', `${END}\n`, 'x', '\n\n', '\t', 'é\n'),
    fc.uint8Array({ min: 1 }).map((part) => Buffer.from(part).toString('latin1')),
  )
  const first = fc.constantFrom('#!/bin/sh\n', '#!/usr/bin/env -S bash -eu\n', '#!/bin/zsh\r\n', '')

  it('leaves every other byte as it was, there and back', async () => {
    await fc.assert(
      fc.asyncProperty(first, fc.array(rest), async (line, parts) => {
        const foreign = Buffer.from(`${line}x${parts.join('')}`, 'latin1')
        const inserted = await insertBlock(foreign, 'pre-push', PROGRAM)
        expect(hookState(inserted)).toBe('managed')
        const left = await removeBlock(inserted)
        expect(Buffer.isBuffer(left) && left.equals(foreign)).toBe(true)
      }),
    )
  })

  it.each([
    ['python', '#!/usr/bin/env python3\nprint(1)\n'],
    ['node', '#!/usr/bin/node\n'],
    ['fish', '#!/usr/bin/env -S fish -N\n'],
    ['a binary', '\x7fELF\0\0'],
  ])('is not forced on a hook for %s', async (_, text) => {
    await expect(insertBlock(bytes(text), 'pre-commit', PROGRAM)).rejects.toThrow(UneditableFile)
  })

  it.each([
    ['only a start', `#!/bin/sh\n${START}\nx\n`],
    ['only an end', `#!/bin/sh\nx\n${END}\n`],
    ['the two the wrong way round', `#!/bin/sh\n${END}\nx\n${START}\n`],
    ['the words inside a line', `#!/bin/sh\necho '${START}'\necho '${END}'\n`],
  ])('is not there with %s', async (_, text) => {
    expect(hookState(bytes(text))).toBe('unmanaged')
    expect(await removeBlock(bytes(text))).toBeUndefined()
  })

  it('is not replaced between two start markers and an end: the text between may be foreign', async () => {
    const text = bytes(`#!/bin/sh\n${START}\nmine\n${START}\nx\n${END}\n`)
    await expect(removeBlock(text)).rejects.toThrow(/two start markers/)
    await expect(insertBlock(text, 'pre-commit', PROGRAM)).rejects.toThrow(/two start markers/)
  })
})
