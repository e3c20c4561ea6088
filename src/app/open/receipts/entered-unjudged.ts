import type { ChangePorts } from '../../../gate/evaluate.ts'
import { isBlocking } from '../../../gate/policy.ts'
import { readWorktreePolicy } from '../../../gate/policy-layer.ts'
import type { GateFinding } from '../../../gate/reports/report.ts'
import { groupByFile, limitFindings } from '../../../gate/reports/select.ts'
import type { JudgedRun } from '../../../gate/run.ts'
import { pushTo } from '../../../kernel/multimap.ts'
import { optional } from '../../../kernel/optional.ts'
import { plural } from '../../../kernel/text/plural.ts'
import { detailsOf, type VerifiedReceipt } from '../../../receipts/verify-receipt.ts'
import { ReceiptFinder, type ReceiptPlace, readTrustedKeys } from './find-receipts.ts'
import { readOwnKey } from './signing-key.ts'

/** Of a commit, not of a look at the whole repository before one, which passes most of what CI blocks. */
const counts = ({ trust, receipt }: VerifiedReceipt): boolean => {
  const { scope, stage } = receipt === undefined ? {} : detailsOf(receipt)
  return ['trusted', 'own'].includes(trust) && !(scope === 'git:repository' && stage === 'PRE_COMMIT')
}

/** Findings with the commits that brought them and that no verdict covers. Those up to the first receipt count as judged. */
const findEntered = async (place: ReceiptPlace, findings: readonly GateFinding[]) => {
  const { git, signal } = place
  const entered = new Map<GateFinding, string>()
  const listed = await readTrustedKeys(place)
  const own = listed.length > 0 ? undefined : await readOwnKey().catch(() => undefined)
  const finder = new ReceiptFinder(place, own ? [{ key: own, owner: '', role: 'developer' }] : listed)
  const head = (await finder.hasAny()) ? await git.head(signal) : null
  const commits = head === null ? [] : await git.commits({ from: [], to: [head], newest: 1_000 }, signal)
  await finder.load(commits.map(({ tree }) => tree))
  const known = await Promise.all(commits.map(async ({ tree }) => (await finder.of(tree)).some(counts)))
  const first = known.indexOf(true)
  if (first < 0) return entered
  const files = new Set([...(await git.tracked(undefined, signal)).entries()].map(({ path }) => path))
  const set = await git.changes({ kind: 'worktree' }, signal)
  for (const { path } of set.changes) files.delete(path)
  const brought = new Map<string, GateFinding[]>()
  for (const hasLine of [true, false]) {
    const kept = findings.filter(({ file, region }) => files.has(file) && hasLine === (region !== undefined))
    for (const [file, all] of groupByFile(kept)) {
      const lines = all.flatMap(({ region }) => region?.line ?? [])
      const changes = await git.lastChanges(file, lines, `${commits[first]?.id}..${head}`, signal)
      for (const one of all) pushTo(brought, changes.get(one.region?.line ?? 0) ?? '', one)
    }
  }
  const judge = finder.judge(commits, counts)
  for (const commit of commits.slice(first + 1))
    if (brought.has(commit.id) && 'problem' in (await judge.judge(commit)))
      for (const one of brought.get(commit.id) ?? []) entered.set(one, commit.id)
  return entered
}

/** The run, with the commits that brought its findings where no verdict covers these. */
export const markUnjudged = async (place: ReceiptPlace, change: ChangePorts, run: JudgedRun) => {
  const { report, excerpts } = run
  const policies = [report.policy, (await readWorktreePolicy(change, { stage: 'CI' })).policy]
  const blocking = report.findings.filter((one) => policies.some((policy) => isBlocking(one, policy)))
  const worst = limitFindings({ ...report, findings: blocking }, { max: 200 }).findings
  const entered = worst.length > 0 ? await findEntered(place, worst) : new Map<GateFinding, string>()
  const id = [...entered.values()].at(-1)?.slice(0, 12)
  if (id === undefined) return run
  const note = `${plural(entered.size, 'finding')} entered unjudged: warrant gate --range ${id}^..${id} judges a commit again.`
  const mark = (one: GateFinding) => ({ ...one, ...optional({ entered: entered.get(one) }) })
  const marked = new Map(report.findings.map((one) => [one, mark(one)]))
  return {
    ...run,
    report: { ...report, findings: [...marked.values()], notes: [...(report.notes ?? []), note] },
    excerpts: new Map([...excerpts].map(([one, excerpt]) => [marked.get(one) ?? one, excerpt])),
  }
}
