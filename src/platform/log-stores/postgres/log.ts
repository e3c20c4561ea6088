import { randomUUID } from 'node:crypto'
import { storeFaults } from '../../../lineage/faults.ts'
import type { Head, LineageLog, LogStore, NodeRef, Row, Snapshot, TreeNode } from '../../../lineage/store.ts'
import { systemClock } from '../../system/clock.ts'
import {
  checkAppend,
  checkGenesis,
  checkLogName,
  checkOrder,
  checkRange,
  decodeHash,
  decodeStored,
  encodeHash,
  encodeText,
  missingEntry,
  missingNode,
} from '../checks.ts'
import { type PgRow, Postgres, type PostgresLimits, UnknownOutcome } from './pool.ts'
import { createPostgresTables, findTables } from './schema.ts'
import { type StatementName, statement } from './statements.ts'

const DEFAULT_LIMITS: PostgresLimits = {
  connections: 4,
  connectMs: 3_000,
  statementMs: 8_000,
  settleMs: 10_000,
}
const RETRY_PAUSE_MS = 100

const encodeNullable = (text: string | null): Buffer | null => (text === null ? null : encodeText(text))

const decodeRow = ({ seq, entry, payload }: PgRow): Row => ({
  seq: Number(seq),
  entry: decodeStored(entry, `entry ${seq}`),
  payload: payload === null ? null : decodeStored(payload, `payload ${seq}`),
})

class PostgresLog implements LineageLog {
  readonly genesis: string
  readonly #postgres: Postgres
  readonly #id: string
  readonly #settleMs: number

  constructor(postgres: Postgres, { id, genesis }: PgRow, settleMs: number) {
    this.#postgres = postgres
    this.#id = String(id)
    this.#settleMs = settleMs
    this.genesis = decodeStored(genesis, 'the genesis')
  }

  async head(): Promise<Head> {
    const [row] = await this.#query('head')
    if (row === undefined) throw storeFaults.damaged('the log was deleted')
    const size = Number(row.size)
    if (size === 0) return { size, entry: null }
    return { size, entry: decodeStored(row.entry, `entry ${size - 1}`) }
  }

  async read(from: number, limit: number): Promise<readonly Row[]> {
    checkRange(from, limit)
    return checkOrder((await this.#query('page', from, limit)).map(decodeRow), from)
  }

  async nodes(wanted: readonly NodeRef[]): Promise<readonly string[]> {
    if (wanted.length === 0) return []
    const places = [wanted.map(({ level }) => level), wanted.map(({ index }) => index)]
    const rows = await this.#query('nodes', ...places)
    return wanted.map((place, at) => {
      const hash = rows[at]?.hash ?? null
      if (hash === null) throw missingNode(place)
      return decodeHash(hash, place)
    })
  }

  async snapshots(): Promise<readonly Snapshot[]> {
    const rows = await this.#query('snapshots')
    return rows.map(({ size, bytes }) => {
      if (!(bytes instanceof Uint8Array)) throw storeFaults.damaged(`snapshot ${size} has no bytes`)
      return { size: Number(size), bytes }
    })
  }

  async quarantine(): Promise<string | null> {
    const [row] = await this.#query('quarantine')
    if (row === undefined) throw storeFaults.damaged('the log was deleted')
    return row.quarantine === null ? null : decodeStored(row.quarantine, 'the reason of the quarantine')
  }

  async append(expected: number, rows: readonly Row[], nodes: readonly TreeNode[]): Promise<boolean> {
    checkAppend(expected, rows, nodes)
    const claim = randomUUID()
    const values = [
      ...[expected, rows.length, claim],
      ...[rows.map(({ entry }) => encodeText(entry)), rows.map(({ payload }) => encodeNullable(payload))],
      ...[nodes.map(({ level }) => level), nodes.map(({ index }) => index)],
      nodes.map(({ hash }) => encodeHash(hash)),
    ]
    const query = { ...statement('append'), values: [this.#id, ...values] }
    try {
      return wasAppended(await this.#postgres.queryOnce(query))
    } catch (error) {
      if (!(error instanceof UnknownOutcome)) throw error
    }
    return await this.#retryUntilKnown(async () => {
      // Sending it again is safe: of the two attempts only the first one that reaches the log can succeed.
      if (wasAppended(await this.#postgres.queryOnce(query))) return true
      const [there] = await this.#query('claim', expected)
      return there?.claim === claim
    })
  }

  async saveSnapshot({ size, bytes }: Snapshot): Promise<void> {
    await this.#query('saveSnapshot', size, Buffer.from(bytes))
  }

  async erase(seq: number, replacement?: Snapshot): Promise<void> {
    const rows =
      replacement === undefined
        ? await this.#query('erase', seq)
        : await this.#query('eraseBehind', seq, replacement.size, Buffer.from(replacement.bytes))
    if (rows.length === 0) throw missingEntry(seq)
  }

  async setQuarantine(reason: string | null): Promise<void> {
    await this.#query('setQuarantine', encodeNullable(reason))
  }

  #query(name: StatementName, ...values: unknown[]): Promise<readonly PgRow[]> {
    return this.#postgres.query({ ...statement(name), values: [this.#id, ...values] })
  }

  /** Retries on every error until the deadline: another error says nothing about the outcome of the append. */
  async #retryUntilKnown(attempt: () => Promise<boolean>): Promise<boolean> {
    const deadline = systemClock.elapsed() + this.#settleMs
    for (;;) {
      try {
        return await attempt()
      } catch (cause) {
        if (systemClock.elapsed() > deadline) {
          throw storeFaults.unsettled('the connection was lost while the entries were added', { cause })
        }
        await new Promise<void>((resolve) => systemClock.after(RETRY_PAUSE_MS, resolve))
      }
    }
  }
}

const wasAppended = ([row]: readonly PgRow[]): boolean => row?.won === true

class PostgresLogs implements LogStore {
  readonly #postgres: Postgres
  readonly #settleMs: number
  #ready = false

  constructor(address: string, limits: PostgresLimits) {
    this.#postgres = new Postgres(address, limits)
    this.#settleMs = limits.settleMs
  }

  async open(name: string, genesis: string): Promise<LineageLog> {
    checkLogName(name)
    if (!this.#ready) await createPostgresTables(this.#postgres)
    this.#ready = true
    const values = [name, encodeText(genesis)]
    if ((await this.#findLog(name)) === undefined)
      await this.#postgres.query({ ...statement('addLog'), values })
    const row = await this.#findLog(name)
    if (row === undefined) throw new Error('the log was not created')
    const log = new PostgresLog(this.#postgres, row, this.#settleMs)
    checkGenesis(name, log.genesis, genesis)
    return log
  }

  async find(name: string): Promise<LineageLog | undefined> {
    checkLogName(name)
    const row = (await this.#isReady()) ? await this.#findLog(name) : undefined
    return row === undefined ? undefined : new PostgresLog(this.#postgres, row, this.#settleMs)
  }

  async names(): Promise<readonly string[]> {
    if (!(await this.#isReady())) return []
    return (await this.#postgres.query(statement('logNames'))).map(({ name }) => String(name))
  }

  async bytes(): Promise<number> {
    if (!(await this.#isReady())) return 0
    return Number((await this.#postgres.query(statement('bytes')))[0]?.bytes ?? 0)
  }

  close(): Promise<void> {
    return this.#postgres.close()
  }

  async #findLog(name: string): Promise<PgRow | undefined> {
    return (await this.#postgres.query({ ...statement('logNamed'), values: [name] }))[0]
  }

  async #isReady(): Promise<boolean> {
    this.#ready ||= await findTables(this.#postgres)
    return this.#ready
  }
}

const isAddress = (address: string): boolean => {
  try {
    // The address of a Unix socket has no host: the driver accepts it, `URL` does not.
    const { protocol, username, password, pathname } = new URL(address.replace('@/', '@socket/'))
    for (const part of [username, password, pathname]) decodeURIComponent(part)
    return protocol === 'postgres:' || protocol === 'postgresql:'
  } catch {
    return false
  }
}

/** Logs in a PostgreSQL database. It connects with the first call, and creates its tables with the first log. */
export const postgresLogs = (address: string, limits: Partial<PostgresLimits> = {}): LogStore => {
  // The message leaves out the address, which may contain a password.
  if (!isAddress(address))
    throw storeFaults.address('the address of the database is not a valid postgres:// URL')
  return new PostgresLogs(address, { ...DEFAULT_LIMITS, ...limits })
}
