import { relative, resolve } from 'node:path'
import { locateRepository } from '../../app/open/repository.ts'
import { eventLog } from '../../app/open/user-state.ts'
import { loadSettings } from '../../app/process-context.ts'
import { type EventLine, readEventLine } from '../../hooks/event-line.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { plural } from '../../kernel/text/plural.ts'
import type { EventLog } from '../../platform/files/event-log.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { repositoryFaults } from '../../setup/git-hooks/ports.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { printOutput, readCount, textFlag } from '../command/subcommand.ts'
import { writeTable } from '../command/text-table.ts'
import { LOG_VERBS } from './options.ts'

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

/** Words that each line of the answer holds, one of each group: most other lines need not be parsed. */
const wordsOf = ({ client, session, path, refused }: EventFilter): string[][] => [
  ...[client, session, path].flatMap((word) =>
    word === undefined ? [] : [[JSON.stringify(word).slice(1, -1)]],
  ),
  ...(refused ? [['"refused"', '"asked"']] : []),
]

function* linesFromEnd(bytes: Buffer): Generator<string> {
  for (let end = bytes.lastIndexOf(10); end > 0; ) {
    const start = bytes.lastIndexOf(10, end - 1)
    yield bytes.toString('utf8', start + 1, end)
    end = start
  }
}

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
  const mayMatch = (text: string | Buffer) =>
    words.every((group) => group.some((word) => text.includes(word)))
  let unsealed = 0
  for (const day of await log.days()) {
    if (Date.parse(day) + (SPANS.d ?? 0) < filter.since) break
    const bytes = await log.read(day)
    if (bytes === undefined) continue
    for (let at = bytes.indexOf(10, sealed.get(day) ?? 0); at >= 0; at = bytes.indexOf(10, at + 1))
      unsealed += 1
    if (!mayMatch(bytes)) continue
    for (const text of linesFromEnd(bytes)) {
      if (events.length >= limit) break
      const line = mayMatch(text) ? readEventLine(text) : undefined
      if (line !== undefined && isWanted(line, filter)) events.push(line)
    }
  }
  return { events, unsealed }
}

const showEvent = (
  { at, client, session, what, paths = [], command, verdict, rule, rules }: EventLine,
  root: string,
): string[] => {
  const names = paths.map((path) => (isPathInside(root, path) ? relative(root, path) : path))
  const reasons = [rule, ...(rules ?? [])].filter((one) => one !== undefined).join(' ')
  const did = command === undefined ? [what, ...names] : [...(what === 'ran' ? [what] : []), command]
  return [
    at.slice(5, 16).replace('T', ' '),
    client,
    session?.slice(0, 8) ?? '',
    verdict,
    `${did.join(' ')}${reasons === '' ? '' : ` (${reasons})`}`,
  ]
}

/** Lists what agents did in this repository, newest first. */
const listEvents = async (invocation: Invocation): Promise<number> => {
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
    writeTable(
      ['time (UTC)', 'client', 'session', 'verdict', 'what'],
      found.events.map((one) => showEvent(one, root)),
    )
  const note = `${plural(found.unsealed, 'event')} not sealed yet: the next run of the gate does that.`
  return printOutput(invocation, found, () =>
    [
      found.events.length === 0 ? 'No events of agents match.' : table(),
      ...(found.unsealed > 0 ? ['', note] : []),
    ].join('\n'),
  )
}

/** The subcommands that use an option. */
const OPTION_USERS: Readonly<Record<string, readonly string[]>> = {
  bundle: ['export'],
  checkpoint: ['verify', 'consistency'],
  key: ['verify', 'consistency'],
  reason: ['erase'],
  tlog: ['prove'],
  limit: ['', 'entries'],
  operation: ['entries'],
  since: ['', 'entries'],
  client: [''],
  session: [''],
  path: [''],
  refused: [''],
  svg: ['graph'],
  dot: ['graph'],
  mermaid: ['graph'],
}

const isVerb = (verb: string): boolean => verb === '' || LOG_VERBS.includes(verb)

/** The command without a verb; undefined with one. What it needs is loaded alone, because it is asked for often. */
export const runBare = async (invocation: Invocation): Promise<number | undefined> => {
  const [verb = ''] = invocation.positionals
  // An ignored option would look as if it had been used, such as a checkpoint to compare with.
  for (const [flag, names] of Object.entries(OPTION_USERS))
    if (invocation.flags[flag] !== undefined && isVerb(verb) && !names.includes(verb))
      throw usageFaults.option(`${['log', verb].join(' ').trim()} takes no --${flag}`)
  return verb === '' ? listEvents(invocation) : undefined
}
