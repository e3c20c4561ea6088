import { checkCommits, type ReceiptPlace, readTrustedKeys } from '../../app/open/receipts/find-receipts.ts'
import { readOwnKey } from '../../app/open/receipts/signing-key.ts'
import { POLICY_PATHS } from '../../gate/policy-files.ts'
import { EMPTY_TREE } from '../../gate/ports.ts'
import { runGate } from '../../gate/run.ts'
import { optional } from '../../kernel/optional.ts'
import { systemClock } from '../../platform/system/clock.ts'
import type { CheckedCommit, CommitResult } from '../../receipts/judge-commits.ts'
import type { ListedKey } from '../../receipts/keys-file.ts'
import type { Invocation } from '../command/command.ts'
import { digestInvocation, printOutput, requireWritable, type Subcommand } from '../command/subcommand.ts'
import { openForCommand } from '../gate/judge-change.ts'
import { recordRun } from '../gate/record-run.ts'
import { openPlace, readEnds, readScope } from './find-named.ts'

/** Judges one commit as the hook would have judged it, and leaves a receipt. */
const judgeCommit = async (
  invocation: Invocation,
  place: ReceiptPlace,
  commit: CheckedCommit,
): Promise<boolean> => {
  const [from = EMPTY_TREE] = commit.parents
  const gate = await openForCommand(place.config, invocation)
  const started = systemClock.elapsed()
  const request = {
    stage: 'PRE_COMMIT',
    scope: { kind: 'range', from, to: commit.id },
    policyFrom: 'base',
    write: false,
    receipt: true,
    progress: () => {},
  } as const
  // By the policy of the commit alone: later commits, and files that are not tracked, say nothing about it.
  const files = await place.git.filesAt(commit.id, POLICY_PATHS, place.signal)
  const change = { ...gate.ports.change, ...optional({ files }) }
  const run = await runGate({ ...gate.ports, change }, request, place.signal)
  const warn = (message: string) => invocation.terminal.printError(`warrant: ${message}`)
  const args = digestInvocation(invocation)
  const { failure } = await recordRun(place.config, gate.root, { run, started, args, warn })
  if (failure !== undefined) throw failure
  return run.report.status === 'ALLOWED'
}

const isCovered = (result: CommitResult): boolean => !('problem' in result)

const rowOf = (result: CommitResult) => ({
  commit: result.commit.id,
  tree: result.commit.tree,
  ...('problem' in result
    ? { covered: false, problem: result.problem, why: result.why }
    : {
        covered: true,
        receipts: result.receipts.map(({ digest, owner, role }) => ({ digest, owner, role })),
      }),
})

const describe = (results: readonly CommitResult[], range = ''): string => {
  const bad = results.flatMap((one) => ('problem' in one ? [one] : []))
  const lines = bad.map(({ commit, problem, why }) => `${commit.id.slice(0, 12)} ${problem}: ${why}`)
  const total = `${results.length - bad.length} of ${results.length} commits are covered by receipts.`
  const repair =
    bad.length === 0 ? [] : [`Judge the others now: warrant receipts check --judge ${range}`.trimEnd()]
  return [...lines, total, ...repair].join('\n')
}

/** The listed keys; where none is listed, that of this machine. */
const keysThatCount = async (
  place: ReceiptPlace,
  base: string | undefined,
): Promise<readonly ListedKey[]> => {
  const listed = await readTrustedKeys(place, base)
  const own = listed.length > 0 ? undefined : await readOwnKey().catch(() => undefined)
  return own === undefined ? listed : [{ key: own, owner: 'this machine', role: 'developer' }]
}

/** Whether every commit of a range was judged. With --judge, those without a receipt are judged now. */
export const check: Subcommand = async (invocation, [range]) => {
  const place = await openPlace(invocation)
  const judges = invocation.flags.judge === true
  if (judges) requireWritable(place.config, '--judge')
  const ends = await readEnds(place, await readScope(place, range))
  const listed = await keysThatCount(place, ends.base)
  let results = await checkCommits(place, ends, listed)
  if (judges && !results.every(isCovered)) {
    for (const result of results)
      if (!isCovered(result) && !(await judgeCommit(invocation, place, result.commit)))
        invocation.terminal.printError(
          `warrant: the gate blocks ${result.commit.id.slice(0, 12)}; see it with: warrant gate --range ${result.commit.id}^..${result.commit.id}`,
        )
    results = await checkCommits(place, ends, listed)
  }
  const good = results.every(isCovered)
  printOutput(invocation, { covered: good, ...ends, commits: results.map(rowOf) }, () =>
    describe(results, range),
  )
  return good ? 0 : 1
}
