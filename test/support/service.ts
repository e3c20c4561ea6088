import { setImmediate as turn } from 'node:timers/promises'
import { buildCatalog, type Toolset } from '../../src/kernel/catalog.ts'
import { ChangeEmitter } from '../../src/kernel/change-events.ts'
import { createInvoke } from '../../src/kernel/invoke.ts'
import { DEFAULT_LIMITS, type Limits } from '../../src/kernel/limits.ts'
import type { CallRecord, Clock, Log, LogLevel } from '../../src/kernel/ports.ts'
import { Connection } from '../../src/mcp/connection.ts'
import { DIALECTS, type DialectName } from '../../src/mcp/dialect.ts'
import { Service } from '../../src/mcp/service.ts'
import { systemClock } from '../../src/platform/system/clock.ts'
import { within } from './binary.ts'
import { type Message, readMessage } from './messages.ts'

const SETTLE_MS = 5_000

interface ServiceOptions {
  readonly toolset: Omit<Toolset, 'name' | 'title'>
  readonly dialect?: DialectName
  readonly limits?: Partial<Limits>
  readonly clock?: Clock
  /** False for long runs: nobody reads a million records. */
  readonly keepLogs?: boolean
}

export interface TestService {
  readonly service: Service
  readonly logged: readonly { readonly level: LogLevel; readonly message: string; readonly fields: object }[]
  readonly records: readonly CallRecord[]
}

/** The production kernel and MCP face over tools of the test's own. */
export const makeService = (options: ServiceOptions): TestService => {
  const { toolset, dialect = 'standard', clock = systemClock, keepLogs = true } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const logged: TestService['logged'][number][] = []
  const records: CallRecord[] = []
  const log: Log = {
    write(level, message, fields = {}) {
      if (keepLogs) logged.push({ level, message, fields })
    },
  }
  const service = new Service({
    identity: { name: 'test', title: 'Test', version: '1.2.3' },
    instructions: 'Only for tests.',
    catalog: buildCatalog([{ name: 'test', title: 'Test', ...toolset }], {
      toolsets: [],
      tools: [],
      excludeTools: [],
      readOnly: false,
    }),
    invoke: createInvoke({
      clock,
      log,
      recorder: {
        record(call) {
          if (keepLogs) records.push(call)
        },
      },
      limits,
      guards: [],
    }),
    dialect: DIALECTS[dialect],
    limits,
    clock,
    log,
    changes: new ChangeEmitter(),
  })
  return { service, logged, records }
}

/** A connection in this process and every line it sent. */
export class Wire {
  readonly lines: string[] = []
  readonly connection: Connection

  constructor({ service }: TestService, options: { readonly direct: boolean }) {
    this.connection = new Connection(service, (line) => this.lines.push(line), options)
  }

  send(...lines: readonly string[]): void {
    for (const line of lines) this.connection.receive(line)
  }

  /** Sends, waits until everything is answered, and returns all messages so far. */
  async ask(...lines: readonly string[]): Promise<readonly Message[]> {
    this.send(...lines)
    await within(this.connection.settled(), SETTLE_MS, 'the last answer')
    await turn()
    return this.messages
  }

  get messages(): readonly Message[] {
    return this.lines.map(readMessage)
  }
}
