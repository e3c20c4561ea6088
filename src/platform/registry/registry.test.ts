import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder, sweep } from '../../../test/support/binary.ts'
import { checkRedirect, isLoopbackName, mayRedirect, networkZone } from './address.ts'
import { DEFAULT_OCI, OciHttp } from './http.ts'
import { dockerCredentials, maySeePassword, readChallenge } from './login.ts'

afterAll(sweep)

describe('an address', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.0.9', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['172.32.0.1', 'public'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fd12::1', 'private'],
    ['169.254.169.254', 'link-local'],
    ['fe80::1', 'link-local'],
    ['::ffff:169.254.169.254', 'link-local'],
    ['::ffff:a9fe:a9fe', 'link-local'],
    ['0.0.0.0', 'special'],
    ['::', 'special'],
    ['224.0.0.1', 'special'],
    ['255.255.255.255', 'special'],
    ['64:ff9b::7f00:1', 'special'],
    ['2002:7f00:1::', 'special'],
    ['8.8.8.8', 'public'],
    ['2606:4700::1111', 'public'],
  ])('%s is %s', (address, zone) => {
    expect(networkZone(address)).toBe(zone)
  })

  it('leads outwards, or stays where it is', () => {
    expect(mayRedirect(['public'], ['public'])).toBe(true)
    // Another port of this machine is another program.
    expect(mayRedirect(['loopback'], ['loopback'])).toBe(false)
    expect(mayRedirect(['private'], ['private', 'public'])).toBe(true)
    expect(mayRedirect(['public'], ['loopback'])).toBe(false)
    expect(mayRedirect(['private'], ['loopback'])).toBe(false)
    expect(mayRedirect(['loopback'], ['link-local'])).toBe(false)
    // A name with one good address and one bad one is a trick.
    expect(mayRedirect(['public'], ['public', 'link-local'])).toBe(false)
    expect(mayRedirect(['special'], ['special'])).toBe(false)
  })

  it('is refused when a registry in the open leads back to us', async () => {
    const registry = new URL('https://8.8.8.8/')
    const rules = { mayBePlain: isLoopbackName, isNamed: () => false }
    const lead = (to: string) => checkRedirect(registry, new URL(to), rules)
    for (const to of ['http://127.0.0.1/', 'https://localhost/', 'https://x.localhost/', 'https://[::1]/'])
      await expect(lead(to)).rejects.toMatchObject({ code: 'registry.forbidden_target' })
    await lead('https://9.9.9.9/blob')
  })

  it('is refused when a registry on this machine leads to another port, unless the operator named it', async () => {
    const registry = new URL('http://127.0.0.1:5000/')
    const rules = { mayBePlain: () => true, isNamed: (host: string) => host === '127.0.0.1:5002' }
    const lead = (to: string) => checkRedirect(registry, new URL(to), rules)
    for (const to of ['http://127.0.0.1:5001/', 'http://localhost:5000/', 'http://127.0.0.2:5000/'])
      await expect(lead(to)).rejects.toMatchObject({ code: 'registry.forbidden_target' })
    await lead('http://127.0.0.1:5000/blob')
    await lead('http://127.0.0.1:5002/blob')
  })
})

describe('a challenge', () => {
  it.each([
    ['Basic realm="x"', { scheme: 'basic' }],
    ['basic', { scheme: 'basic' }],
    [
      'Bearer realm="https://a/t",service="s",scope="x"',
      { scheme: 'bearer', realm: 'https://a/t', service: 's' },
    ],
    ['Bearer realm=https://a/t', { scheme: 'bearer', realm: 'https://a/t', service: '' }],
    [
      'Basic realm="b", Bearer realm="https://a\\"b"',
      { scheme: 'bearer', realm: 'https://a"b', service: '' },
    ],
    ['Bearer service="s"', undefined],
    ['Negotiate', undefined],
    ['', undefined],
    [null, undefined],
  ])('%j is %j', (header, challenge) => {
    expect(readChallenge(header)).toEqual(challenge)
  })

  it('costs no time, however long it is', () => {
    expect(readChallenge(`Bearer realm="${'\\'.repeat(8000)}`)).toBeUndefined()
    expect(readChallenge(`Bearer ${'a='.repeat(4000)}`)).toBeUndefined()
  })
})

describe('a password', () => {
  it.each([
    ['https://r.example.com', 'https://r.example.com/token', true],
    ['https://registry.gitlab.com', 'https://gitlab.com/jwt', true],
    ['https://example.com', 'https://auth.example.com', true],
    ['https://registry-1.docker.io', 'https://auth.docker.io', true],
    ['https://registry-1.docker.io', 'https://evil.docker.io', false],
    ['https://a.co.uk', 'https://b.co.uk', false],
    ['https://example.com', 'https://evilexample.com', false],
    ['https://r.example.com', 'https://com', false],
    ['https://10.0.0.1', 'https://0.0.1', false],
    ['http://127.0.0.1:1', 'http://127.0.0.1:1/token', true],
    ['http://127.0.0.1:1', 'http://127.0.0.1:2', false],
    ['http://127.0.0.1:1', 'http://127.0.0.1:3', true],
    ['https://127.0.0.1:1', 'https://127.0.0.1:2', false],
    // A registry and its token service behind one certificate.
    ['https://git.example.com:5050', 'https://git.example.com/jwt/auth', true],
    ['http://r.example.com:5000', 'http://r.example.com:5001', false],
    ['https://r.example.com', 'http://r.example.com', false],
    ['http://localhost:1', 'http://127.0.0.1:2', false],
  ])('for %s may be heard by %s: %s', (registry, realm, answer) => {
    expect(maySeePassword(new URL(registry), new URL(realm), (host) => host === '127.0.0.1:3')).toBe(answer)
  })

  it('is read from the file that docker writes', async () => {
    const path = join(await makeFolder(), 'config.json')
    const find = dockerCredentials(path, {})
    expect(await find('a.io')).toBeUndefined()
    const auth = Buffer.from('me:a:b').toString('base64')
    await writeFile(
      path,
      JSON.stringify({
        auths: {
          'a.io': { auth },
          'https://b.io': { auth },
          'https://index.docker.io/v1/': { auth },
          'c.io': { identitytoken: 'id' },
          'd.io': { registrytoken: 'rt' },
          'e.io': {},
          'f.io': { auth: '%%%' },
          'g.io': { registrytoken: 'x\r\ny' },
        },
      }),
    )
    const me = { kind: 'password', user: 'me', password: 'a:b' }
    expect(await find('a.io')).toEqual(me)
    expect(await find('b.io')).toEqual(me)
    expect(await find('registry-1.docker.io')).toEqual(me)
    expect(await find('c.io')).toEqual({ kind: 'identity', token: 'id' })
    expect(await find('d.io')).toEqual({ kind: 'bearer', token: 'rt' })
    for (const host of ['e.io', 'f.io', 'g.io', '__proto__', 'constructor'])
      expect(await find(host)).toBeUndefined()
    await writeFile(path, '{"auths": secret')
    await expect(find('a.io')).rejects.toThrow(/^(?!.*secret)/)
  })

  it('is asked of the program that keeps it for docker, and of no other', async () => {
    const folder = await makeFolder()
    const path = join(folder, 'config.json')
    const helper = (name: string, script: string) =>
      writeFile(join(folder, `docker-credential-${name}`), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const say = (user: string, secret: string) => JSON.stringify({ Username: user, Secret: secret })
    await helper('store', `read host; [ "$host" = a.io ] && echo '${say('me', 'kept')}' || exit 1`)
    await helper('token', `echo '${say('<token>', 'long')}'`)
    await helper('hub', 'read host; printf \'{"Username":"me","Secret":"%s"}\' "$host"')
    await helper('garbled', 'echo secret')
    await helper('loud', 'yes secret')
    const auth = Buffer.from('me:file').toString('base64')
    await writeFile(
      path,
      JSON.stringify({
        auths: { 'a.io': {}, 'f.io': { auth }, 't.io': { auth } },
        credsStore: 'store',
        credHelpers: {
          't.io': 'token',
          'g.io': 'garbled',
          'l.io': 'loud',
          'n.io': 'not-there',
          'x.io': '../../bin/sh',
          'https://index.docker.io/v1/': 'hub',
        },
      }),
    )
    const find = dockerCredentials(path, { PATH: `${folder}:/usr/bin:/bin` })
    expect(await find('a.io')).toEqual({ kind: 'password', user: 'me', password: 'kept' })
    expect(await find('f.io')).toEqual({ kind: 'password', user: 'me', password: 'file' })
    expect(await find('t.io')).toEqual({ kind: 'identity', token: 'long' })
    expect(await find('registry-1.docker.io')).toEqual({
      kind: 'password',
      user: 'me',
      password: 'https://index.docker.io/v1/',
    })
    for (const host of ['b.io', 'g.io', 'l.io', 'n.io', 'x.io']) expect(await find(host)).toBeUndefined()
  })
})

it('takes no host for a member of every object', async () => {
  const http = new OciHttp({ ...DEFAULT_OCI, allowed: ['example.com'] })
  const asked = http.send(
    { host: 'constructor', repository: 'x' },
    { method: 'GET', target: 'tags/list' },
    new AbortController().signal,
  )
  await expect(asked).rejects.toMatchObject({ code: 'registry.not_allowed' })
})
