import { isRecord } from '../../../kernel/encoding/json.ts'
import { Fault, type FaultMaker } from '../../../kernel/fault.ts'
import { optional } from '../../../kernel/optional.ts'
import { storeFaults } from '../../../lineage/faults.ts'

interface ErrorMapping {
  readonly code: RegExp
  readonly fault: FaultMaker
  readonly message: string
  readonly fix?: string
}

/** By SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html); the first match wins. */
const ERROR_MAPPINGS: readonly ErrorMapping[] = [
  {
    code: /^(28|3D|42501)/,
    fault: storeFaults.address,
    message: 'the database denies access',
    fix: 'Check user, password and database in the --store address, and that the user may create a schema.',
  },
  { code: /^25006/, fault: storeFaults.unreachable, message: 'the database is read-only' },
  { code: /^(53100|54)/, fault: storeFaults.full, message: 'the database is full' },
  { code: /^(40|55|57014)/, fault: storeFaults.busy, message: 'the database took too long' },
  { code: /^(08|53|57|58)/, fault: storeFaults.unreachable, message: 'the database is not available' },
  // Our statements are fixed, so tables that do not match them were changed.
  { code: /^(22|23|3F|42|XX00[12])/, fault: storeFaults.damaged, message: 'the tables are damaged' },
]

// The connection was lost: the statement may or may not have been executed.
const CONNECTION_LOST = /^(08|57P0)/

// Only errors of the server have a severity; other codes, such as EPIPE, are from the system and no SQLSTATE.
const sqlState = (error: unknown): string | undefined =>
  isRecord(error) && typeof error.severity === 'string' && typeof error.code === 'string'
    ? error.code
    : undefined

/** Whether the connection was lost, so that the outcome of the statement is unknown. */
export const isConnectionLost = (error: unknown): boolean => CONNECTION_LOST.test(sqlState(error) ?? '08000')

// The driver attaches its client, which holds the password, to some errors.
const causeWithoutClient = (error: unknown): Error => {
  const { code, message } = isRecord(error) ? error : { message: error }
  return new Error(code === undefined ? String(message) : `${code}: ${message}`)
}

/** The fault for a PostgreSQL error. Server errors that are not in the table are bugs. */
export const postgresFault = (error: unknown): Error => {
  if (error instanceof Fault) return error
  const state = sqlState(error)
  const cause = causeWithoutClient(error)
  if (state === undefined) return storeFaults.unreachable('the database does not answer', { cause })
  const mapping = ERROR_MAPPINGS.find(({ code }) => code.test(state))
  if (mapping === undefined) return cause
  const { fault, message, fix } = mapping
  return fault(message, { cause, ...optional({ fix }) })
}
