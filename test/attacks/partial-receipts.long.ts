import { afterAll, expect, it } from 'vitest'
import { pickOne, type Random, seededRandom } from '../history/random.ts'
import { sweep } from '../support/binary.ts'
import { SignedProject } from '../support/signed-project.ts'

/** Files that rules should read and did not: whatever the verdict is, no receipt covers a commit with one. */

/** Of each kind; a run that finds ten thousand places takes long. */
const VARIANTS = { many: 13, few: 3 }
const MATCHES = 'more matches than are kept'
const CODES = ['utf-7', 'shift_jis', 'iso2022_jp', 'rot13', 'cp037', 'gb18030']
const PROGRAMS = ['ts', 'js', 'tsx', 'py', 'go', 'java']
const TEXTS = ['txt', 'csv', 'sql', 'log', 'md', 'env', 'conf']

/** The end of a name, and a text that the scanner gives up or cannot read as what it is. */
const KINDS: Readonly<Record<string, (random: Random) => readonly [end: string, text: string]>> = {
  'a text of more than 16 MiB': (random) => [
    pickOne(random, TEXTS),
    'line of text\n'.repeat(1_300_000 + random(9_000)),
  ],
  'a program of more than 2 MiB': (random) => [
    pickOne(random, PROGRAMS),
    `${'x\n'.repeat(1_100_000)}${'y\n'.repeat(random(9_000))}`,
  ],
  'a program of which a tenth is NUL': (random) => [
    pickOne(random, PROGRAMS),
    `x${'\0'.repeat(1 + random(3))}\n`.repeat(40 + random(400)),
  ],
  'a program with another encoding': (random) => [
    'py',
    `${'\n'.repeat(random(2))}# -*- coding: ${pickOne(random, CODES)} -*-\nx = 1\n`,
  ],
  [MATCHES]: (random) => [pickOne(random, ['ts', 'js']), 'console.log(1)\n'.repeat(10_001 + random(500))],
}

const project = new SignedProject()
const { repo } = project
afterAll(sweep)

it.each(Object.keys(KINDS))('%s', (kind) => {
  const random = seededRandom(kind.length)
  for (let at = 0; at < (kind === MATCHES ? VARIANTS.few : VARIANTS.many); at += 1) {
    const [end, text] = KINDS[kind]?.(random) ?? []
    const path = `${pickOne(random, ['', 'src/', 'src/a b/', '\u00e9/'])}file${at}.${end}`
    project.branch(`${kind.replaceAll(' ', '-')}-${at}`)
    repo.stage({ [path]: text ?? '', 'src/other.ts': `export const other = ${at}\n` })
    const look = pickOne(random, [[], ['--scope', 'worktree'], ['--all']])
    const profile = pickOne(random, ['default', 'seed'])
    const { status, value } = project.warrant(
      ['gate', '--stage', 'PRE_COMMIT', '--severity', 'CRITICAL', ...look],
      {
        WARRANT_PROFILE: profile,
      },
    )
    project.git('commit', '-q', '--no-verify', '-m', 'x')
    if (status === 0) {
      const partial = expect.stringContaining('receipt is partial')
      expect([path, JSON.stringify(value.notes ?? [])]).toEqual([path, partial])
    }
    expect([path, project.check()]).toEqual([path, [expect.not.stringMatching('covered')]])
  }
})
