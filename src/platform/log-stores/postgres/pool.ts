import type { ClientBase, Pool, QueryConfig } from 'pg'
import { storeFaults } from '../../../lineage/faults.ts'
import { isConnectionLost, postgresFault } from './faults.ts'

export interface PostgresLimits {
  /** Maximum number of connections. */
  readonly connections: number
  /** Timeout for a connection attempt, in milliseconds. */
  readonly connectMs: number
  /** Timeout for a statement, in milliseconds. */
  readonly statementMs: number
  /** How long to find out the outcome of an append whose connection was lost, in milliseconds. */
  readonly settleMs: number
}

export type PgRow = Readonly<Record<string, unknown>>

// The client times out later than the server, whose error says more.
const SERVER_TIMEOUT_LEAD_MS = 500
const IDLE_MS = 30_000

/** The statement was sent and its connection lost: it may or may not have been executed. */
export class UnknownOutcome extends Error {
  readonly fault: Error

  constructor(fault: Error) {
    super(fault.message)
    this.fault = fault
  }
}

/**
 * Session settings we rely on, whatever the server's defaults are: an acknowledged commit is on disk, an update that
 * waited for a row lock reads the row again (read committed), and every statement has a timeout.
 */
const SESSION = {
  text: `SELECT pg_is_in_recovery() AS replica,
  set_config('synchronous_commit', CASE current_setting('synchronous_commit')
    WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('statement_timeout', $1, false)`,
}

const configureClient = (limits: PostgresLimits) => async (client: ClientBase) => {
  // Without a listener, the error of an idle connection would end the process.
  client.on('error', () => {})
  const { rows } = await client.query(SESSION, [String(limits.statementMs)])
  if (rows[0]?.replica === true)
    throw storeFaults.unreachable('the database is a read replica, which may lag behind')
}

/** A pool of connections to one database, opened on demand and again after a loss. */
export class Postgres {
  readonly #address: string
  readonly #limits: PostgresLimits
  #pool: Promise<Pool> | undefined
  #closed = false

  constructor(address: string, limits: PostgresLimits) {
    this.#address = address
    this.#limits = limits
  }

  /** Sends a statement once. `UnknownOutcome` means that it may have been executed; any other error, that it was not. */
  async queryOnce(query: QueryConfig): Promise<readonly PgRow[]> {
    const client = await this.#connect()
    try {
      const { rows } = await client.query(query)
      client.release()
      return rows
    } catch (error) {
      const lost = isConnectionLost(error)
      client.release(lost)
      const fault = postgresFault(error)
      throw lost ? new UnknownOutcome(fault) : fault
    }
  }

  /** Sends an idempotent statement, and once more when the connection was lost. */
  async query(query: QueryConfig): Promise<readonly PgRow[]> {
    try {
      return await this.queryOnce(query)
    } catch (error) {
      if (!(error instanceof UnknownOutcome)) throw error
    }
    try {
      return await this.queryOnce(query)
    } catch (error) {
      throw error instanceof UnknownOutcome ? error.fault : error
    }
  }

  async close(): Promise<void> {
    const pool = this.#pool
    this.#closed = true
    this.#pool = undefined
    await (await pool)?.end()
  }

  async #connect() {
    if (this.#closed) throw new Error('the store is closed')
    this.#pool ??= this.#makePool()
    const pool = await this.#pool
    try {
      return await pool.connect()
    } catch (error) {
      throw postgresFault(error)
    }
  }

  async #makePool(): Promise<Pool> {
    const { Pool } = await import('pg')
    const { connections, connectMs, statementMs } = this.#limits
    const pool = new Pool({
      connectionString: this.#address,
      application_name: 'warrant',
      max: connections,
      connectionTimeoutMillis: connectMs,
      query_timeout: statementMs + SERVER_TIMEOUT_LEAD_MS,
      idleTimeoutMillis: IDLE_MS,
      allowExitOnIdle: true,
      keepAlive: true,
      onConnect: configureClient(this.#limits),
    })
    pool.on('error', () => {})
    return pool
  }
}
