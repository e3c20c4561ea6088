import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { peerFile } from '../peers/peers.ts'
import type { Repo } from './repository.ts'

/** A folder outside the repository: a program in the repository is not run unless it is named. */
const toolsOf = (repo: Repo): string => `${repo.folder}.tools`

/** A PATH on which the `openspec` of the repository's user comes first. */
export const openSpecPath = (repo: Repo): { readonly PATH: string } => ({
  PATH: `${toolsOf(repo)}:${process.env.PATH}`,
})

/** Writes an executable script. */
export const writeScript = (path: string, body: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${body}\n`)
  chmodSync(path, 0o755)
}

/** A fake `openspec`: its version, and the script that `validate` runs. */
export const fakeOpenSpec = (repo: Repo, version: string, validate = 'exit 0'): void =>
  writeScript(
    join(toolsOf(repo), 'openspec'),
    `if [ "$1" = --version ]; then echo '${version}'; exit 0; fi\necho validated >> '${repo.path('.git/validated')}'\n${validate}`,
  )

/** Links the real program, as an installation would. */
export const realOpenSpec = (repo: Repo): void => {
  mkdirSync(toolsOf(repo), { recursive: true })
  symlinkSync(peerFile('@fission-ai/openspec', 'bin/openspec.js'), join(toolsOf(repo), 'openspec'))
}

/** A report as the validator prints it. */
export const report = (passed: number, failed: number, byLevel: object = {}): string =>
  JSON.stringify({ summary: { totals: { items: passed + failed, passed, failed }, byLevel } })

/** A change that the real validator accepts. */
export const CHANGE = {
  'openspec/changes/add-search/proposal.md':
    '# Add search\n\n## Why\nPeople cannot find what they are looking for, and ask us for it every single day.\n\n## What Changes\n- Add a search\n',
  'openspec/changes/add-search/specs/search/spec.md':
    '## ADDED Requirements\n\n### Requirement: Search\nThe system SHALL find what is there.\n\n#### Scenario: Found\n- **WHEN** a word is asked for\n- **THEN** what holds it is listed\n',
} as const
