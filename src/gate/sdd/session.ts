import { defineFaults } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import type { Clock, LocalConfig } from '../../kernel/ports.ts'
import { type ChangeState, isChangeId } from './openspec.ts'

export const sessionFaults = defineFaults('session', {
  change_id: { kind: 'invalid', fix: 'Name a folder of openspec/changes, such as add-login.' },
  change_missing: {
    kind: 'missing',
    fix: 'Create the change with OpenSpec, or name one that exists in openspec/changes.',
  },
  change_archived: { kind: 'conflict', fix: 'Name a change that is not archived.' },
  not_open: { kind: 'conflict', fix: 'Open a session with `warrant sdd session --open --change ID`.' },
  too_long: { kind: 'invalid', fix: 'Use at most 525600 minutes (one year).' },
})

export interface SessionState {
  readonly repoRoot: string
  readonly active: boolean
  readonly changeId?: string
  readonly updatedAt?: string
  readonly expiresAt?: string
  readonly ttlMinutes?: number
  readonly valid: boolean
  readonly remainingSeconds?: number
}

const PREFIX = 'warrant.sdd.session.'
const KEYS = ['active', 'change', 'updatedAt', 'expiresAt', 'ttlMinutes'] as const
const DEFAULT_MINUTES = 45
const MAX_MINUTES = 525_600
const MINUTE_MS = 60_000

/** Rounds down to whole minutes, at least one; 45 for anything that is not a positive number. */
export const wholeMinutes = (minutes: number | undefined): number =>
  minutes === undefined || !Number.isFinite(minutes) || minutes <= 0
    ? DEFAULT_MINUTES
    : Math.max(1, Math.floor(minutes))

const secondsLeft = (expiresAt: string | undefined, now: number): number | undefined => {
  const end = Date.parse(expiresAt ?? '')
  return Number.isNaN(end) ? undefined : Math.max(0, Math.floor((end - now) / 1_000))
}

/** Reads the session from the keys under `warrant.`. Git lowercases the last part of a key. */
export const readSession = (
  keys: ReadonlyMap<string, string>,
  repoRoot: string,
  now: number,
): SessionState => {
  const [active, change, updatedAt, expiresAt, ttl] = KEYS.map(
    (key) => keys.get(`sdd.session.${key.toLowerCase()}`) ?? keys.get(`sdd.session.${key}`),
  )
  // The key is untrusted: an id that could leave openspec/changes is ignored.
  const changeId = change !== undefined && isChangeId(change) ? change : undefined
  const remainingSeconds = secondsLeft(expiresAt, now)
  const minutes = Number(ttl)
  return {
    repoRoot,
    active: active === 'true',
    ...optional({ changeId, updatedAt, expiresAt }),
    ...(Number.isFinite(minutes) && minutes > 0 && { ttlMinutes: minutes }),
    valid: active === 'true' && changeId !== undefined && (remainingSeconds ?? 0) > 0,
    ...optional({ remainingSeconds }),
  }
}

export interface SessionPorts {
  readonly repoRoot: string
  readonly config: LocalConfig
  readonly clock: Clock
  readonly findChange: (id: string) => Promise<ChangeState>
}

const currentSession = async ({ config, repoRoot, clock }: SessionPorts, signal: AbortSignal) =>
  readSession(await config.read('warrant.', signal), repoRoot, clock.now())

const saveSession = async (
  ports: SessionPorts,
  { change, minutes }: { readonly change: string; readonly minutes: number },
  signal: AbortSignal,
) => {
  if (minutes > MAX_MINUTES) throw sessionFaults.too_long(`a session of ${minutes} minutes is too long`)
  const now = ports.clock.now()
  const at = (ms: number) => new Date(ms).toISOString()
  const values = ['true', change, at(now), at(now + minutes * MINUTE_MS), String(minutes)]
  await ports.config.write(new Map(KEYS.map((key, place) => [`${PREFIX}${key}`, values[place]])), signal)
  return currentSession(ports, signal)
}

const requireOpen = async (ports: SessionPorts, id: string): Promise<void> => {
  if (!isChangeId(id))
    throw sessionFaults.change_id(`${JSON.stringify(id.slice(0, 128))} is not a valid change id`)
  const state = await ports.findChange(id)
  if (state === 'archived') throw sessionFaults.change_archived(`the change ${id} is archived`)
  if (state === 'missing') throw sessionFaults.change_missing(`the change ${id} does not exist`)
}

/** Opens a session: work in this repository belongs to the change until the session expires. */
export const openSession = async (
  ports: SessionPorts,
  { change, minutes }: { readonly change: string; readonly minutes?: number | undefined },
  signal: AbortSignal,
): Promise<SessionState> => {
  await requireOpen(ports, change)
  return saveSession(ports, { change, minutes: wholeMinutes(minutes) }, signal)
}

export const refreshSession = async (
  ports: SessionPorts,
  minutes: number | undefined,
  signal: AbortSignal,
): Promise<SessionState> => {
  const { active, changeId, ttlMinutes } = await currentSession(ports, signal)
  if (!active || changeId === undefined) throw sessionFaults.not_open('no session is open')
  return saveSession(ports, { change: changeId, minutes: wholeMinutes(minutes ?? ttlMinutes) }, signal)
}

export const closeSession = async (ports: SessionPorts, signal: AbortSignal): Promise<SessionState> => {
  await ports.config.write(new Map(KEYS.map((key) => [`${PREFIX}${key}`, undefined])), signal)
  return currentSession(ports, signal)
}
