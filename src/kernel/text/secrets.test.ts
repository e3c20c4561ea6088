import { describe, expect, it } from 'vitest'
import { findSecrets, isCredential, maskAll, maskText } from './secrets.ts'

// Put together here, so that no scanner takes this file for a leak.
const KEY = ['AKIA', 'ABCDEFGHIJKLMNOP'].join('')
const TOKEN = ['ghp', 'abcdefghijklmnopqrstuvwxyz0123'].join('_')

describe('masking', () => {
  it.each([
    ['http://user:s3cret@db.internal:8080/path', 'http://***@db.internal:8080/path'],
    ['amqp://me:pa/ss@broker', 'amqp://***@broker'],
    ['http://me:p@ss@host/x', 'http://***@host/x'],
    ['jdbc:oracle:thin:scott/tiger@host:1521/x', 'jdbc:oracle:thin:***@host:1521/x'],
    ['jdbc:mysql://h/db?user=a&password=hunter2&x=1', 'jdbc:mysql://h/db?user=a&password=***&x=1'],
    ['${db.password:hunter2}', '${db.password:***}'],
    [`key ${KEY} end`, 'key *** end'],
    [`t=${TOKEN}`, 't=***'],
    ['Authorization: Bearer abcdefghijklmnop1234', 'Authorization: Bearer ***'],
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----', '***'],
  ])('turns %j into %j', (text, masked) => {
    expect(maskText(text)).toBe(masked)
    expect(maskText(masked)).toBe(masked)
  })

  it.each([
    'http://host:8080/a@b',
    'http://host/path',
    'mail@example.org',
    'password',
    '${db.password}',
    'token: none',
  ])('leaves %j alone', (text) => {
    expect(maskText(text)).toBe(text)
  })

  it('goes through everything there is', () => {
    expect(maskAll({ a: [{ 'http://u:p@h': 'http://u:p@h' }], b: 1 })).toEqual({
      a: [{ 'http://***@h': 'http://***@h' }],
      b: 1,
    })
  })

  it('takes time in proportion to the text', () => {
    for (const bad of [
      'a://',
      'password=',
      '-----BEGIN PRIVATE KEY-----',
      'eyJ',
      '${password:',
      'Bearer ',
      'jdbc:oracle:thin:',
    ])
      expect(maskText(bad.repeat(20_000)).length).toBeGreaterThan(0)
  })
})

describe('finding', () => {
  it('says where, never what', () => {
    const found = findSecrets(
      'A.java',
      `class A {\n  String password = "hunter2x";\n  String k = "${KEY}";\n}`,
    )
    expect(found).toEqual([
      { file: 'A.java', line: 2, kind: 'secret in code', place: 'password' },
      { file: 'A.java', line: 3, kind: 'token', place: 'token' },
    ])
  })

  it('does not cry at users, words and placeholders', () => {
    const innocent = [
      'postgres://app@host/db',
      'Bearer resource_metadata_of_it',
      'http://${user}:${password}@host',
      'String password = "password";',
      'String token = request.getHeader("x");',
    ]
    expect(findSecrets('a.ts', innocent.join('\n'))).toEqual([])
    expect(findSecrets('a.ts', 'postgres://app:changeme@host/db\n')).toEqual([])
    expect(findSecrets('a.ts', 'postgres://app:geheim@host/db\nhttp://a:b/c@host')).toHaveLength(2)
  })

  it.each([
    ['spring.datasource.password', 'hunter2', true],
    ['client.clientSecret', 'abc', true],
    ['db.password', '${DB_PASSWORD}', false],
    ['db.password', 'ENC(abc)', false],
    ['mail.password', '${SMTP_PASSWORD:-}', false],
    ['mail.password', '${SMTP_PASSWORD:?set it}', false],
    ['mail.password', '${SMTP_PASSWORD:-changeme}', false],
    ['mail.password', '${SMTP_PASSWORD:-hunter2}', true],
    ['mail.password', 'changeme', false],
    ['api.token', 'your-token-here', false],
    ['db.password', '', false],
    ['token.ttl', '3600', false],
    ['use-password', 'true', false],
  ])('of the setting %s = %j says %s', (key, value, expected) => {
    expect(isCredential(key, value)).toBe(expected)
  })
})
