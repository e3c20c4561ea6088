import { describe, expect, it } from 'vitest'
import type { ChangeState } from './openspec.ts'
import {
  closeSession,
  openSession,
  readSession,
  refreshSession,
  type SessionPorts,
  wholeMinutes,
} from './session.ts'

const START = Date.parse('2026-11-15T10:00:00.000Z')
const { signal } = new AbortController()

/** Keys as git keeps them: it folds the case of the last part of a name. */
const createSession = (change: ChangeState = 'open', keys = new Map<string, string>()) => {
  let now = START
  const ports: SessionPorts = {
    repoRoot: '/r',
    config: {
      read: async (prefix) =>
        new Map([...keys].map(([key, value]) => [key.slice(prefix.length).toLowerCase(), value])),
      async write(values) {
        for (const [key, value] of values) {
          if (value === undefined) keys.delete(key)
          else keys.set(key, value)
        }
      },
    },
    clock: { now: () => now, elapsed: () => now, after: () => () => {} },
    findChange: async () => change,
  }
  return { ports, keys, pass: (ms: number) => (now += ms) }
}

describe('a session', () => {
  it('opens for an existing change, for 45 minutes by default', async () => {
    const { ports, keys } = createSession()
    expect(await openSession(ports, { change: 'add-login' }, signal)).toEqual({
      repoRoot: '/r',
      active: true,
      changeId: 'add-login',
      updatedAt: '2026-11-15T10:00:00.000Z',
      expiresAt: '2026-11-15T10:45:00.000Z',
      ttlMinutes: 45,
      valid: true,
      remainingSeconds: 2_700,
    })
    expect([...keys.keys()].sort()).toEqual(
      ['active', 'change', 'expiresAt', 'ttlMinutes', 'updatedAt'].map((key) => `warrant.sdd.session.${key}`),
    )
  })

  it.each([
    ['missing', 'session.change_missing'],
    ['archived', 'session.change_archived'],
  ] as const)('does not open on a change that is %s, and writes nothing', async (state, code) => {
    const { ports, keys } = createSession(state)
    await expect(openSession(ports, { change: 'a', minutes: 5 }, signal)).rejects.toMatchObject({ code })
    expect(keys.size).toBe(0)
  })

  it.each(['../x', '', 'a/b', 'a\nb'])('does not open on %j, and writes nothing', async (id) => {
    const { ports, keys } = createSession()
    await expect(openSession(ports, { change: id, minutes: 5 }, signal)).rejects.toMatchObject({
      code: 'session.change_id',
    })
    expect(keys.size).toBe(0)
  })

  it('runs out, and lasts again when refreshed', async () => {
    const { ports, pass } = createSession()
    await openSession(ports, { change: 'a', minutes: 10 }, signal)
    pass(11 * 60_000)
    const keys = await ports.config.read('warrant.', signal)
    expect(readSession(keys, '/r', ports.clock.now())).toMatchObject({
      active: true,
      valid: false,
      remainingSeconds: 0,
    })
    expect(await refreshSession(ports, undefined, signal)).toMatchObject({
      valid: true,
      ttlMinutes: 10,
      remainingSeconds: 600,
    })
    expect(await refreshSession(ports, 3, signal)).toMatchObject({ ttlMinutes: 3, remainingSeconds: 180 })
  })

  it('is refreshed for 45 minutes when what is stored makes no sense', async () => {
    for (const stored of ['0', '-5', 'NaN', 'soon', '']) {
      const { ports } = createSession(
        'open',
        new Map([
          ['warrant.sdd.session.active', 'true'],
          ['warrant.sdd.session.change', 'a'],
          ['warrant.sdd.session.ttlMinutes', stored],
        ]),
      )
      expect(await refreshSession(ports, undefined, signal)).toMatchObject({ ttlMinutes: 45 })
    }
  })

  it('cannot be refreshed when none is open', async () => {
    const { ports, keys } = createSession()
    await expect(refreshSession(ports, 5, signal)).rejects.toMatchObject({ code: 'session.not_open' })
    expect(keys.size).toBe(0)
  })

  it('leaves nothing behind when it is closed', async () => {
    const { ports, keys } = createSession()
    await openSession(ports, { change: 'a', minutes: 5 }, signal)
    expect(await closeSession(ports, signal)).toEqual({ repoRoot: '/r', active: false, valid: false })
    expect(keys.size).toBe(0)
  })

  it('is refused for longer than a year', async () => {
    const { ports, keys } = createSession()
    await expect(openSession(ports, { change: 'a', minutes: 1e12 }, signal)).rejects.toMatchObject({
      code: 'session.too_long',
    })
    expect(keys.size).toBe(0)
  })

  it('is not valid with an unsafe change id in the configuration', () => {
    const stored = (change: string, expiresAt: string) =>
      readSession(
        new Map([
          ['sdd.session.active', 'true'],
          ['sdd.session.change', change],
          ['sdd.session.expiresat', expiresAt],
        ]),
        '/r',
        START,
      )
    const later = '2026-11-15T11:00:00.000Z'
    expect(stored('a', later)).toMatchObject({ valid: true })
    expect(stored('../../etc', later)).toMatchObject({ valid: false })
    expect(stored('../../etc', later)).not.toHaveProperty('changeId')
    expect(stored('a', 'whenever')).toMatchObject({ valid: false })
    expect(stored('a', 'whenever')).not.toHaveProperty('remainingSeconds')
    expect(stored('a', '2000-01-01T00:00:00.000Z')).toMatchObject({ valid: false, remainingSeconds: 0 })
  })
})

describe('minutes', () => {
  it.each([
    [undefined, 45],
    [0, 45],
    [-1, 45],
    [Number.NaN, 45],
    [Number.POSITIVE_INFINITY, 45],
    [12.9, 12],
    [0.5, 1],
  ])('%s count as %i', (given, counted) => {
    expect(wholeMinutes(given)).toBe(counted)
  })
})
