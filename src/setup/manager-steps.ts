import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../kernel/encoding/json.ts'
import { yamlEntry } from './editors/edit-yaml.ts'
import type { FileEntry, Removal } from './editors/insertion.ts'
import { startsGate } from './git-hooks/hook-manager.ts'
import { HOOK_NAMES, type HookName } from './git-hooks/hook-script.ts'
import { type LaunchWords, readShellLaunch, shellCommand } from './launch.ts'

const NAME = 'warrant'

/** How lefthook starts the gate. It passes the refs of a push only to steps that ask for stdin. */
const LEFTHOOK_ARGS: Readonly<Record<HookName, string>> = {
  'pre-commit': 'gate --stage PRE_COMMIT',
  'pre-push': 'gate --stage PRE_PUSH --remote={1}',
}

const writeStep = (hook: HookName, launch: LaunchWords) => ({
  ...(hook === 'pre-push' && { use_stdin: true }),
  run: `${shellCommand(launch)} ${LEFTHOOK_ARGS[hook]}`,
})

const isOurStep = (hook: HookName, isJob: boolean) => (value: unknown) => {
  if (!isRecord(value)) return false
  const launch = readShellLaunch(value.run, LEFTHOOK_ARGS[hook])
  if (launch === undefined) return false
  return isDeepStrictEqual(value, { ...(isJob && { name: NAME }), ...writeStep(hook, launch) })
}

/** A step as a job or as a command: lefthook has both, and a file usually uses one of them. */
const lefthookForms = (hook: HookName, launch: LaunchWords) => ({
  job: yamlEntry({
    path: [hook, 'jobs'],
    value: { name: NAME, ...writeStep(hook, launch) },
    mentions: (value) => isRecord(value) && value.name === NAME,
    isOurs: isOurStep(hook, true),
  }),
  command: yamlEntry({
    path: [hook, 'commands'],
    key: NAME,
    value: writeStep(hook, launch),
    mentions: () => true,
    isOurs: isOurStep(hook, false),
  }),
})

const hasJobs = async (text: string, hook: HookName): Promise<boolean> => {
  const { parse } = await import('yaml')
  try {
    const value: unknown = parse(text, { logLevel: 'error', maxAliasCount: 100 })
    const step = isRecord(value) ? value[hook] : undefined
    return isRecord(step) && Array.isArray(step.jobs)
  } catch {
    return false
  }
}

const lefthookStep = (hook: HookName, launch: LaunchWords): FileEntry => {
  const { job, command } = lefthookForms(hook, launch)
  return {
    shown: `${hook}:\n  commands:\n    ${NAME}:\n${Object.entries(writeStep(hook, launch))
      .map(([key, value]) => `      ${key}: ${value}`)
      .join('\n')}`,
    insert: async (text) => {
      if (startsGate(text, hook)) return []
      return (await hasJobs(text, hook)) ? job.insert(text) : command.insert(text)
    },
    remove: async (text, written): Promise<Removal> => {
      const removed = await command.remove(text, written)
      return removed === 'absent' ? job.remove(text, written) : removed
    },
  }
}

export const lefthookSteps = (launch: LaunchWords): readonly FileEntry[] =>
  HOOK_NAMES.map((hook) => lefthookStep(hook, launch))

const PRE_COMMIT_ID = 'warrant-gate'
const PRE_COMMIT_ARGS = 'gate'

/** Without `stages`, whose names depend on the version of pre-commit: the gate finds out what it is called for. */
const writePreCommit = (launch: LaunchWords) => ({
  repo: 'local',
  hooks: [
    {
      id: PRE_COMMIT_ID,
      name: 'warrant gate',
      entry: `${shellCommand(launch)} ${PRE_COMMIT_ARGS}`,
      language: 'system',
      pass_filenames: false,
      always_run: true,
      require_serial: true,
    },
  ],
})

const preCommitHooks = (value: unknown): readonly unknown[] =>
  isRecord(value) && Array.isArray(value.hooks) ? value.hooks : []

export const preCommitStep = (launch: LaunchWords): FileEntry => {
  const entry = yamlEntry({
    path: ['repos'],
    value: writePreCommit(launch),
    mentions: (value) => preCommitHooks(value).some((hook) => isRecord(hook) && hook.id === PRE_COMMIT_ID),
    isOurs: (value) => {
      const [hook] = preCommitHooks(value)
      const found = isRecord(hook) ? readShellLaunch(hook.entry, PRE_COMMIT_ARGS) : undefined
      return found !== undefined && isDeepStrictEqual(value, writePreCommit(found))
    },
  })
  const { repo, hooks } = writePreCommit(launch)
  const [hook = {}] = hooks
  return {
    ...entry,
    shown: [
      'repos:',
      `  - repo: ${repo}`,
      '    hooks:',
      ...Object.entries(hook).map(([key, value], at) => `      ${at === 0 ? '-' : ' '} ${key}: ${value}`),
    ].join('\n'),
  }
}
