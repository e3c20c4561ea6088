import { Fault, type FaultMaker } from '../../../kernel/fault.ts'
import { storeFaults } from '../../../lineage/faults.ts'

interface ErrorMapping {
  readonly code: RegExp
  readonly fault: FaultMaker
  readonly message: string
  readonly fix?: string
}

/** By SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html), the first that fits. */
const ERROR_MAPPINGS: readonly ErrorMapping[] = [
  {
    code: /^(28|3D|42501)/,
    fault: storeFaults.address,
    message: 'the database does not let us in',
    fix: 'Check user, password and database in the --store address, and that the user may create a schema.',
  },
  { code: /^25006/, fault: storeFaults.unreachable, message: 'the database only answers reads' },
  { code: /^(53100|54)/, fault: storeFaults.full, message: 'the database has no room' },
  { code: /^(40|55|57014)/, fault: storeFaults.busy, message: 'the database took too long' },
  { code: /^(08|53|57|58)/, fault: storeFaults.unreachable, message: 'the database is not available' },
  // Our statements never change, so tables that do not fit them are not ours any more.
  { code: /^(22|23|3F|42|XX00[12])/, fault: storeFaults.damaged, message: 'the tables are damaged' },
]

// The answer may have been on its way when these came: the work may be done, or not.
const CONNECTION_LOST = /^(08|57P0)/

// Only the server gives a severity; without it the code is the system's, and EPIPE looks like any other.
const sqlState = (error: unknown): string | undefined => {
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown }
  return typeof severity === 'string' && typeof code === 'string' ? code : undefined
}

/** Whether the connection went away with the question, so that nobody knows what became of it. */
export const isConnectionLost = (error: unknown): boolean => CONNECTION_LOST.test(sqlState(error) ?? '08000')

// The driver hangs its client on some errors, and that has the password.
const causeWithoutClient = (error: unknown): Error => {
  const { code, message } = error as NodeJS.ErrnoException
  return new Error(code === undefined ? message : `${code}: ${message}`)
}

/** What a caller may know of a failure. An answer that is not in the table is a bug and stays what it is. */
export const postgresFault = (error: unknown): Error => {
  if (error instanceof Fault) return error
  const state = sqlState(error)
  const cause = causeWithoutClient(error)
  if (state === undefined) return storeFaults.unreachable('the database does not answer', { cause })
  const mapping = ERROR_MAPPINGS.find(({ code }) => code.test(state))
  if (mapping === undefined) return cause
  const { fault, message, fix } = mapping
  return fault(message, { cause, ...(fix !== undefined && { fix }) })
}
