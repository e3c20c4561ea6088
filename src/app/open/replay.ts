import { basename, dirname, join, resolve } from 'node:path'
import { gateFaults } from '../../gate/faults.ts'
import { readPolicyFiles } from '../../gate/policy-files.ts'
import { type ReplayPorts, readRecorded } from '../../gate/replay/judge-past.ts'
import { createTrial } from '../../gate/replay/trial.ts'
import { shareRuleSets } from '../../gate/rules/assemble-rules.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import { userRecord } from '../../platform/files/user-state.ts'
import { historyReader } from '../../platform/git/history.ts'
import { findPlace } from '../../platform/git/place.ts'
import { gitFaults } from '../../platform/git/run.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import type { Config } from '../config/settings.ts'
import { type GateContext, openGate, pickReuse } from './gate.ts'
import { openLastingScanner, readBuildDigest } from './load-rules.ts'
import { scanCachePath } from './user-state.ts'

const MAX_RULE_FILE = 64 * 1024
const MAX_RECORD = 64 * 1024 * 1024

const readTriedRules = async (named: string): Promise<ReadonlyMap<string, Uint8Array>> => {
  const [folder, path] = [repositoryFiles(dirname(resolve(named))), basename(resolve(named))]
  if (!(await folder.exists(path))) throw gateFaults.file_unusable(`${named} is no folder`)
  const rules = new Map<string, Uint8Array>()
  for (const name of await folder.names(path)) {
    const bytes = /\.ya?ml$/.test(name) ? await folder.read(`${path}/${name}`, MAX_RULE_FILE) : undefined
    if (bytes !== undefined) rules.set(name, bytes)
  }
  return rules
}

/** What earlier replays found, in a file of this user. */
const openFindings = async (path: string) => {
  const record = userRecord(() => path, MAX_RECORD)
  const known = readRecorded(await record.read())
  const before = known.size
  const recall: ReplayPorts['recall'] = async (commits, find) => {
    const found = known.get(commits) ?? (await find())
    known.set(commits, found)
    return found
  }
  return {
    recall,
    save: async () => (known.size > before ? record.write(Object.fromEntries(known)) : undefined),
  }
}

interface ReplayTrial {
  readonly stage: string
  /** A text to try in the place of `skills.policy.json`. */
  readonly policy: string | undefined
  /** A folder to try in the place of `.warrant/rules`. */
  readonly rules: string | undefined
}

/** Opens what judges past commits of the repository around `folder`. */
export const openReplay = async (
  config: Config,
  context: GateContext & { readonly folder: string; readonly signal: AbortSignal },
  { stage, policy, rules: named }: ReplayTrial,
): Promise<{ readonly ports: ReplayPorts; readonly close: () => Promise<void> }> => {
  const { environment, folder, signal } = context
  const rules = named === undefined ? undefined : await readTriedRules(named)
  const { root, ports } = await openGate(config, context)
  const place = await findPlace({ folder, environment, gitFolders: config.gitFolders }, signal)
  if (place === undefined) throw gitFaults.repository('this folder is not in a git repository')
  const { rewrite: _, ...change } = ports.change
  const git = historyReader(place, change.git)
  const trial = createTrial({ policy, rules }, await change.git.tracked(undefined, signal))
  const files = trial.inWorktree(change.files)
  const reuse = pickReuse(config, root, context)
  // Whatever a verdict depends on beside the commits. An acceptance may end with the day.
  const judgedBy = {
    root,
    stage,
    program: await readBuildDigest(),
    day: new Date(change.now()).toISOString().slice(0, 10),
    profile: change.profile,
    variables: Object.entries(change.policyVariables).map(String),
    trial: [policy !== undefined, rules !== undefined],
    files: JSON.stringify([...(await readPolicyFiles(files))]),
  }
  const state = dirname(dirname(scanCachePath(root, environment)))
  const record = reuse && (await openFindings(join(state, 'replays', digestJson(judgedBy).slice(-32))))
  let cache: ReturnType<NonNullable<typeof reuse>['open']> | undefined
  // One for every set of rules.
  const open = reuse && (() => (cache ??= reuse.open()))
  const scanner = await openLastingScanner(open && { after: 0, open })
  return {
    ports: {
      change: {
        ...change,
        git: {
          ...git,
          filesAt: async (...args) => {
            const version = await git.filesAt(...args)
            return version && trial.inCommit(version)
          },
        },
        files,
        shippedRules: () => change.shippedRules(),
        scanner: async () => scanner,
        ruleSet: shareRuleSets(),
      },
      recall: record?.recall ?? ((_commits, find) => find()),
      isOfTrial: trial.isAtFault,
    },
    close: async () => {
      await scanner.close()
      await reuse?.save?.()
      await record?.save()
    },
  }
}
