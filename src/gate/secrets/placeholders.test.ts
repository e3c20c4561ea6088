import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseCount } from '../../../test/support/case-count.ts'
import { isPlaceholder, shannonEntropy } from './placeholders.ts'

const judge = (value: string, line = `key = "${value}"`, path = 'src/a.ts') =>
  isPlaceholder(value, line, path)

/** Random text in an alphabet, as a service makes its tokens. */
const tokens = (alphabet: string, length: number) =>
  fc.array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length }).map((all) => all.join(''))
const HEX = '0123456789abcdef'
const uuids = tokens(HEX, 32).map((hex) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

describe('what looks like a secret and is none', () => {
  it.each([
    ['an example', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
    ['one character', 'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'],
    ['few characters', 'abababababababab'],
    ['characters in their order', 'sk-abcdefghijklmnopqrstuvwxyz0123456789'],
    ['a repeated part', '1a2b3c1a2b3c1a2b3c1a2b3c'],
    ['a template', '${API_KEY}'],
    ['a template of another kind', '{{ api_key }}'],
    ['a variable', '$API_KEY'],
    ['the environment', 'process.env.API_KEY'],
    ['what the reader puts in', '<your key>'],
    ['an instruction', 'your-api-key-1a2b3c'],
    ['a default that is to be changed', 'changeme123'],
    ['a test value', 'test-9f8e7d6c5b4a'],
    ['the password everyone knows', 'Passw0rd!'],
    ['the password of a local database', 'postgres'],
    ['an identifier', 'accessTokenExpiresIn2'],
    ['a constant', 'E_INVALID_TOKEN_401'],
    ['a path', '/run/secrets/api_key_2'],
    ['a file', 'certs/2024/server-key.pem'],
    ['an address', 'https://auth.shop.dev/oauth2/token'],
    ['a mail address', 'alice.k4@shop.dev'],
    [
      'the key of an emulator',
      'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
    ],
  ])('%s', (_, value) => {
    expect(judge(value)).toBe(true)
  })

  it('a digest where the line or the file says so', () => {
    const digest = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
    expect(judge(digest, `"integrity": "${digest}"`)).toBe(true)
    expect(judge(digest, `key: ${digest}`, 'a.lock')).toBe(true)
    expect(judge(digest)).toBe(false)
  })

  it('a basic header with a password that everyone knows', () => {
    const header = (login: string) => {
      const value = Buffer.from(login).toString('base64')
      return judge(value, `Authorization: Basic ${value}`)
    }
    expect(['oauth2:oauth2', 'default:admin123', 'shop:xK29fWq8Lm3v'].map(header)).toEqual([
      true,
      true,
      false,
    ])
  })

  it('not a password that is a word, where it is the password of an address', () => {
    expect(judge('winterfell', 'DATABASE_URL=postgres://app:winterfell@db.shop.dev/app')).toBe(false)
    expect(judge('winterfell', 'name: winterfell')).toBe(true)
  })

  it('not random text: less than one token in a thousand is taken for a placeholder', () => {
    const makers = [tokens(HEX, 32), tokens(HEX, 40), tokens(BASE62, 24), tokens(BASE62, 40), uuids]
    for (const maker of makers) {
      const sample = fc.sample(maker, { numRuns: 2_000, seed: 15 })
      const wrong = sample.filter((token) => judge(token))
      expect(wrong.length, wrong.join(' ')).toBeLessThanOrEqual(2)
    }
  })

  it('any text gets an answer, the same every time, in little time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(judge(text, text, text)).toBe(judge(text, text, text))
      }),
      { numRuns: caseCount(60, 300) },
    )
    const started = process.cpuUsage()
    for (const part of ['a-', '-----BEGIN PRIVATE KEY-----', 'aB1', '<', '/a', '"+ ', 'eyJ.'])
      judge(part.repeat(20_000 / part.length))
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000)
  })
})

it('measures entropy in bits per character', () => {
  expect(shannonEntropy('aaaa')).toBe(0)
  expect(shannonEntropy('abab')).toBe(1)
  expect(shannonEntropy('0123456789abcdef')).toBe(4)
})
