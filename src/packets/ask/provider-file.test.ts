import { describe, expect, it } from 'vitest'
import { readProvider } from './provider-file.ts'

const ENV = { TOKEN: 'sesame', EMPTY: '', SPLIT: 'a\r\nx-evil: 1', HOST: 'h.example' }

const read = (entry: unknown, asked = 'main') =>
  readProvider({ default: 'main', providers: { main: entry } }, asked, ENV)

describe('a provider file', () => {
  it('says where and how a server is asked', () => {
    expect(
      read({
        type: 'http',
        http: {
          base_url: 'https://${HOST}/api/',
          embeddings_path: '/embed?v=2',
          models_path: '/models',
          timeout: 5,
          headers_static: { 'X-Team': 'docs', 'X-Both': 'static' },
        },
        headers: { 'X-Both': 'own' },
        auth: { type: 'bearer', token: '${TOKEN}' },
        timeout: 2.5,
        batch_size: 8,
        dims: 16,
        hints: { dim: 16, normalize: false, task: 'search', model: 'm' },
        normalize_mode: 'client',
        query_prefix: 'query: ',
        document_prefix: 'passage: ',
        discovery_ttl_seconds: 60,
        model_artifacts: { source: 'oci', ref_template: 'x' },
      }),
    ).toEqual({
      url: 'https://h.example/api/',
      path: '/embed?v=2',
      model: 'm',
      headers: { 'x-team': 'docs', 'x-both': 'own', authorization: 'Bearer sesame' },
      hints: { dim: 16, normalize: false, task: 'search', model: 'm' },
      timeoutMs: 2500,
      batchSize: 8,
      dims: 16,
      normalize: 'client',
      prefixes: { query: 'query: ', document: 'passage: ' },
    })
  })

  it('may be short, and say null for what is left out', () => {
    const bare = { url: 'http://h', headers: {}, normalize: 'auto' }
    expect(read({ url: 'http://h' }, 'default')).toMatchObject(bare)
    expect(read({ type: null, url: 'http://h', http: null, auth: null, headers: null, hints: null })).toEqual(
      read({ url: 'http://h' }),
    )
  })

  it('has its default found by that word, or a provider of that name', () => {
    const providers = { one: { url: 'http://one' }, default: { url: 'http://two' } }
    expect(readProvider({ default: 'one', providers }, 'default', ENV).url).toBe('http://one')
    expect(readProvider({ providers }, 'default', ENV).url).toBe('http://two')
  })

  it('looks up nothing for the providers that were not asked for', () => {
    const providers = { main: { url: 'http://h' }, other: { url: '${UNSET}' } }
    expect(readProvider({ providers }, 'main', ENV).url).toBe('http://h')
  })

  it('gives user and password as the protocol has them', () => {
    const { headers } = read({
      url: 'http://h',
      auth: { type: 'basic', username: 'ann', password: '${TOKEN}:ü' },
    })
    const { authorization = '' } = headers ?? {}
    expect(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()).toBe('ann:sesame:ü')
  })

  const HEADER = 'is not a valid header value'
  it.each<[string, unknown, string]>([
    ['no mapping', 'http://h', 'providers.main: Invalid input'],
    ['no address', {}, 'neither url nor http.base_url'],
    ['two addresses', { url: 'http://h', http: { base_url: 'http://i' } }, 'both url and http.base_url'],
    ['an address of files', { url: 'file:///etc/passwd' }, 'not an http:// or https:// URL'],
    ['an address without a scheme', { url: 'h:8876' }, 'not an http:// or https:// URL'],
    ['a password in its address', { url: 'http://a:b@h' }, 'a password in it'],
    ['a query in its address', { url: 'http://h?x=1' }, 'has a query or a fragment'],
    ['another type', { type: 'grpc', url: 'http://h' }, "type: must be 'http'"],
    ['a key nobody knows', { url: 'http://h', ur1: 'x' }, 'Unrecognized key: "ur1"'],
    ['a key nobody knows, deep', { http: { base_url: 'http://h', port: 1 } }, 'main.http: Unrecognized key'],
    ['a hint nobody knows', { url: 'http://h', hints: { dims: 1 } }, 'main.hints: Unrecognized key'],
    ['a list of headers', { url: 'http://h', headers: ['a'] }, 'main.headers: Invalid input'],
    ['a number as a header', { url: 'http://h', headers: { a: 1 } }, 'main.headers.a: Invalid input'],
    ['a line break in a header', { url: 'http://h', headers: { a: 'x\r\nhost: evil' } }, HEADER],
    ['a line break from a variable', { url: 'http://h', headers: { a: '${SPLIT}' } }, HEADER],
    ['a line break in a token', { url: 'http://h', auth: { type: 'bearer', token: 'a\nb' } }, HEADER],
    ['a line break in a hint', { url: 'http://h', hints: { task: 'a\nb' } }, HEADER],
    ['a line break in a model', { url: 'http://h', model: 'a\nb' }, HEADER],
    [
      'a line break in the name of a header',
      { url: 'http://h', headers: { 'a\nb': 'x' } },
      'is not a valid header name',
    ],
    ['a host of its own', { url: 'http://h', headers: { Host: 'evil' } }, 'Host is set by the client'],
    ['a length of its own', { url: 'http://h', headers: { 'content-length': '0' } }, 'is set by the client'],
    ['a hint as a header', { url: 'http://h', headers: { 'X-Embedding-Task': 'a' } }, 'is set by the client'],
    ['half an auth', { url: 'http://h', auth: { type: 'basic', username: 'a' } }, 'auth.password'],
    ['another auth', { url: 'http://h', auth: { type: 'digest' } }, 'expected the type basic or bearer'],
    [
      'a colon in a username',
      { url: 'http://h', auth: { type: 'basic', username: 'a:b', password: 'c' } },
      'colon',
    ],
    [
      'authorization twice',
      { url: 'http://h', headers: { Authorization: 'x' }, auth: { type: 'bearer', token: 'y' } },
      'authorization twice',
    ],
    [
      'a variable that is not set',
      { url: 'http://h', headers: { a: '${UNSET}' } },
      'variable UNSET, which is not set',
    ],
    [
      'an empty variable',
      { url: 'http://h', headers: { a: '${EMPTY}' } },
      'variable EMPTY, which is not set',
    ],
    ['a variable of every object', { url: 'http://h', headers: { a: '${__proto__}' } }, 'variable __proto__'],
    ['half a variable', { url: 'http://h', headers: { a: '${TOKEN' } }, 'not followed by NAME}'],
    ['a variable with a fallback', { url: '${HOST:-x}' }, 'not followed by NAME}'],
    ['no batch', { url: 'http://h', batch_size: 0 }, 'main.batch_size'],
    ['half a value', { url: 'http://h', dims: 1.5 }, 'main.dims'],
    ['no time', { url: 'http://h', timeout: 0 }, 'main.timeout'],
    ['time as text', { url: 'http://h', timeout: '30' }, 'main.timeout'],
    ['another way to normalise', { url: 'http://h', normalize_mode: 'never' }, 'main.normalize_mode'],
  ])('with %s is refused', (_, entry, words) => {
    expect(() => read(entry)).toThrow(words)
  })

  it.each<[unknown, string, string]>([
    [null, 'main', 'it: Invalid input'],
    [{}, 'main', 'providers: Invalid input'],
    [{ providers: {}, extra: 1 }, 'main', 'it: Unrecognized key'],
    [{ providers: {} }, 'default', 'names no default'],
    [{ default: 'gone', providers: {} }, 'default', 'no provider gone'],
    [{ providers: { a: { url: 'http://h' } } }, 'constructor', 'no provider constructor'],
  ])('%j has nothing for who asks for %s', (file, asked, words) => {
    expect(() => readProvider(file, asked, ENV)).toThrow(words)
  })

  it('tells no secret when it is refused', () => {
    for (const entry of [
      { url: 'ftp://${TOKEN}' },
      { url: 'http://h', headers: { a: '${TOKEN}\n' } },
      { url: 'http://h', auth: { type: 'bearer', token: '${TOKEN}\n' } },
      { url: 'http://h', auth: { type: 'basic', username: '${TOKEN}:', password: 'x' } },
    ]) {
      let said = ''
      try {
        read(entry)
      } catch (thrown) {
        const { message, fix } = thrown as { message: string; fix: string }
        said = message + fix
      }
      expect(said).toContain('config/embeddings.yml')
      expect(said).not.toContain('sesame')
    }
  })
})
