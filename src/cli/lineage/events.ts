import { resolve } from 'node:path'
import { SEALED_EVENTS } from '../../app/open/hooks/record.ts'
import { locateRepository } from '../../app/open/repository.ts'
import { eventLog } from '../../app/open/user-state.ts'
import { loadSettings } from '../../app/process-context.ts'
import { type EventLine, readEventLine } from '../../hooks/event-line.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { plural } from '../../kernel/text/plural.ts'
import { readEntry, readPayload, readRows } from '../../lineage/read-rows.ts'
import type { LogReader } from '../../lineage/store.ts'
import { type EventLog, KEPT_MS } from '../../platform/files/event-log.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { repositoryFaults } from '../../setup/git-hooks/ports.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { printOutput, readCount, type Subcommand, textFlag } from '../command/subcommand.ts'
import { writeTable } from '../command/text-table.ts'

const DEFAULT_EVENTS = 30
const SPANS: Readonly<Record<string, number>> = { h: 3_600_000, d: 24 * 3_600_000, w: 7 * 24 * 3_600_000 }

/** A time, or how long ago: `7d`. */
export const readSince = (invocation: Invocation): number => {
  const since = textFlag(invocation, 'since')
  if (since === undefined) return Number.NEGATIVE_INFINITY
  const [, count, unit = ''] = /^(\d{1,4})([hdw])$/.exec(since) ?? []
  const at = count === undefined ? Date.parse(since) : systemClock.now() - Number(count) * (SPANS[unit] ?? 0)
  if (Number.isNaN(at))
    throw usageFaults.option('--since must be a time or a span, such as 2026-01-31, 7d or 12h')
  return at
}

interface EventFilter {
  readonly since: number
  readonly client: string | undefined
  readonly session: string | undefined
  readonly path: string | undefined
  readonly refused: boolean
}

const isWanted = (line: EventLine, { since, client, session, path, refused }: EventFilter): boolean =>
  Date.parse(line.at) >= since &&
  (client === undefined || line.client === client) &&
  (session === undefined || line.session?.startsWith(session) === true) &&
  (path === undefined || line.paths?.some((one) => one.includes(path)) === true) &&
  (!refused || line.verdict === 'refused' || line.verdict === 'asked')

/** Words that each line of the answer holds: most other lines need not be parsed. */
const wordsOf = ({ client, session, path }: EventFilter): string[] =>
  [client, session, path].flatMap((word) => (word === undefined ? [] : JSON.stringify(word).slice(1, -1)))

interface FoundEvents {
  readonly events: readonly EventLine[]
  /** Events that the log of decisions does not name yet. */
  readonly unsealed: number
}

/** The newest events that match. */
const findEvents = async (log: EventLog, filter: EventFilter, limit: number): Promise<FoundEvents> => {
  const events: EventLine[] = []
  const sealed = await log.sealedBytes()
  const words = wordsOf(filter)
  let unsealed = 0
  for (const day of await log.days()) {
    if (Date.parse(day) + (SPANS.d ?? 0) < filter.since) break
    const bytes = await log.read(day)
    if (bytes === undefined) continue
    for (let at = bytes.indexOf(10, sealed.get(day) ?? 0); at >= 0; at = bytes.indexOf(10, at + 1))
      unsealed += 1
    const lines = bytes.toString('utf8').split('\n')
    for (let at = lines.length - 1; at >= 0 && events.length < limit; at--) {
      const text = lines[at] ?? ''
      if (filter.refused && !text.includes('"refused"') && !text.includes('"asked"')) continue
      if (!words.every((word) => text.includes(word))) continue
      const line = readEventLine(text)
      if (line !== undefined && isWanted(line, filter)) events.push(line)
    }
  }
  return { events, unsealed }
}

const showEvent = ({
  at,
  client,
  session,
  what,
  paths,
  command,
  verdict,
  rule,
  rules,
}: EventLine): string[] => [
  at.slice(0, 19).replace('T', ' '),
  client,
  session?.slice(0, 8) ?? '',
  [what, ...(paths ?? []), ...(command === undefined ? [] : [command])].join(' '),
  verdict,
  [rule, ...(rules ?? [])].filter((one) => one !== undefined).join(' '),
]

/** Lists what agents did in this repository, newest first. */
export const listEvents: Subcommand = async (invocation) => {
  const { config } = loadSettings(invocation)
  const root = await locateRepository(config, resolve(config.root))
  if (root === undefined)
    throw repositoryFaults.absent('this folder is not in the working tree of a git repository')
  const limit = readCount(textFlag(invocation, 'limit') ?? String(DEFAULT_EVENTS), '--limit')
  const filter = {
    since: readSince(invocation),
    client: textFlag(invocation, 'client'),
    session: textFlag(invocation, 'session'),
    path: textFlag(invocation, 'path'),
    refused: invocation.flags.refused === true,
  }
  const found = await findEvents(eventLog(root, process.env), filter, limit)
  const table = () =>
    writeTable(['time (UTC)', 'client', 'session', 'what', 'verdict', 'rule'], found.events.map(showEvent))
  const note = `${plural(found.unsealed, 'event')} not sealed yet: the next run of the gate does that.`
  return printOutput(invocation, found, () =>
    [
      found.events.length === 0 ? 'No events of agents match.' : table(),
      ...(found.unsealed > 0 ? ['', note] : []),
    ].join('\n'),
  )
}

/** The days whose events are not those that the log of decisions sealed. Days that are too old are kept no more. */
export const checkEvents = async (root: string, log: LogReader): Promise<readonly string[]> => {
  const events = eventLog(root, process.env)
  const broken = new Set<string>()
  for await (const row of readRows(log)) {
    if (readEntry(row).operation !== SEALED_EVENTS) continue
    const { verdict } = readPayload(row)
    const { day, from, to, digest } = isRecord(verdict) ? verdict : {}
    if (typeof day !== 'string' || typeof from !== 'number' || typeof to !== 'number') continue
    if (systemClock.now() - Date.parse(day) > KEPT_MS) continue
    const bytes = await events.read(day)
    if (bytes === undefined || digestBytes(bytes.subarray(from, to)) !== digest) broken.add(day)
  }
  return [...broken].sort()
}
