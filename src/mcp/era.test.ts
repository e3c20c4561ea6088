import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../kernel/limits.ts'
import { ManualClock } from '../kernel/manual-clock.fake.ts'
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

describe('the era of a message', () => {
  it.each([
    ['a request without an envelope', request('tools/list'), 'legacy'],
    ['initialize', request('initialize'), 'legacy'],
    ['a notification without an envelope', notification(), 'legacy'],
    ['a request with an envelope', request('tools/list', { _meta }), 'modern'],
    ['a notification with an envelope', notification({ _meta }), 'modern'],
  ])('is that of %s', (_, message, expected) => {
    expect(begin().classify(message)).toBe(expected)
  })

  it('does not depend on what came before', () => {
    const era = begin()
    const modern = request('tools/list', { _meta })
    expect(era.classify(modern)).toBe('modern')
    expect(era.hasLegacy).toBe(false)
    expect(era.classify(request('initialize'))).toBe('legacy')
    expect(era.hasLegacy).toBe(true)
    expect(era.classify(modern)).toBe('modern')
    expect(era.classify(request('tools/list'))).toBe('legacy')
  })

  it('is told apart without an envelope where the client has used only envelopes', () => {
    const era = begin()
    era.classify(request('server/discover', { _meta }))
    expect(era.classify(notification({ _meta }))).toBe('modern')
    era.classify(request('tools/list', { _meta }))
    expect(era.classify(request('tools/list'))).toBe('unenveloped')
  })

  it('is legacy without an envelope after server/discover, the probe of both eras', () => {
    const era = begin()
    era.classify(request('server/discover', { _meta }))
    expect(era.classify(request('tools/list'))).toBe('legacy')
  })

  it('waits for the schema of the SDK when an envelope is unusual', () => {
    const unusual = request('tools/list', { _meta: { ..._meta, [VERSION_KEY]: '2099-01-01' } })
    const era = begin()
    expect(era.classify(unusual)).toBeUndefined()
    era.useSchema(() => false)
    expect(era.classify(unusual)).toBe('broken')
    expect(era.classify(request('tools/list'))).toBe('legacy')
    era.useSchema(() => true)
    expect(era.classify(unusual)).toBe('modern')
  })

  it('leaves the version of the newest initialize', () => {
    const era = begin()
    expect(era.negotiated).toBeUndefined()
    era.classify(request('initialize', { protocolVersion: '2025-03-26' }))
    expect(era.negotiated).toBe('2025-03-26')
    era.classify(request('initialize', { protocolVersion: '1999-01-01' }))
    expect(era.negotiated).toBe('2025-11-25')
  })
})

describe('a handshake', () => {
  it('is answered in the era of the request only', () => {
    const era = begin()
    expect(era.answerHandshake(request('ping'), 'legacy', true)).toBe('{}')
    expect(era.answerHandshake(request('server/discover', { _meta }), 'legacy', false)).toBeUndefined()
    const result = era.answerHandshake(
      request('initialize', { protocolVersion: '2025-06-18' }),
      'legacy',
      false,
    )
    expect(JSON.parse(result ?? '')).toMatchObject({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
    })
    expect(era.answerHandshake(request('ping'), 'modern', false)).toBeUndefined()
    expect(era.answerHandshake(request('server/discover', { _meta }), 'modern', false)).toContain(MODERN)
  })

  it('is left to the SDK when it is loaded, or when initialize carries metadata', () => {
    const era = begin()
    expect(era.answerHandshake(request('initialize'), 'legacy', true)).toBeUndefined()
    expect(era.answerHandshake(request('initialize', { _meta: {} }), 'legacy', false)).toBeUndefined()
  })
})

describe('the handshake that is replayed to the SDK', () => {
  it('is initialize as it was answered, with its members repaired', () => {
    const era = begin()
    era.classify(request('tools/list'))
    expect(era.replay()).toBeUndefined()
    era.answerHandshake(request('initialize', { clientInfo: { name: 'x' } }), 'legacy', false)
    expect(era.replay()).toMatchObject({
      id: REPLAY_ID,
      method: 'initialize',
      params: { clientInfo: { name: 'x', version: '0' } },
    })
  })
})
