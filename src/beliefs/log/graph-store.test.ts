import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRows } from '../../lineage/read-rows.ts'
import type { LineageLog, LogStore, Row } from '../../lineage/store.ts'
import { memoryLogs } from '../../platform/log-stores/memory.ts'
import { fixedSalts } from '../../platform/system/salts.ts'
import { Beliefs } from '../beliefs.ts'
import { DEFAULT_CONFIG } from '../graph/graph.ts'
import { GraphStore } from './graph-store.ts'
import { fixedTimestamps } from './timestamps.ts'
import { verifyReplay } from './verify-replay.ts'

const open = async (store: LogStore, every = 1_000, logged: string[] = []): Promise<Beliefs> => {
  const graphStore = await GraphStore.open({
    store,
    name: 'g',
    config: DEFAULT_CONFIG,
    clockMode: 'deterministic',
    timestamps: fixedTimestamps,
    salt: fixedSalts,
    logger: { write: (_, message) => logged.push(message) },
    snapshotEvery: every,
  })
  return new Beliefs({ graphStore, version: '1', writeFile: async () => {} })
}

/** Everything that is visible of a graph. */
const look = (beliefs: Beliefs) =>
  beliefs.graphStore.replica.read(({ graph, claims }) => ({
    nodes: [...graph.nodes()],
    edges: [...graph.edges()],
    claims: [...claims],
    tick: graph.tick,
    accounts: graph.accounts(),
  }))

type Step =
  | { readonly do: 'create'; readonly belief: number; readonly claim: string | undefined }
  | { readonly do: 'mutate'; readonly node: number; readonly delta: number }
  | { readonly do: 'bind'; readonly src: number; readonly dst: number }
  | { readonly do: 'propagate' }

const take = (beliefs: Beliefs, step: Step): Promise<unknown> => {
  switch (step.do) {
    case 'create':
      return beliefs.createNode({
        belief: step.belief,
        energy: 10,
        ...(step.claim !== undefined && { claim: step.claim }),
      })
    case 'mutate':
      return beliefs.mutateNode(step.node, step.delta)
    case 'bind':
      return beliefs.bindEdge(step.src, step.dst, 0.5)
    case 'propagate':
      return beliefs.propagate()
  }
}

const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant('create' as const),
      belief: fc.double({ min: 0, max: 1, noNaN: true }),
      claim: fc.option(fc.string(), { nil: undefined }),
    }),
    fc.record({
      do: fc.constant('mutate' as const),
      node: fc.nat(8),
      delta: fc.double({ min: -1, max: 1, noNaN: true }),
    }),
    fc.record({ do: fc.constant('bind' as const), src: fc.nat(8), dst: fc.nat(8) }),
    fc.record({ do: fc.constant('propagate' as const) }),
  ),
  { maxLength: 30 },
)

describe('a graph over a log', () => {
  it('is the same in every replica, and after a restart from a snapshot', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.array(fc.nat(2), { minLength: 30, maxLength: 30 }), async (all, writers) => {
        const store = memoryLogs()
        const replicas = await Promise.all([open(store, 4), open(store, 7), open(store)])
        await Promise.allSettled(all.map((step, at) => take(replicas[writers[at] ?? 0] as Beliefs, step)))
        const [first, ...others] = await Promise.all(replicas.map(look))
        for (const other of others) expect(other).toEqual(first)
        expect(await look(await open(store))).toEqual(first)
        const [one] = replicas
        expect(await one.verify()).toMatchObject({ outcome: 'intact', size: one.graphStore.size })
        expect(await verifyReplay(DEFAULT_CONFIG, readRows(one.graphStore.log))).toMatchObject({
          outcome: 'same',
        })
      }),
      { numRuns: 60 },
    )
  })

  it('answers in the order of the log, and only what is durable', async () => {
    const store = memoryLogs()
    const beliefs = await open(store)
    const answers = await Promise.all([
      beliefs.createNode({ belief: 0.5, energy: 1 }),
      beliefs.queryNode(0),
      beliefs.mutateNode(0, 0.25),
      beliefs.queryNode(0),
      beliefs.replay(),
    ])
    expect(answers.map((answer) => ('belief' in answer ? answer.belief : answer.entries.length))).toEqual([
      0.5, 0.5, 0.75, 0.75, 2,
    ])
  })

  it('leaves no trace of a write that the store did not take', async () => {
    const inner = memoryLogs()
    const broken = { now: false }
    const store: LogStore = {
      ...inner,
      open: async (name, genesis) => {
        const log = await inner.open(name, genesis)
        const append: LineageLog['append'] = (...args) => {
          if (broken.now) throw new Error('disk full')
          return log.append(...args)
        }
        return new Proxy(log, { get: (target, key) => (key === 'append' ? append : bound(target, key)) })
      },
    }
    const beliefs = await open(store)
    await beliefs.createNode({ belief: 0.5, energy: 1 })
    const before = await look(beliefs)
    broken.now = true
    await expect(beliefs.createNode({ belief: 0.1, energy: 1, claim: 'x' })).rejects.toThrow('disk full')
    expect(await look(beliefs)).toEqual(before)
    broken.now = false
    expect(await beliefs.createNode({ belief: 0.1, energy: 1 })).toMatchObject({ node_id: 1 })
  })

  it('says when a snapshot cannot be kept, goes on, and does not try again with every write', async () => {
    const inner = memoryLogs()
    let tried = 0
    const saveSnapshot = () => {
      tried += 1
      throw new Error('disk full')
    }
    const store: LogStore = {
      ...inner,
      open: async (name, genesis) =>
        new Proxy(await inner.open(name, genesis), {
          get: (target, key) => (key === 'saveSnapshot' ? saveSnapshot : bound(target, key)),
        }),
    }
    const logged: string[] = []
    const beliefs = await open(store, 2, logged)
    for (let id = 0; id < 6; id += 1) {
      expect(await beliefs.createNode({ belief: 0.5, energy: 1 })).toMatchObject({ node_id: id })
      await beliefs.graphStore.replica.idle()
    }
    expect(tried).toBe(2)
    expect(logged).toEqual(['snapshot not saved', 'snapshot not saved'])
  })

  it('is put right from the log when a stored value was changed behind its back', async () => {
    const store = memoryLogs()
    const beliefs = await open(store)
    await beliefs.createNode({ belief: 0.5, energy: 1 })
    await beliefs.graphStore.replica.read(({ graph }) => {
      graph.columns.cells[0] = 0.9
    })
    await expect(beliefs.mutateNode(0, 0.1)).rejects.toMatchObject({ kind: 'corrupt' })
    await beliefs.graphStore.replica.idle()
    expect(await beliefs.queryNode(0)).toMatchObject({ belief: 0.5 })
    const entries: string[] = []
    for await (const { entry } of readRows(beliefs.graphStore.log)) entries.push(JSON.parse(entry).operation)
    expect(entries).toEqual(['node.create', 'governor.correction'])
    expect(await beliefs.governanceStatus()).toMatchObject({ healthy: true, drift: 0 })
  })

  it('does not start from a snapshot of what was already wrong', async () => {
    const store = memoryLogs()
    const beliefs = await open(store)
    await beliefs.createNode({ belief: 0.5, energy: 1 })
    const right = await look(beliefs)
    await beliefs.graphStore.replica.read(({ graph }) => {
      graph.columns.cells[1] = 12_345
    })
    await beliefs.graphStore.close()
    expect(await beliefs.graphStore.log.snapshots()).toHaveLength(1)
    const next = await open(store)
    expect(await look(next)).toEqual(right)
    expect(await next.governanceStatus()).toMatchObject({ healthy: true, lineage_length: 1 })
  })

  it('counts everything anew for who asks after its health, when that was long ago', async () => {
    const beliefs = await open(memoryLogs(), 4)
    for (let node = 0; node < 15; node += 1) await beliefs.createNode({ belief: 0.5, energy: 1 })
    await beliefs.graphStore.replica.read(({ graph }) => {
      graph.columns.cells[1] = 12_345
    })
    const seen = await beliefs.governanceStatus()
    expect(seen).toMatchObject({ drift_ok: false, esv_valid: false, coherent: false, healthy: false })
    expect(seen.drift).toBeGreaterThan(12_000)
    await beliefs.graphStore.replica.idle()
    expect(await beliefs.queryNode(0)).toMatchObject({ energy: 1 })
    expect(await beliefs.governanceStatus()).toMatchObject({ healthy: true, drift: 0, lineage_length: 16 })
  })

  it('counts all energy anew after a thousand commits, and puts right what is not what it was', async () => {
    const beliefs = await open(memoryLogs(), Number.MAX_SAFE_INTEGER)
    await beliefs.createNode({ belief: 0.5, energy: 1 })
    await beliefs.graphStore.replica.read(({ graph }) => {
      graph.columns.cells[1] = 2
    })
    for (let commit = 0; commit < 998; commit += 1) await beliefs.createNode({ belief: 0.5, energy: 1 })
    expect(await beliefs.governorStatus()).toMatchObject({ drift: 0 })
    expect(await beliefs.queryNode(0)).toMatchObject({ energy: 2 })
    await beliefs.createNode({ belief: 0.5, energy: 1 })
    await beliefs.graphStore.replica.idle()
    expect(await beliefs.queryNode(0)).toMatchObject({ energy: 1 })
    expect(await beliefs.governanceStatus()).toMatchObject({ healthy: true, lineage_length: 1_001 })
  })

  it('stops writing when an entry of another process is invalid, and stays in quarantine for the next process', async () => {
    const store = memoryLogs()
    const beliefs = await open(store)
    await beliefs.createNode({ belief: 0.5, energy: 1 })
    const { log } = beliefs.graphStore
    const [row] = (await log.read(0, 1)) as [Row]
    await log.append(1, [{ ...row, seq: 1, entry: row.entry.replace('"seq":0', '"seq":1') }], [])
    await expect(beliefs.createNode({ belief: 0.5, energy: 1 })).rejects.toMatchObject({
      code: 'replica.quarantined',
    })
    expect(await beliefs.queryNode(0)).toMatchObject({ belief: 0.5 })
    const late = await open(store)
    await expect(late.propagate()).rejects.toMatchObject({ code: 'replica.quarantined' })
    expect(await late.verify()).toMatchObject({ outcome: 'broken', at: 1 })
  })

  it('forgets what an entry was made from, and goes on', async () => {
    const store = memoryLogs()
    const beliefs = await open(store)
    await beliefs.createNode({ belief: 0.5, energy: 1, claim: 'a secret' })
    await beliefs.createNode({ belief: 0.2, energy: 1, claim: 'no secret' })
    await beliefs.graphStore.erase({ seq: 0, reason: 'asked to', node: 0 })
    await beliefs.createNode({ belief: 0.1, energy: 1 })
    const seen = await look(beliefs)
    expect(seen.claims).toEqual([[1, { claim: 'no secret' }]])
    expect(await look(await open(store))).toEqual(seen)
    expect(await beliefs.verify()).toMatchObject({ outcome: 'intact', size: 4 })
    await expect(beliefs.explain(0)).rejects.toMatchObject({ code: 'belief.history_erased' })
  })

  it('gets past what another process erased before it was read here', async () => {
    const store = memoryLogs()
    const slow = await open(store)
    await slow.createNode({ belief: 0.5, energy: 1 })
    const quick = await open(store)
    await quick.createNode({ belief: 0.2, energy: 1, claim: 'a secret' })
    await quick.graphStore.erase({ seq: 1, reason: 'asked to', node: 1 })
    await quick.mutateNode(1, 0.1)
    expect(await look(slow)).toEqual(await look(quick))
    expect(await slow.createNode({ belief: 0.3, energy: 1 })).toMatchObject({ node_id: 2 })
    expect(await look(quick)).toEqual(await look(slow))
  })

  it('stops writing when a payload went missing and no snapshot knows what it did', async () => {
    const store = memoryLogs()
    const beliefs = await open(store)
    await beliefs.createNode({ belief: 0.5, energy: 1 })
    await beliefs.graphStore.log.erase(0)
    const late = await open(store)
    await expect(late.propagate()).rejects.toMatchObject({ code: 'replica.quarantined' })
  })

  it('explains what moved a node', async () => {
    const beliefs = await open(memoryLogs())
    for (const belief of [1, 0, 0.5]) await beliefs.createNode({ belief, energy: 10 })
    await beliefs.bindEdge(0, 2, 1)
    await beliefs.bindEdge(1, 2, 0.5)
    await beliefs.propagate()
    const { influences, history, belief } = await beliefs.explain(2)
    expect(history.map(({ operation }) => operation)).toEqual(['node.create', 'edge.propagate'])
    expect(influences.map(({ source }) => source)).toEqual([0, 1])
    expect(influences.reduce((sum, { moved }) => sum + moved, 0.5)).toBeCloseTo(belief, 12)
  })
})

describe('a long log', () => {
  const ENTRIES = 2_000

  /** Turns of the event loop that other work gets while `work` runs. */
  const countTurns = async (work: () => Promise<unknown>): Promise<number> => {
    let turns = 0
    let isOver = false
    const count = () => {
      turns += 1
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    await work()
    isOver = true
    return turns
  }

  it('leaves the event loop a turn after every few entries that are read', async () => {
    const store = memoryLogs()
    const beliefs = await open(store, ENTRIES * 2)
    await beliefs.createNode({ belief: 0.5, energy: 1_000 })
    await Promise.all(Array.from({ length: ENTRIES - 1 }, () => beliefs.mutateNode(0, 0.000_1)))
    const works = {
      verify: () => beliefs.verify(),
      explain: () => beliefs.explain(0),
      export: () => beliefs.exportLog('log.json'),
      replay: () => beliefs.replay(),
      reExecute: () => verifyReplay(DEFAULT_CONFIG, readRows(beliefs.graphStore.log)),
      open: () => open(store),
    }
    for (const [name, work] of Object.entries(works)) {
      expect([name, await countTurns(work)]).toEqual([name, expect.toSatisfy((n) => n >= ENTRIES / 20)])
    }
  })
})

const bound = (target: object, key: string | symbol): unknown => {
  const value = Reflect.get(target, key)
  return typeof value === 'function' ? value.bind(target) : value
}
