import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { ENTRY_FILES, GIT_PARTS, OWN_FILES } from '../../src/hooks/own-files.ts'
import { Program, sweep } from '../support/binary.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'
import { newMachine } from '../support/signed-project.ts'

/** A tool of the server that writes a file must not write what the hook of an agent keeps from it. */

afterAll(sweep)

const TEXT = '{ "hooks": { "PreToolUse": [] } }\n'
const ORDINARY = ['package.json', 'src/a.ts', '.env', 'CLAUDE.md', '.gitattributes', 'tsconfig.json']
const NEW = ['.claude/settings.local.json', '.warrant/checks.yml', '.git/hooks/pre-commit', '.pumuki/x.json']
const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `./src/../${path}`,
  (path) => `${path.toUpperCase()}`,
]

const textsOf = (folder: string): Record<string, string> => {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  const kept = files.filter((file) => !/\/\.warrant\/(?!rules)|\.ai_evidence\.json$/.test(file))
  return Object.fromEntries(kept.sort().map((file) => [file, readFileSync(file, 'latin1')]))
}

it('refuses every file that is there, and every name that is kept from agents', async () => {
  const present = [...ENTRY_FILES.filter((path) => !NEW.includes(path)), ...ORDINARY]
  const repo = Repo.init().commit(Object.fromEntries(present.map((path) => [path, TEXT])))
  const names = [...present, ...NEW, ...OWN_FILES, ...GIT_PARTS.map((part) => `.git/${part}`)]
  const paths = [...names.flatMap((path) => SPELLINGS.map((spell) => spell(path))), repo.path('.git/index')]
  const agent = new Program(['mcp'], { cwd: repo.folder, env: { ...GIT_ENVIRONMENT, ...newMachine() } })
  const call = (id: number, path: string) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'lineage_export', arguments: { path } },
    })
  const before = textsOf(repo.folder)
  for (const [id, path] of paths.entries()) agent.send(call(id, path))
  const answers = await agent.answers(paths.length)
  const written = answers.filter(({ result }) => result?.isError !== true).map(({ id }) => paths[Number(id)])
  // Capitals name another file, which is new, unless the disk says otherwise or the name is kept from agents.
  expect(written.filter((path) => path !== path?.toUpperCase())).toEqual([])
  const after = textsOf(repo.folder)
  expect(Object.fromEntries(Object.keys(before).map((file) => [file, after[file]]))).toEqual(before)
  expect(paths.length).toBeGreaterThan(100)
  agent.send(call(1_000, 'lineage.json'))
  await agent.answers(paths.length + 1)
  expect(readFileSync(repo.path('lineage.json'), 'utf8')).toBe('[]\n')
})
