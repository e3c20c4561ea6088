import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { judgeCommand } from '../../src/hooks/shell/judge-command.ts'
import { summarizeCommand } from '../../src/hooks/shell/summarize-command.ts'
import { BINARY, cleanEnvironment } from '../support/binary.ts'
import { caseCount } from '../support/case-count.ts'
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

const OWN_PATHS = Array.from({ length: 40 }, (_, at) => `/work/project/.git/a-longer-name/of-a-file-${at}`)
const places = { root: '/work/project', home: '/home/me', folder: '/work/project', ownPaths: OWN_PATHS }
/** Of the processor, of which other programs take nothing away. */
const MAX_CPU_MS = 500
const MAX_GROWTH = 300 * 1024 * 1024

describe('a generated command', () => {
  const count = caseCount(150, 10_000)
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

  it.each([...patterns, ...generated].map((command) => [command.length, command] as const))(
    'a command of %i characters is answered',
    (_, command) => {
      const event = {
        hook_event_name: 'PreToolUse',
        cwd: repo.folder,
        tool_name: 'Bash',
        tool_input: { command },
      }
      const { status, stdout } = spawnSync(process.execPath, [BINARY, 'hook', 'claude', '--budget', '9000'], {
        cwd: repo.folder,
        env: cleanEnvironment(),
        input: JSON.stringify(event),
        encoding: 'utf8',
      })
      expect(status).toBe(0)
      expect(stdout).not.toContain('in time')
      expect(stdout === '' || JSON.parse(stdout).hookSpecificOutput.permissionDecision !== undefined).toBe(
        true,
      )
    },
  )
})
