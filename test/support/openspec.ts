import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { peerFile } from '../peers/peers.ts'
import type { Repo } from './repository.ts'

const OWN = 'node_modules/.bin/openspec'

/** Writes an executable script. */
export const writeScript = (path: string, body: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${body}\n`)
  chmodSync(path, 0o755)
}

/** A fake `openspec`: its version, and the script that `validate` runs. */
export const fakeOpenSpec = (repo: Repo, version: string, validate = 'exit 0'): void =>
  writeScript(
    repo.path(OWN),
    `if [ "$1" = --version ]; then echo '${version}'; exit 0; fi\necho validated >> '${repo.path('.git/validated')}'\n${validate}`,
  )

/** Links the real program, as an installation would. */
export const realOpenSpec = (repo: Repo): void => {
  mkdirSync(dirname(repo.path(OWN)), { recursive: true })
  symlinkSync(peerFile('@fission-ai/openspec', 'bin/openspec.js'), repo.path(OWN))
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
