import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FORBIDDEN_NAMES, isForbidden } from '../../src/beliefs/input/sanitize.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { type Message, request } from '../support/messages.ts'
import { expectError, ScgServer, stateOf, stopServers, WAYS } from './scg-client.ts'

afterAll(async () => {
  stopServers()
  await sweep()
})

const NAMES = Object.values(FORBIDDEN_NAMES).flat()
const SENTINEL = 'le4k'

const swap = (from: string, to: string) => (name: string) =>
  [...name].map((one) => [...to][[...from].indexOf(one)] ?? one).join('')
const between = (mark: string) => (name: string) => [...name].join(mark)
const shift = (start: number) => (name: string) =>
  [...name]
    .map((one) => (/[a-z]/.test(one) ? String.fromCodePoint(start + one.charCodeAt(0) - 97) : one))
    .join('')

const DISGUISES: Readonly<Record<string, (name: string) => string>> = {
  'as they are': (name) => name,
  'in capitals': (name) => name.toUpperCase(),
  'in camel case': (name) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  'with hyphens': (name) => name.replaceAll('_', '-'),
  'with dots': (name) => name.replaceAll('_', '.'),
  'with spaces': (name) => name.replaceAll('_', ' '),
  'inside longer names': (name) => `my_${name}_v2`,
  'with zero-width spaces': between('\u200b'),
  'with joiners': between('\u200d'),
  'with word joiners': between('\u2060'),
  'with soft hyphens': between('\u00ad'),
  'with vowel separators': between('\u180e'),
  'with variation selectors': between('\ufe0f'),
  'with byte order marks': between('\ufeff'),
  'with accents': between('\u0301'),
  'in full width': shift(0xff41),
  'in mathematical letters': shift(0x1d41a),
  'in small Cyrillic': swap('aeopcyxis', 'аеорсухіѕ'),
  'in capital Cyrillic': (name) => swap('ABEKMHOPCTYX', 'АВЕКМНОРСТУХ')(name.toUpperCase()),
  'in small Greek': swap('aoiv', 'αοιν'),
  'in capital Greek': (name) => swap('ABEHIKMNOPTYX', 'ΑΒΕΗΙΚΜΝΟΡΤΥΧ')(name.toUpperCase()),
  'with a dotless i and a script l': swap('il', 'ıℓ'),
}

/** A valid call of every tool. */
const CALLS: readonly (readonly [string, object])[] = [
  ['node.create', { belief: 0.5, energy: 1 }],
  ['node.mutate', { node_id: '0', delta: 0.1 }],
  ['node.query', { node_id: '0' }],
  ['edge.bind', { src: '0', dst: '1', weight: 0.1 }],
  ['edge.propagate', { edge_id: '0' }],
  ['governor.status', {}],
  ['esv.audit', { node_id: '0' }],
  ['lineage.replay', { limit: 1 }],
  ['lineage.export', { path: 'log.json' }],
  ['governance.status', {}],
]

/** Names of all members anywhere in a value, those of JSON inside texts too. */
const keysIn = (value: unknown): string[] => {
  if (typeof value === 'string' && /^\s*[[{"]/.test(value)) {
    try {
      return keysIn(JSON.parse(value))
    } catch {
      return []
    }
  }
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return [...own, ...Object.values(value).flatMap(keysIn)]
}

const expectClean = (message: Message, ...words: readonly string[]): void => {
  const { id: _, ...said } = message
  const text = JSON.stringify(said)
  const folded = text.toLowerCase()
  expect(text).not.toContain(SENTINEL)
  expect(words.filter((word) => folded.includes(word.toLowerCase()))).toEqual([])
  expect(keysIn(said).filter(isForbidden)).toEqual([])
}

let folder: string
let server: ScgServer

beforeAll(async () => {
  folder = await makeFolder()
  server = new ScgServer({ cwd: folder })
  await server.must('node.create', { belief: 0.5, energy: 1_000 })
  await server.must('node.create', { belief: 0.5, energy: 1_000 })
})

// The unit tests of the sanitizer have all of them.
describe.each(someRows(Object.entries(DISGUISES), 3))('forbidden names %s', (_, disguise) => {
  const words = NAMES.map(disguise)
  const luggage = Object.fromEntries(words.map((word) => [word, { [word]: SENTINEL, text: `{"${word}":1}` }]))

  test.each(Object.entries(WAYS))('do not come back from extra arguments %s', async (_way, way) => {
    for (const [name, args] of CALLS) {
      const plain = stateOf(await way(server, name, args))
      const laden = await way(server, name, { ...args, ...luggage })
      expect(Object.keys(stateOf(laden))).toEqual(Object.keys(plain))
      expectClean(laden, ...words)
    }
  })

  test('do not come back from ids', async () => {
    for (const word of words) {
      const answers = await Promise.all([
        server.call('node.query', { node_id: word }),
        server.call('node.mutate', { node_id: `0${word}`, delta: 0 }),
        server.call('esv.audit', { node_id: `${word}0` }),
        server.call('edge.bind', { src: word, dst: '0', weight: 1 }),
        server.call('edge.bind', { src: '0', dst: word, weight: 1 }),
        server.call('lineage.replay', { from_seq: word }),
        server.call('node.create', { belief: word, energy: { [word]: SENTINEL } }),
      ])
      for (const answer of answers) {
        expectError(answer, 2000)
        expectClean(answer, word)
      }
    }
    const ticked = await server.call('edge.propagate', { edge_id: words.join() })
    stateOf(ticked)
    expectClean(ticked, ...words)
  })

  test('do not come back from claims', async () => {
    const claims = [words.join(' ').slice(0, 2_000), JSON.stringify({ [words[0] as string]: SENTINEL })]
    for (const claim of claims) {
      const made = await server.call('node.create', { belief: 0.5, energy: 1, claim })
      const node_id = String(stateOf(made).node_id)
      const seen = [
        made,
        await server.call('node.query', { node_id }),
        await server.call('esv.audit', { node_id }),
        await server.call('node.mutate', { node_id, delta: 0 }),
        await server.call('lineage.replay', { limit: 1 }),
        await server.call('governance.status'),
      ]
      for (const answer of seen) expectClean(answer, ...words)
    }
    await server.must('lineage.export', { path: 'log.json' })
    const text = await readFile(join(folder, 'log.json'), 'utf8')
    expect(words.filter((word) => text.includes(word))).toEqual([])
    expect(keysIn(JSON.parse(text)).filter(isForbidden)).toEqual([])
  })

  test('do not come back from the envelope', async () => {
    const line = {
      jsonrpc: '2.0',
      id: 'e',
      method: 'governor.status',
      params: { _meta: luggage },
      ...luggage,
    }
    expectClean(await server.answerTo('e', JSON.stringify(line)), ...words)
    const before = server.lines.length
    server.send(JSON.stringify(luggage), `{"${words[0]}`, JSON.stringify(words))
    for (const answer of (await server.received(before + 3)).slice(before)) expectClean(answer, ...words)
  })
})

describe('a message does not repeat what it refuses', () => {
  const words = Object.values(DISGUISES).flatMap((disguise) => NAMES.slice(0, 8).map(disguise))
  const refuse = async (ask: (word: string) => Promise<Message>, code: number) => {
    for (const word of words) {
      const answer = await ask(word)
      expect(answer.error?.code).toBe(code)
      expectClean(answer, word)
    }
  }

  test('of a tool', () => refuse((word) => server.call(word), 3000))
  test('of a method', () => refuse((word) => server.ask(word), -32601))
  test('of a resource', () => refuse((word) => server.ask('resources/read', { uri: `x:${word}` }), 4000))
  test('of a prompt', () => refuse((word) => server.ask('prompts/get', { name: word }), 4000))
  test('of a folder', () => refuse((word) => server.call('lineage.export', { path: `no/${word}` }), 2000))
  test('of a file', () => refuse((word) => server.call('lineage.export', { path: `../${word}` }), 2000))
})

describe('what may be said', () => {
  test('is said: side effects, codes and every member of every shape', async () => {
    const { result } = await server.ask('tools/list')
    const effects = result.tools.flatMap((tool: { sideEffects: string[] }) => tool.sideEffects)
    expect(new Set(effects)).toEqual(
      new Set([
        'state_mutation',
        'energy_allocation',
        'energy_consumption',
        'energy_transfer',
        'topology_change',
        'lineage_append',
        'esv_validation',
        'filesystem_write',
      ]),
    )
    expect(keysIn(result).filter(isForbidden)).toEqual([])
    expect((await server.call('nope')).error?.data).toEqual({ code_string: 'INVALID_TOOL' })
  })

  test('includes words that are forbidden only as names', async () => {
    const { path } = await server.must('lineage.export', { path: 'topology.json' })
    expect(path).toBe('topology.json')
  })

  test('is never about our insides', async () => {
    const broken = [
      request('b1', 'node.create', { belief: { valueOf: 1 }, energy: [] }),
      request('b2', 'tools/call', { name: 'node.create', arguments: { __proto__: null } }),
      '{"jsonrpc":"2.0","id":"b3","method":"node.create","params":{"__proto__":{"belief":0.5},"constructor":1}}',
      request('b4', 'lineage.export', { path: `/${'../'.repeat(50)}etc/passwd` }),
    ]
    const answers = await Promise.all(broken.map((line, index) => server.answerTo(`b${index + 1}`, line)))
    for (const answer of answers) {
      expectError(answer, 2000)
      expectClean(answer)
      expect(JSON.stringify(answer)).not.toMatch(/\bat \w+ \(|\.[jt]s:\d+|node_modules|dist\/|Zod/)
      expect(JSON.stringify(answer)).not.toContain(folder)
    }
  })
})
