import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { makeFolder, Program, sweep } from './support/binary.ts'
import { request } from './support/messages.ts'

afterAll(sweep)

it('a search whose process was stopped for longer than its limit goes on and ends by itself', async () => {
  const root = await makeFolder()
  await mkdir(join(root, 'src'))
  for (let at = 0; at < 4_000; at += 1)
    await writeFile(join(root, `src/f${at}.md`), `${'some words of text\n'.repeat(500)}needle ${at}\n`)
  const program = new Program(['mcp', '--root', root], { cwd: root })
  const search = { name: 'project_search', arguments: { pattern: 'needle 3999' } }
  program.send(request(1, 'tools/call', search))
  // Long enough to be inside the job, short enough not to be at its end.
  await sleep(600)
  program.child.kill('SIGSTOP')
  await sleep(7_000)
  program.child.kill('SIGCONT')
  const [answer] = await program.answers(1)
  expect(JSON.stringify(answer)).toContain('src/f3999.md')
  const { code, signal } = await program.finish()
  expect({ code, signal }).toEqual({ code: 0, signal: null })
}, 60_000)
