import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { accessGuard, isLoopback } from './guards.ts'

const judge = (headers: object, rules: Partial<Parameters<typeof accessGuard>[0]> = {}, open = false) =>
  accessGuard({ allowedHosts: [], allowedOrigins: [], token: undefined, ...rules })(
    { headers, rawHeaders: Object.entries(headers).flat() } as IncomingMessage,
    open,
  )?.status

describe('the guard', () => {
  it.each([
    ['localhost', undefined],
    ['LOCALHOST:7331', undefined],
    ['127.0.0.1:1', undefined],
    ['[::1]:7331', undefined],
    ['evil.example', 403],
    ['localhost.evil.example', 403],
    ['localhost@evil.example', 403],
    ['evil.example#localhost', 403],
    ['localhost:7331:80', 403],
    ['localhost.', 403],
    ['127.0.0.1.evil.example', 403],
    ['2130706433', 403],
    ['', 403],
    [undefined, 403],
  ])('judges the host %s', (host, status) => {
    expect(judge({ host })).toBe(status)
  })

  it.each([
    [undefined, undefined],
    ['http://localhost:3000', undefined],
    ['https://127.0.0.1', undefined],
    ['http://[::1]:9', undefined],
    ['null', 403],
    ['http://evil.example', 403],
    ['http://localhost.evil.example', 403],
    ['file://', 403],
    ['chrome-extension://localhost', 403],
    ['localhost', 403],
    ['', 403],
  ])('judges the origin %s', (origin, status) => {
    expect(judge({ host: 'localhost', ...(origin !== undefined && { origin }) })).toBe(status)
  })

  // A picture, a script or a link of a page asks without an origin; the browser says all the same whose page it is.
  it.each([
    ['none', undefined],
    ['same-origin', undefined],
    ['same-site', undefined],
    ['cross-site', 403],
  ])('judges a request without an origin by Sec-Fetch-Site %s', (site, status) => {
    expect(judge({ host: 'localhost', 'sec-fetch-site': site })).toBe(status)
    expect(judge({ host: 'localhost', 'sec-fetch-site': site }, {}, true)).toBe(status)
  })

  it('lets in an origin that was named, though it is another site', () => {
    const headers = { host: 'localhost', origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }
    expect(judge(headers, { allowedOrigins: ['app.example'] })).toBeUndefined()
  })

  it('lets in the hosts and origins that were named, and no others', () => {
    const rules = { allowedHosts: ['warrant.example'], allowedOrigins: ['app.example'] }
    expect(judge({ host: 'Warrant.Example:443', origin: 'https://app.example' }, rules)).toBeUndefined()
    expect(judge({ host: 'warrant.example', origin: 'https://warrant.example' }, rules)).toBe(403)
    expect(judge({ host: 'app.example' }, rules)).toBe(403)
  })

  it.each([
    [undefined, 401],
    ['', 401],
    ['Bearer', 401],
    ['Bearer wrong', 401],
    ['Basic correct-horse-battery', 401],
    ['Bearer correct-horse-battery', undefined],
    ['bearer correct-horse-battery', undefined],
  ])('judges the authorization %s', (authorization, status) => {
    expect(judge({ host: 'localhost', authorization }, { token: 'correct-horse-battery' })).toBe(status)
  })

  it('asks for no token on an open path, but still for a good host', () => {
    expect(judge({ host: 'localhost' }, { token: 'correct-horse-battery' }, true)).toBeUndefined()
    expect(judge({ host: 'evil.example' }, { token: 'correct-horse-battery' }, true)).toBe(403)
  })
})

describe('loopback', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['::', false],
    ['127.0.0.1.evil.example', false],
    ['192.168.0.1', false],
  ])('%s: %s', (host, verdict) => {
    expect(isLoopback(host)).toBe(verdict)
  })
})
