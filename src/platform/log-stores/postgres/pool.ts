import type { ClientBase, Pool, QueryConfig } from 'pg'
import { storeFaults } from '../../../lineage/faults.ts'
import { isConnectionLost, postgresFault } from './faults.ts'

export interface PostgresLimits {
  /** Most connections at once. */
  readonly connections: number
  /** Longest a connection may take to come about, in milliseconds. */
  readonly connectMs: number
  /** Longest a statement may run, in milliseconds. */
  readonly statementMs: number
  /** How long the fate of an append is looked for when its connection was lost, in milliseconds. */
  readonly settleMs: number
}

export type PgRow = Readonly<Record<string, unknown>>

// The server's own word is worth more than ours, so it gets a head start.
const SERVER_TIMEOUT_LEAD_MS = 500
const IDLE_MS = 30_000

/** The question was sent and its connection lost: it was done, or it was not. */
export class UnknownOutcome extends Error {
  readonly fault: Error

  constructor(fault: Error) {
    super(fault.message)
    this.fault = fault
  }
}

/**
 * What we rely on, whatever the server's defaults are: that a commit is on disk when it is acknowledged,
 * that a waiting update looks again at what it waited for, and that nothing runs for ever.
 */
const SESSION = {
  text: `SELECT pg_is_in_recovery() AS replica,
  set_config('synchronous_commit', CASE current_setting('synchronous_commit')
    WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('statement_timeout', $1, false)`,
}

const configureClient = (limits: PostgresLimits) => async (client: ClientBase) => {
  // A connection that breaks while nobody waits for it must not end the process.
  client.on('error', () => {})
  const { rows } = await client.query(SESSION, [String(limits.statementMs)])
  if (rows[0]?.replica === true) throw storeFaults.unreachable('the database is a replica: it may lag behind')
}

/** A few connections to one database, made when they are needed and again when they were lost. */
export class Postgres {
  readonly #address: string
  readonly #limits: PostgresLimits
  #pool: Promise<Pool> | undefined
  #closed = false

  constructor(address: string, limits: PostgresLimits) {
    this.#address = address
    this.#limits = limits
  }

  /** Asks once. A `UnknownOutcome` when nobody knows whether it was done; any other failure means it was not. */
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

  /** Asks what may be asked twice: a connection that broke while it was idle is not the caller's business. */
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
