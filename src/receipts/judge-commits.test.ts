import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makePem } from '../../test/support/private-key.ts'
import { sealStatement } from './envelope.ts'
import { type CheckedCommit, type CommitEvidence, CommitJudge } from './judge-commits.ts'
import { parseKeys } from './keys-file.ts'
import { buildStatement, type ReceiptFacts } from './statement.ts'
import { signerFromPem } from './verifier-key.ts'
import { type VerifiedReceipt, verifyReceipt } from './verify-receipt.ts'

const signer = signerFromPem(makePem())
const stranger = signerFromPem(makePem())
const listed = await parseKeys(
  JSON.stringify({ keys: [{ key: signer.key.text, owner: 'x', role: 'developer' }] }),
)

const DAY = 86_400_000
const NOW = Date.parse('2027-01-01T00:00:00Z')
const id = (text: string) => createHash('sha1').update(text).digest('hex')

type Details = Partial<ReceiptFacts> & { readonly from?: string; readonly extra?: object }

const receipt = async (tree: string, { from, extra = {}, ...facts }: Details = {}, by = signer) => {
  const base = from === undefined ? {} : { base: id(`commit ${from}`), base_tree: from }
  const statement = buildStatement(
    {
      repository: 'r',
      tree,
      commit: undefined,
      version: '1',
      build: '',
      now: NOW,
      passed: true,
      stage: 'PRE_COMMIT',
      scope: 'git:staged',
      policy: { uri: 'p', digest: `sha256:${'0'.repeat(64)}` },
      inputs: [],
      reasons: [],
      details: { kind: 'run', policies: { head: {} }, ...base, ...extra },
      ...facts,
    },
    { origin: 'log', index: 0 },
  )
  return verifyReceipt((await sealStatement(statement, by)).line, { listed })
}

const [P, T, U] = ['p', 't', 'u'].map(id) as [string, string, string]
const commit = (tree: string, parents: readonly string[], committed = NOW): CheckedCommit => ({
  id: id(`commit ${tree} ${parents}`),
  tree,
  parents,
  committed,
})
const parent = commit(P, [])

const ofAll = (base: string) => receipt(T, { scope: 'git:repository', extra: { base, base_tree: T } })

const evidence = (
  receipts: Readonly<Record<string, readonly Promise<VerifiedReceipt>[]>>,
): CommitEvidence => ({
  receiptsOf: async (tree) => Promise.all(receipts[tree] ?? []),
  policiesOf: async () => ({}),
  treeOf: async (one) => (one === parent.id ? P : undefined),
  isAncestor: async () => false,
})

const judge = async (
  tree: string,
  receipts: Readonly<Record<string, readonly Promise<VerifiedReceipt>[]>>,
  more: Partial<CommitEvidence> = {},
) => {
  const one = commit(tree, [parent.id])
  const result = await new CommitJudge([one], { ...evidence(receipts), ...more }).judge(one)
  return 'problem' in result ? result.problem : 'judged'
}

describe('a commit', () => {
  it.each<readonly [string, string, Readonly<Record<string, readonly Promise<VerifiedReceipt>[]>>]>([
    ['judged', 'of its change', { [T]: [receipt(T, { from: P })] }],
    ['judged', 'of all files', { [T]: [ofAll(commit(T, [parent.id]).id)] }],
    ['judged', 'of all files over the commit before', { [T]: [ofAll(parent.id)] }],
    ['missing', 'of all files when the tree was that of an older commit', { [T]: [ofAll(id('older'))] }],
    ['missing', 'of all files of the first commit', { [T]: [receipt(T)] }],
    ['judged', 'of the push', { [T]: [receipt(T, { from: P, stage: 'PRE_PUSH' })] }],
    [
      'judged',
      'of both steps, as an amended commit has',
      { [T]: [receipt(T, { from: U })], [U]: [receipt(U, { from: P })] },
    ],
    [
      'judged',
      'and of an earlier one that was blocked',
      { [T]: [receipt(T, { from: P, passed: false }), receipt(T, { from: P })] },
    ],
    ['missing', 'of nothing', {}],
    ['missing', 'of no change, made after the commit', { [T]: [receipt(T, { from: T })] }],
    ['missing', 'of the second of two steps', { [T]: [receipt(T, { from: U })] }],
    ['missing', 'before a write', { [T]: [receipt(T, { from: P, stage: 'PRE_WRITE' })] }],
    ['missing', 'of a check of the evidence', { [T]: [receipt(T, { from: P, extra: { kind: 'check' } })] }],
    ['failed', 'of a blocked run', { [T]: [receipt(T, { from: P, passed: false })] }],
    ['foreign', 'of a key that is not listed', { [T]: [receipt(T, { from: P }, stranger)] }],
    [
      'foreign',
      'of such a key for the first step',
      { [T]: [receipt(T, { from: P }, stranger), receipt(T, { from: P, stage: 'PRE_WRITE' }, stranger)] },
    ],
    [
      'policy',
      'of the policy of the working tree alone',
      { [T]: [receipt(T, { from: P, extra: { policy_from: 'worktree' } })] },
    ],
    [
      'policy',
      'of other policy files',
      { [T]: [receipt(T, { from: P, extra: { policies: { head: { 'skills.policy.json': 'x' } } } })] },
    ],
    [
      'missing',
      'of two steps, the first by other policy files',
      {
        [T]: [receipt(T, { from: U })],
        [U]: [receipt(U, { from: P, extra: { policies: { head: { x: '' } } } })],
      },
    ],
    [
      'policy',
      'of a run that a variable relaxed',
      { [T]: [receipt(T, { from: P, extra: { relaxed_by: ['PUMUKI_HARD_MODE'] } })] },
    ],
    [
      'missing',
      'that was blocked for receipts alone',
      { [T]: [receipt(T, { from: P, passed: false, reasons: ['gate.receipt-missing'] })] },
    ],
    [
      'failed',
      'that was blocked for something else too',
      { [T]: [receipt(T, { from: P, passed: false, reasons: ['gate.receipt-missing', 'x'] })] },
    ],
    ['missing', 'that is partial', { [T]: [receipt(T, { from: P, extra: { partial: 'a.ts' } })] }],
    ['expired', 'that is too old', { [T]: [receipt(T, { from: P, now: NOW - 31 * DAY })] }],
    ['judged', 'that is old', { [T]: [receipt(T, { from: P, now: NOW - 29 * DAY })] }],
  ])('is %s by a receipt %s', async (expected, _, receipts) => {
    expect(await judge(T, receipts)).toBe(expected)
  })

  it('that merges branches may have the tree of its newest start, and of no older one', async () => {
    const target = Array.from({ length: 10 }, (_, at) => id(`target ${at}`))
    const treeAt = (at: number) => id(`tree ${at}`)
    const source = {
      ...evidence({}),
      isAncestor: async (one: string, other: string) => target.indexOf(one) < target.indexOf(other),
      treeOf: async (one: string) => treeAt(target.indexOf(one)),
    }
    const place = fc.integer({ min: 0, max: 9 })
    let older = 0
    await fc.assert(
      fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 5 }), place, async (starts, at) => {
        const sides = starts.map((one, nth) => commit(id(`side ${one} ${nth}`), [target[one] ?? '']))
        const parents = sides.map((one) => one.id)
        const merge = commit(treeAt(at), parents)
        const result = await new CommitJudge([...sides, merge], source).judge(merge)
        expect('problem' in result).toBe(at !== Math.max(...starts))
        if (starts.includes(at) && at !== Math.max(...starts)) older += 1
      }),
      { numRuns: 300 },
    )
    expect(older).toBeGreaterThan(10)
  })

  it('without a change needs none', async () => {
    expect(await judge(P, {})).toBe('judged')
  })
})

/** A history in a model: a tree is a set of lines, the gate refuses what adds a line divisible by 5. */
const treeOf = (lines: ReadonlySet<number>) => id(JSON.stringify([...lines].sort((a, b) => a - b)))
const isEvil = (line: number) => line % 5 === 0

interface Step {
  readonly kind: 'commit' | 'amend' | 'merge'
  /** Whether the hook ran, was avoided, or ran on nothing after the commit. */
  readonly hook: 'ran' | 'avoided' | 'later'
  readonly add: readonly number[]
  readonly remove: boolean
}

const play = async (steps: readonly Step[]) => {
  const receipts: Record<string, Promise<VerifiedReceipt>[]> = {}
  const run = (from: ReadonlySet<number>, to: ReadonlySet<number>) => {
    const passed = ![...to].some((line) => isEvil(line) && !from.has(line))
    const tree = treeOf(to)
    receipts[tree] = [...(receipts[tree] ?? []), receipt(tree, { from: treeOf(from), passed })]
    return passed
  }
  const start = new Set([1, 5])
  let head = { commit: commit(treeOf(start), []), lines: start, before: start as ReadonlySet<number> }
  const root = head.commit
  let commits: CheckedCommit[] = []
  for (const [at, { kind, hook, add, remove }] of steps.entries()) {
    const kept = remove ? [...head.lines].slice(1) : [...head.lines]
    const next = new Set([...kept, ...add])
    if (hook === 'ran' && !run(head.lines, next)) continue
    const amends = kind === 'amend' && commits.length > 0
    const parents = amends ? (commits.at(-1)?.parents ?? []) : [head.commit.id]
    const made = {
      ...commit(treeOf(next), kind === 'merge' ? [...parents, root.id] : parents),
      id: id(`c${at}`),
    }
    if (amends) commits = commits.slice(0, -1)
    commits.push(made)
    head = { commit: made, lines: next, before: amends ? head.before : head.lines }
    if (hook === 'later') run(next, next)
  }
  const source: CommitEvidence = {
    receiptsOf: async (tree) => Promise.all(receipts[tree] ?? []),
    policiesOf: async () => ({}),
    treeOf: async (one) => (one === root.id ? root.tree : undefined),
    isAncestor: async () => false,
  }
  const judged = new CommitJudge(commits, source)
  const results = await Promise.all(commits.map((one) => judged.judge(one)))
  return {
    accepted: results.every((one) => !('problem' in one)),
    lines: head.lines,
    judged: results.length,
  }
}

const step = fc.record<Step>({
  kind: fc.constantFrom('commit', 'amend', 'merge'),
  hook: fc.constantFrom('ran', 'ran', 'avoided', 'later'),
  add: fc.array(fc.integer({ min: 1, max: 25 }), { maxLength: 3 }),
  remove: fc.boolean(),
})

describe('the commits of a range', () => {
  it('are never all accepted when one of them brought what the gate refuses', async () => {
    let acceptedHistories = 0
    let refusedHistories = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const { accepted, lines, judged } = await play(steps)
        if (!accepted) refusedHistories += 1
        if (!accepted || judged === 0) return
        expect([...lines].filter((line) => isEvil(line) && line !== 5)).toEqual([])
        acceptedHistories += 1
      }),
      { numRuns: 150 },
    )
    expect(acceptedHistories).toBeGreaterThan(5)
    expect(refusedHistories).toBeGreaterThan(50)
  })

  it('are all accepted where every hook ran, amended or not', async () => {
    const honest = fc.array(
      step.map((one): Step => ({ ...one, hook: 'ran' })),
      { maxLength: 8 },
    )
    let commits = 0
    await fc.assert(
      fc.asyncProperty(honest, async (steps) => {
        const { accepted, judged } = await play(steps)
        expect(accepted).toBe(true)
        commits += judged
      }),
      { numRuns: 60 },
    )
    expect(commits).toBeGreaterThan(40)
  })
})
