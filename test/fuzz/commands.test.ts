import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { judgeCommand } from '../../src/hooks/shell/judge-command.ts'
import { summarizeCommand } from '../../src/hooks/shell/summarize-command.ts'
import { BINARY, cleanEnvironment } from '../support/binary.ts'
import { caseCount, someRows } from '../support/case-count.ts'
import { Repo } from '../support/repository.ts'

/** A command of any text has an answer in time: what the shell would not read either is put to the user. */

const PARTS = [
  ...'( ) { } ; | & < > * ~ # = - \\ \n \0 " \' ` [[ ]] (( $( ${ ${A:- $(( <( >> <<E <<< $A $IFS $\' "$( "${ ../ 😀'.split(
    ' ',
  ),
  ...'git commit rebase -n --no-verify xargs eval sh -c env watch trap python3 find -exec rm -rf cd .. tee f cat echo'.split(
    ' ',
  ),
  ...[
    'case x in ',
    'a|',
    'for x in ',
    'A=$A$A;',
    "alias a='git x';",
    'git -c alias.x=',
    "'!git x' ",
    'f() {',
    'E\n',
    '\\\n',
  ],
  ...[
    'rebase --exec=',
    'printf %s%s ',
    '*** Begin Patch\n',
    '/.git/hooks/',
    'of=',
    'export ',
    'a'.repeat(100),
    ' ',
    ' ',
  ],
]
const SIZES = [200, 2_000, 20_000, 80_000, 250_000, 1_000_000]

/** A generator of numbers below a limit, the same for each run. */
const numbersFrom = (seed: number) => {
  let state = seed
  return (limit: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % limit
  }
}

const makeCommand = (below: (limit: number) => number): string => {
  const pick = () => PARTS[below(PARTS.length)] ?? ''
  const size = SIZES[below(SIZES.length)] ?? 0
  const few = Array.from({ length: 1 + below(4) }, pick)
  const text = Array.from({ length: below(4) }, pick)
  const isRepeated = below(2) === 0
  for (let length = 0, at = 0; length < size; at++) {
    const part = `${(isRepeated ? few[at % few.length] : few[below(few.length)]) ?? ''}${below(9) === 0 ? ' ' : ''}`
    text.push(part)
    length += part.length + 1
  }
  return text.join('')
}

const OWN_PATHS = Array.from({ length: 40 }, (_, at) => `/home/me/project/.git/a-longer-name/of-a-file-${at}`)
const places = { root: '/home/me/project', home: '/home/me', folder: '/home/me/project', ownPaths: OWN_PATHS }
/** Of the processor, of which other programs take nothing away. */
const MAX_CPU_MS = 500
const MAX_GROWTH = 300 * 1024 * 1024

describe('a generated command', () => {
  const count = caseCount(60, 10_000)
  it(`is read in time and in little memory: ${count} of them, up to 1 MB`, () => {
    const below = numbersFrom(20_261)
    const slow: string[] = []
    const before = process.memoryUsage().rss
    for (let at = 0; at < count; at++) {
      const command = makeCommand(below)
      const start = process.cpuUsage()
      judgeCommand(command, places)
      summarizeCommand(command)
      const { user, system } = process.cpuUsage(start)
      if (user + system > MAX_CPU_MS * 1_000)
        slow.push(`${(user + system) / 1_000} ms: ${command.slice(0, 200)}`)
    }
    expect(slow).toEqual([])
    expect(process.memoryUsage().rss - before).toBeLessThan(MAX_GROWTH)
  })
})

describe('through the binary', () => {
  const repo = Repo.init().commit({ a: '1' })
  const below = numbersFrom(7)
  const patterns = [40_000, 80_000, 1_000_000].map((size) => `case x in ${'a|'.repeat(size / 2)}`)
  const generated = Array.from({ length: caseCount(3, 60) }, () => makeCommand(below))

  const answer = (tool_name: string, tool_input: object, budget: string) => {
    const event = { hook_event_name: 'PreToolUse', cwd: repo.folder, tool_name, tool_input }
    const { status, stdout } = spawnSync(process.execPath, [BINARY, 'hook', 'claude', '--budget', budget], {
      cwd: repo.folder,
      env: cleanEnvironment(),
      input: JSON.stringify(event),
      encoding: 'utf8',
    })
    expect(status).toBe(0)
    return stdout === '' ? 'allow' : JSON.parse(stdout).hookSpecificOutput.permissionDecision
  }

  it.each([...patterns, ...generated].map((command) => [command.length, command] as const))(
    'a command of %i characters is answered',
    (_, command) => {
      expect(['allow', 'deny', 'ask']).toContain(answer('Bash', { command }, '9000'))
    },
  )

  const patch = (lines: string) => ({
    command: `*** Begin Patch\n${lines.repeat(1e6 / lines.length)}*** End Patch\n`,
  })
  it.each(
    someRows<readonly [string, string, object]>(
      [
        ['brackets', 'Write', { file_path: 'a.js', content: '('.repeat(1e6) }],
        [
          'functions',
          'Write',
          { file_path: 'a.ts', content: 'export const a = (b: string) => b\n'.repeat(3e4) },
        ],
        ['one line', 'Write', { file_path: 'a.js', content: 'a(b[c],{d:1});'.repeat(7e4) }],
        [
          'edits',
          'MultiEdit',
          { file_path: 'a', edits: Array(9_999).fill({ old_string: '1', new_string: '1' }) },
        ],
        ['files of a patch', 'apply_patch', patch('*** Add File: b.ts\n+export {}\n')],
        ['hunks of a patch', 'apply_patch', patch('*** Update File: a\n@@\n-1\n+1\n')],
      ],
      3,
    ),
  )('a write of 1 MB is answered: %s', (_, tool, input) => {
    expect(['allow', 'deny']).toContain(answer(tool, input, '1000'))
  })
})
