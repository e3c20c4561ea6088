import { storeFaults } from '../../lineage/faults.ts'
import type { Head, LineageLog, LogStore, NodeRef, Row, Snapshot, TreeNode } from '../../lineage/store.ts'
import { checkAppend, checkGenesis, checkLogName, checkRange, missingEntry, missingNode } from './checks.ts'

const KEPT_SNAPSHOTS = 2

const nodeKey = ({ level, index }: NodeRef): string => `${level}/${index}`

class MemoryLog implements LineageLog {
  readonly genesis: string
  readonly #rows: Row[] = []
  readonly #nodes = new Map<string, string>()
  #snapshots: readonly Snapshot[] = []
  #quarantine: string | null = null

  constructor(genesis: string) {
    this.genesis = genesis
  }

  head(): Head {
    return { size: this.#rows.length, entry: this.#rows.at(-1)?.entry ?? null }
  }

  read(from: number, limit: number): readonly Row[] {
    checkRange(from, limit)
    return this.#rows.slice(from, from + limit)
  }

  nodes(wanted: readonly NodeRef[]): readonly string[] {
    return wanted.map((place) => {
      const hash = this.#nodes.get(nodeKey(place))
      if (hash === undefined) throw missingNode(place)
      return hash
    })
  }

  snapshots(): readonly Snapshot[] {
    return this.#snapshots.map(({ size, bytes }) => ({ size, bytes: bytes.slice() }))
  }

  quarantine(): string | null {
    return this.#quarantine
  }

  append(expected: number, rows: readonly Row[], nodes: readonly TreeNode[]): boolean {
    checkAppend(expected, rows, nodes)
    if (expected !== this.#rows.length) return false
    const keys = nodes.map(nodeKey)
    if (new Set(keys).size < keys.length || keys.some((key) => this.#nodes.has(key))) {
      throw storeFaults.damaged('a tree node exists already')
    }
    for (const { seq, entry, payload } of rows) this.#rows.push({ seq, entry, payload })
    for (const node of nodes) this.#nodes.set(nodeKey(node), node.hash)
    return true
  }

  saveSnapshot({ size, bytes }: Snapshot): void {
    const others = this.#snapshots.filter((one) => one.size !== size)
    this.#snapshots = [...others, { size, bytes: bytes.slice() }]
      .sort((a, b) => b.size - a.size)
      .slice(0, KEPT_SNAPSHOTS)
  }

  erase(seq: number, replacement?: Snapshot): void {
    const row = this.#rows[seq]
    if (row === undefined) throw missingEntry(seq)
    this.#rows[seq] = { ...row, payload: null }
    if (replacement !== undefined)
      this.#snapshots = [{ size: replacement.size, bytes: replacement.bytes.slice() }]
  }

  setQuarantine(reason: string | null): void {
    this.#quarantine = reason
  }
}

/** Logs in memory. Stores that share this map share the logs, as processes share a database file. */
export type MemoryLogs = Map<string, MemoryLog>

/** A store that is lost when the process ends. */
export const memoryLogs = (logs: MemoryLogs = new Map()): LogStore => ({
  async open(name, genesis) {
    checkLogName(name)
    const log = logs.get(name) ?? new MemoryLog(genesis)
    checkGenesis(name, log.genesis, genesis)
    logs.set(name, log)
    return log
  },
  async find(name) {
    checkLogName(name)
    return logs.get(name)
  },
  names: async () => [...logs.keys()].sort(),
  bytes: async () =>
    [...logs.values()]
      .flatMap((log) => log.read(0, Number.MAX_SAFE_INTEGER))
      .reduce((sum, { entry, payload }) => sum + entry.length + (payload?.length ?? 0), 0),
  close: async () => {},
})
