import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { allOptions } from '../../src/cli/command/command.ts'
import { commands } from '../../src/cli/table.ts'
import { BINARY, cleanEnvironment } from '../support/binary.ts'

const folder = mkdtempSync(join(tmpdir(), 'warrant-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const script = (shell: string): string => {
  const path = join(folder, `${shell}-script`)
  const env = cleanEnvironment()
  writeFileSync(path, execFileSync(process.execPath, [BINARY, 'config', 'completion', shell], { env }))
  return path
}

/** The lines that a program of a shell prints. */
const run = (shell: string, options: readonly string[], program: string): string[] => {
  const env = { ...cleanEnvironment(), HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }
  const { status, stdout, stderr } = spawnSync(shell, [...options, '-c', program], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.trimEnd().split('\n')
}

const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0

/** What a user has typed, and what has to be offered for the last word: every command, option and value. */
const CASES: readonly (readonly [typed: readonly string[], offered: readonly string[]])[] = [
  [[''], commands().map(({ name }) => name)],
  ...commands().flatMap((command): [string[], readonly string[]][] => [
    [[command.name, '--'], allOptions(command).map(({ flag }) => `--${flag}`)],
    [[command.name, ''], command.choices],
    ...allOptions(command)
      // The values of settings are the same for every command.
      .filter(
        ({ choices = [], group }) => choices.length > 0 && (group === undefined || command.name === 'mcp'),
      )
      .map(({ flag, choices = [] }): [string[], readonly string[]] => [
        [command.name, `--${flag}`, ''],
        choices,
      ]),
  ]),
]

const expectOffers = (lines: readonly string[]): void => {
  expect(lines).toHaveLength(CASES.length)
  for (const [index, [typed, offered]] of CASES.entries()) {
    const words = new Set(lines[index]?.split(' '))
    expect({ typed, missing: offered.filter((word) => !words.has(word)) }).toEqual({ typed, missing: [] })
    // A value is one of the list and nothing else.
    if (typed.length === 3) expect(words.size).toBe(new Set(offered).size)
  }
}

describe.skipIf(!has('bash'))('in bash', () => {
  it('every command, option and value is completed', () => {
    const asked = CASES.map(([typed]) => {
      const words = ['warrant', ...typed].map((word) => `'${word}'`).join(' ')
      return `COMP_WORDS=(${words}); COMP_CWORD=${typed.length}; COMPREPLY=(); _warrant; echo "\${COMPREPLY[*]}"`
    })
    expectOffers(run('bash', ['--norc'], [`. ${script('bash')}`, ...asked].join('\n')))
  })
})

describe.skipIf(!has('fish'))('in fish', () => {
  it('every command, option and value is completed', () => {
    const asked = CASES.map(
      ([typed]) => `echo (complete -C '${['warrant', ...typed].join(' ')}' | cut -f1 | string join ' ')`,
    )
    expectOffers(run('fish', ['--no-config'], [`source ${script('fish')}`, ...asked].join('\n')))
  }, 60_000)
})

describe.skipIf(!has('zsh'))('in zsh', () => {
  it('the script is loaded, also by a shell without completion', () => {
    expect(
      run('zsh', ['-f'], `source ${script('zsh')}; print $_comps[warrant] $+functions[_warrant]`),
    ).toEqual([expect.stringMatching(/_warrant.* 1$/)])
  })
})
