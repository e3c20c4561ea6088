import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readBuild } from './build-event.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(64)
const ZEROS = '0'.repeat(40)

const pullRequest = (base: unknown, head: unknown) => ({
  pull_request: { base: { sha: A, repo: base }, head: { sha: B, repo: head } },
})

const readEvent = (event: unknown) => {
  const file = join(mkdtempSync(join(tmpdir(), 'warrant-event-')), 'event.json')
  writeFileSync(file, typeof event === 'string' ? event : JSON.stringify(event))
  return readBuild({ GITHUB_EVENT_PATH: file, GITHUB_BASE_REF: 'main' })
}

describe('the commits of a build', () => {
  it.each([
    [pullRequest({ id: 1 }, { id: 1 }), { kind: 'merge', base: A, head: B, fork: false }],
    [pullRequest({ id: 1 }, { id: 2 }), { kind: 'merge', base: A, head: B, fork: true }],
    [pullRequest({ id: 1 }, null), { kind: 'merge', base: A, head: B, fork: true }],
    [pullRequest(undefined, undefined), { kind: 'merge', base: A, head: B, fork: true }],
    [{ merge_group: { base_sha: A, head_sha: B } }, { kind: 'merge', base: A, head: B, fork: false }],
    [
      { before: A, after: B, ref: 'refs/heads/a/b', repository: { default_branch: 'main' } },
      { kind: 'push', before: A, head: B, branch: 'a/b', defaultBranch: 'main' },
    ],
    [
      { before: ZEROS, after: B, ref: 'refs/tags/v1', repository: {} },
      { kind: 'push', before: undefined, head: B, branch: undefined, defaultBranch: undefined },
    ],
    [{ schedule: '* * * * *' }, { kind: 'target', branch: 'main', fork: false }],
  ])('come from the event %j', async (event, build) => {
    expect(await readEvent(event)).toEqual(build)
  })

  it.each([
    '',
    '{',
    '[]',
    'null',
    `{"pull_request": ${'['.repeat(100_000)}`,
    { pull_request: null },
    { pull_request: [] },
    { pull_request: { base: { sha: 'main' }, head: { sha: A } } },
    { pull_request: { base: { sha: `${A}\n` }, head: { sha: A } } },
    { pull_request: { base: { sha: A.slice(1) }, head: { sha: A } } },
    { pull_request: { base: { sha: A }, head: { sha: '--output=x' } } },
    { merge_group: {} },
    { before: 'HEAD', after: A },
    { before: A, after: [A] },
  ])('do not come from the event %j', async (event) => {
    await expect(readEvent(event)).rejects.toMatchObject({ code: 'gate.event_invalid' })
  })

  it('come from the variables of GitLab, and from the target branch where there are no ids', async () => {
    const gitlab = { GITLAB_CI: 'true', CI_COMMIT_SHA: A, CI_COMMIT_BEFORE_SHA: ZEROS }
    expect(await readBuild({ ...gitlab, CI_MERGE_REQUEST_DIFF_BASE_SHA: B })).toEqual({
      kind: 'merge',
      base: B,
      head: A,
      fork: false,
    })
    const ids = { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '7', CI_MERGE_REQUEST_PROJECT_ID: '8' }
    expect(await readBuild({ ...gitlab, ...ids, CI_MERGE_REQUEST_DIFF_BASE_SHA: B })).toMatchObject({
      fork: true,
    })
    expect(await readBuild({ ...gitlab, CI_COMMIT_BRANCH: 'x', CI_DEFAULT_BRANCH: 'main' })).toEqual({
      kind: 'push',
      before: undefined,
      head: A,
      branch: 'x',
      defaultBranch: 'main',
    })
    await expect(readBuild({ ...gitlab, CI_COMMIT_BEFORE_SHA: 'x' })).rejects.toMatchObject({
      code: 'gate.event_invalid',
    })
    expect(await readBuild({ GITHUB_BASE_REF: ' release ' })).toEqual({
      kind: 'target',
      branch: 'release',
      fork: false,
    })
    expect(await readBuild({ CHANGE_FORK: 'm', CHANGE_TARGET: 'main' })).toEqual({
      kind: 'target',
      branch: 'main',
      fork: true,
    })
    expect(await readBuild({ CHANGE_TARGET: 'main' })).toBeUndefined()
    expect(await readBuild({ GITHUB_BASE_REF: '' })).toBeUndefined()
    await expect(readBuild({ GITHUB_EVENT_PATH: '/nowhere' })).rejects.toMatchObject({
      code: 'gate.event_invalid',
    })
  })
})
