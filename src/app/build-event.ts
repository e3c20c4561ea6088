import type { BuildCommits } from '../gate/facts/scope.ts'
import { gateFaults } from '../gate/faults.ts'
import { isRecord } from '../kernel/encoding/json.ts'
import { readRegularFile } from '../platform/jail/async.ts'

/**
 * The commits of a build, from what the build server says about it. The file of the event holds text of unknown
 * authors: only ids and branch names are taken from it, and an id has to look like one.
 */

const MAX_BYTES = 32 * 1024 * 1024
const OBJECT_ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/

const readId = (value: unknown, what: string): string => {
  if (typeof value === 'string' && OBJECT_ID.test(value)) return value
  throw gateFaults.event_invalid(`${what} of the build is not the id of a commit`)
}

/** A branch that was new before a push has an id of zeros. */
const readOldId = (value: unknown, what: string): string | undefined => {
  const id = readId(value, what)
  return /^0+$/.test(id) ? undefined : id
}

const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
const readMember = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined)

/** The event of GitHub Actions; undefined for one that names no commits, such as a schedule. */
const readGithubEvent = (event: Readonly<Record<string, unknown>>): BuildCommits | undefined => {
  const { pull_request: request, merge_group: group } = event
  if (request !== undefined) {
    const sides = ['base', 'head'].map((side) => readMember(request, side))
    const [base, head] = sides.map((side) => readMember(side, 'sha'))
    const [to, from] = sides.map((side) => readMember(readMember(side, 'repo'), 'id'))
    // The repository of the head may have been deleted.
    const fork = from === undefined || from !== to
    return { kind: 'merge', base: readId(base, 'the base'), head: readId(head, 'the head'), fork }
  }
  if (group !== undefined) {
    const [base, head] = [readMember(group, 'base_sha'), readMember(group, 'head_sha')]
    return { kind: 'merge', base: readId(base, 'the base'), head: readId(head, 'the head'), fork: false }
  }
  if (event.before === undefined || event.after === undefined) return undefined
  return {
    kind: 'push',
    before: readOldId(event.before, 'the old commit'),
    head: readId(event.after, 'the new commit'),
    branch: /^refs\/heads\/(.+)$/s.exec(readText(event.ref) ?? '')?.[1],
    defaultBranch: readText(readMember(event.repository, 'default_branch')),
  }
}

const readEventFile = async (path: string): Promise<Readonly<Record<string, unknown>>> => {
  try {
    const event: unknown = JSON.parse(String(await readRegularFile(path, MAX_BYTES)))
    if (isRecord(event)) return event
  } catch (cause) {
    throw gateFaults.event_invalid('the file that GITHUB_EVENT_PATH names cannot be read', { cause })
  }
  throw gateFaults.event_invalid('the file that GITHUB_EVENT_PATH names is not a JSON object')
}

const readGitlabVariables = (environment: NodeJS.ProcessEnv): BuildCommits | undefined => {
  const { CI_MERGE_REQUEST_DIFF_BASE_SHA: base, CI_COMMIT_BEFORE_SHA: before, CI_COMMIT_SHA } = environment
  const head = () => readId(CI_COMMIT_SHA, 'CI_COMMIT_SHA')
  const { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: from, CI_MERGE_REQUEST_PROJECT_ID: to } = environment
  const fork = from !== to
  if (base) return { kind: 'merge', base: readId(base, 'CI_MERGE_REQUEST_DIFF_BASE_SHA'), head: head(), fork }
  if (!before) return undefined
  return {
    kind: 'push',
    before: readOldId(before, 'CI_COMMIT_BEFORE_SHA'),
    head: head(),
    branch: readText(environment.CI_COMMIT_BRANCH),
    defaultBranch: readText(environment.CI_DEFAULT_BRANCH),
  }
}

/** What the environment says about the commits of a build; undefined when it says nothing. */
export const readBuild = async (environment: NodeJS.ProcessEnv): Promise<BuildCommits | undefined> => {
  const { GITHUB_EVENT_PATH: path, GITLAB_CI, GITHUB_BASE_REF } = environment
  const named = path
    ? readGithubEvent(await readEventFile(path))
    : GITLAB_CI === 'true'
      ? readGitlabVariables(environment)
      : undefined
  // Jenkins names the owner of a fork, and no ids.
  const fork = Boolean(environment.CHANGE_FORK)
  const branch = GITHUB_BASE_REF?.trim() || (fork ? environment.CHANGE_TARGET : undefined)
  return named ?? (branch ? { kind: 'target', branch, fork } : undefined)
}
