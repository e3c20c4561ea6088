import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../../kernel/limits.ts'
import { ManualClock } from '../../kernel/manual-clock.fake.ts'
import { DIALECTS } from './dialect.ts'
import { CAPABILITIES_KEY, VERSION_KEY } from './envelope.ts'
import { EraNegotiation, REPLAY_ID } from './era.ts'
import { MODERN } from './handshake.ts'

const handshake = {
  identity: { name: 'test', version: '1' },
  capabilities: { tools: {} },
  dialect: DIALECTS.standard,
  limits: DEFAULT_LIMITS,
  clock: new ManualClock(),
  log: { write() {} },
}
const begin = () => new EraNegotiation(handshake)

const _meta = { [VERSION_KEY]: MODERN, [CAPABILITIES_KEY]: {} }
const request = (method: string, params?: object) =>
  ({ jsonrpc: '2.0', id: 1, method, ...(params && { params: params as Record<string, unknown> }) }) as const
const notification = (params?: object) =>
  ({ jsonrpc: '2.0', method: 'notifications/x', ...(params && { params: { ...params } }) }) as const

describe('the era of a connection', () => {
  it.each([
    ['a request without an envelope', request('initialize'), true],
    ['a notification without an envelope', notification(), true],
    ['a request with an envelope', request('tools/list', { _meta }), false],
    ['a notification with an envelope', notification({ _meta }), false],
  ])('is settled by %s', (_, message, isLegacy) => {
    const era = begin()
    expect(era.settle(message)).toBe(true)
    expect(era).toMatchObject({ isSettled: true, isLegacy })
  })

  it('stays open after server/discover, until another request decides', () => {
    const era = begin()
    era.settle(request('server/discover', { _meta }))
    era.settle(notification({ _meta }))
    expect(era.isSettled).toBe(false)
    era.settle(request('initialize'))
    expect(era.isLegacy).toBe(true)
  })

  it('waits for the schema of the SDK when an envelope is unusual, and stays open when it is broken', () => {
    const unusual = request('tools/list', { _meta: { ..._meta, [VERSION_KEY]: '2099-01-01' } })
    const era = begin()
    expect(era.settle(unusual)).toBe(false)
    era.useSchema(() => false)
    expect(era.settle(unusual)).toBe(true)
    expect(era.isSettled).toBe(false)
    era.useSchema(() => true)
    era.settle(unusual)
    expect(era).toMatchObject({ isSettled: true, isLegacy: false })
  })
})

describe('a handshake', () => {
  it('is answered in the era of the client only', () => {
    const legacy = begin()
    legacy.settle(request('initialize'))
    expect(legacy.answerHandshake(request('ping'), true)).toBe('{}')
    expect(legacy.answerHandshake(request('server/discover', { _meta }), false)).toBeUndefined()
    const result = legacy.answerHandshake(request('initialize', { protocolVersion: '2025-06-18' }), false)
    expect(JSON.parse(result ?? '')).toMatchObject({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
    })
    const modern = begin()
    expect(modern.answerHandshake(request('ping'), false)).toBeUndefined()
    expect(modern.answerHandshake(request('server/discover'), false)).toBeUndefined()
    expect(modern.answerHandshake(request('server/discover', { _meta }), false)).toContain(MODERN)
  })

  it('is left to the SDK when it is loaded, or when initialize carries metadata', () => {
    const era = begin()
    era.settle(request('initialize'))
    expect(era.answerHandshake(request('initialize'), true)).toBeUndefined()
    expect(era.answerHandshake(request('initialize', { _meta: {} }), false)).toBeUndefined()
  })
})

describe('the message that is replayed to the SDK', () => {
  it('is none while nothing is agreed', () => {
    expect(begin().replay()).toBeUndefined()
  })

  it('repeats server/discover, then initialize', () => {
    const era = begin()
    era.settle(request('server/discover', { _meta }))
    expect(era.replay()).toMatchObject({ id: REPLAY_ID, method: 'server/discover', params: { _meta } })
    era.settle(request('initialize'))
    era.answerHandshake(request('initialize', { clientInfo: { name: 'x' } }), false)
    expect(era.replay()).toMatchObject({
      id: REPLAY_ID,
      method: 'initialize',
      params: { clientInfo: { name: 'x', version: '0' } },
    })
  })

  it.each([
    ['legacy', request('tools/list'), undefined],
    ['modern', request('tools/list', { _meta }), _meta],
  ])('settles a %s era without a handshake by a harmless notification', (_, message, meta) => {
    const era = begin()
    era.settle(message)
    const params = { requestId: REPLAY_ID, ...(meta && { _meta: meta }) }
    expect(era.replay()).toEqual({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
  })
})
