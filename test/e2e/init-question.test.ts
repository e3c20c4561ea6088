import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BINARY } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { Repo } from '../support/repository.ts'
import { environment, takePicture } from '../support/setup-user.ts'

const QUESTION = 'Write these files?'

/** Runs init on a terminal, and answers the question after `meanwhile`. */
const answerInit = async (repo: Repo, meanwhile: () => void, answers = ['y']) => {
  const words = `"${process.execPath}" "${BINARY}" init --clients claude`
  const child = spawn('script', ['-qec', words, '/dev/null'], { cwd: repo.folder, env: environment() })
  let shown = ''
  let asked = 0
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString('utf8')
    if (shown.split(QUESTION).length - 1 <= asked) return
    const answer = answers[asked]
    asked += 1
    if (answer === 'y') meanwhile()
    child.stdin.write(`${answer}\n`)
  })
  const status = await new Promise<number | null>((settle) => child.once('close', settle))
  return { status, shown }
}

type Change = (repo: Repo) => void

const put =
  (path: string, text: string): Change =>
  (repo) => {
    mkdirSync(dirname(repo.path(path)), { recursive: true })
    writeFileSync(repo.path(path), text)
  }

/** What may happen between the question and the answer, and the file that is left alone then, if any. */
const CHANGES: Readonly<Record<string, readonly [Change, left?: string]>> = {
  'a client appears': [put('.cursor/settings.json', '{}')],
  'another client appears': [put('GEMINI.md', '# x\n')],
  'a client with a file of its own': [put('.codex/config.toml', 'a = 1\n')],
  'a hook manager appears': [put('lefthook.yml', 'pre-commit:\n  jobs: []\n')],
  'husky appears': [put('.husky/pre-commit', 'true\n')],
  'the server file is created': [put('.mcp.json', '{"mcpServers":{}}\n'), '.mcp.json'],
  'the settings are created': [put('.claude/settings.json', '{}\n'), '.claude/settings.json'],
  'the hook is created': [put('.git/hooks/pre-commit', '#!/bin/sh\ntrue\n'), '.git/hooks/pre-commit'],
  'the other hook is created': [put('.git/hooks/pre-push', '#!/bin/sh\ntrue\n'), '.git/hooks/pre-push'],
  'the list of ignored files is edited': [put('.git/info/exclude', '/mine\n'), '.git/info/exclude'],
  'the list of ignored files is removed': [
    (repo) => rmSync(repo.path('.git/info/exclude')),
    '.git/info/exclude',
  ],
  'a link is put in the place of the settings': [
    (repo) => {
      mkdirSync(repo.path('.claude'))
      symlinkSync('../a.ts', repo.path('.claude/settings.json'))
    },
    '.claude/settings.json',
  ],
  'a folder is put in the place of the server file': [
    (repo) => mkdirSync(repo.path('.mcp.json')),
    '.mcp.json',
  ],
  'a file is put in the place of a folder': [put('.claude', 'x\n'), '.claude/settings.json'],
  'keys are listed': [put('.warrant/keys.yml', 'keys: []\n')],
  'checks are declared': [put('.warrant/checks.yml', 'checks: {}\n')],
  'a workflow appears': [put('.github/workflows/warrant.yml', 'on: push\n')],
  'sources appear': [put('src/new.py', 'a = 1\n')],
  'settings are ignored': [put('.gitignore', '.claude\n')],
  'evidence appears': [put('.ai_evidence.json', '{}\n')],
}

const PLANNED = [
  '.mcp.json',
  '.claude/',
  '.claude/settings.json',
  'hooks/pre-commit',
  'hooks/pre-push',
  'info/exclude',
  '.ai_evidence.json',
  'config',
]

describe('init writes what it showed, whatever changes while it asks', () => {
  it.each(someRows(Object.entries(CHANGES), 4))('%s', async (_, [change, left]) => {
    const repo = Repo.init('main').commit({ 'a.ts': 'export const a = 1\n' })
    let before: Readonly<Record<string, string>> = {}
    const { status, shown } = await answerInit(repo, () => {
      change(repo)
      before = takePicture(repo)
    })
    expect(status).toBe(left === undefined ? 0 : 1)
    if (left !== undefined) expect(shown).toContain(`NOT WRITTEN: ${left}`)
    const after = takePicture(repo)
    const touched = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
      (path) => before[path] !== after[path],
    )
    const kept = left?.replace(/^\.git\//, '')
    expect(touched.filter((path) => !PLANNED.includes(path) || path === kept)).toEqual([])
    expect(touched).toContain(kept === '.mcp.json' ? '.claude/settings.json' : '.mcp.json')
  })

  it('shows the changes on request, and writes nothing when the answer is no', async () => {
    const repo = Repo.init('main').commit({ 'a.ts': 'export const a = 1\n' })
    const before = takePicture(repo)
    const { status, shown } = await answerInit(repo, () => {}, ['d', 'n'])
    expect([status, shown]).toEqual([0, expect.stringContaining('+++ b/.mcp.json')])
    expect(shown).toContain('Nothing was written.')
    expect(takePicture(repo)).toEqual(before)
    expect(existsSync(repo.path('.warrant'))).toBe(false)
    expect(readFileSync(repo.path('.git/config'), 'utf8')).not.toContain('warrant')
  })
})
