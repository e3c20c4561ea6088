import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { renderSpec } from '../../scripts/spec.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import type { Message } from '../support/messages.ts'
import { CODES, ScgServer, stateOf, stopServers } from './scg-client.ts'

afterAll(async () => {
  stopServers()
  await sweep()
})

type Schema = Readonly<Record<string, unknown>>

const rendered = renderSpec()
const readSpec = (path: string): Schema => JSON.parse(readFileSync(`spec/${path}`, 'utf8'))
const readSchema = (name: string): Schema => readSpec(`${name}.schema.json`)
const accepts = (schema: Schema, value: unknown): boolean =>
  z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value).success

/** Every schema of an object inside a schema. */
const objectsIn = (value: unknown): Schema[] => {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(objectsIn)
  return (value as Schema).type === 'object' ? [value as Schema, ...inner] : inner
}

let server: ScgServer
beforeAll(async () => {
  server = new ScgServer({ cwd: await makeFolder() })
  await server.must('node.create', { belief: 0.9, energy: 3 })
  await server.must('node.create', { belief: 0.1, energy: 1e12 })
})

describe('the specification', () => {
  test.each(Object.keys(rendered))(
    '%s is what the code says (else: node scripts/run.mjs scripts/spec.ts)',
    (path) => {
      expect(readFileSync(path, 'utf8')).toBe(rendered[path])
    },
  )

  test.each(Object.keys(rendered).filter((path) => /spec\/mcp_\w+\.schema\.json$/.test(path)))(
    '%s is closed, and of the revision that MCP assumes',
    (path) => {
      const schema = JSON.parse(rendered[path] as string)
      expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
      expect(schema).not.toHaveProperty('$id')
      for (const object of objectsIn(schema)) expect(object.additionalProperties).toBe(false)
    },
  )
})

describe('the answers of the server', () => {
  /** The answer matches the schema, and would not with a member more or less. */
  const fits = (schema: Schema, state: Record<string, unknown>) => {
    expect(accepts(schema, state)).toBe(true)
    expect(accepts(schema, { ...state, topology: [] })).toBe(false)
    for (const key of Object.keys(state)) {
      const { [key]: _, ...less } = state
      expect([key, accepts(schema, less)]).toEqual([key, false])
      expect([key, accepts(schema, { ...state, [key]: null })]).toEqual([key, false])
    }
  }

  test.each([
    ['node.create', { belief: 0, energy: 0 }, 'mcp_node_state'],
    ['node.create', { belief: 1, energy: 1e12 }, 'mcp_node_state'],
    ['node.mutate', { node_id: '0', delta: -5 }, 'mcp_node_state'],
    ['node.query', { node_id: '1' }, 'mcp_node_state'],
    ['edge.bind', { src: '0', dst: '1', weight: -1e6 }, 'mcp_edge_state'],
    ['governor.status', {}, 'mcp_governor_status'],
  ])('%s %j fits %s', async (name, args, schema) => {
    fits(readSchema(schema), await server.must(name, args))
  })

  test('lineage.replay lists what the schema of an entry describes', async () => {
    const { entries } = await server.must('lineage.replay')
    expect(entries.length).toBeGreaterThan(2)
    for (const entry of entries) fits(readSchema('mcp_lineage_entry'), entry)
  })

  test('errors fit the schema of errors, and it knows every code of the taxonomy', async () => {
    const schema = readSchema('mcp_error')
    const refused: readonly Promise<Message>[] = [
      server.call('node.create', {}),
      server.call('nonsense', {}),
      server.ask('resources/read', { uri: 'a:b' }),
      server.call('node.query', { node_id: '999' }),
      server.call('edge.bind', { src: '0', dst: '0', weight: 1 }),
      server.ask('nonsense'),
      server.answerTo('v', '{"jsonrpc":"1.0","id":"v","method":"ping"}'),
    ]
    const errors = (await Promise.all(refused)).map(({ error }) => error)
    expect(errors.map((error) => error?.code)).toEqual([2000, 3000, 4000, 4004, 5000, -32601, -32600])
    for (const error of errors) {
      expect(accepts(schema, error)).toBe(true)
      expect(accepts(schema, { ...error, stack_trace: [] })).toBe(false)
      expect(accepts(schema, { ...error, data: { code_string: 'SOMETHING_ELSE' } })).toBe(false)
    }
    for (const [code, code_string] of Object.entries(CODES)) {
      const error = { code: Number(code), message: 'any', data: { code_string } }
      expect(accepts(schema, error)).toBe(true)
      expect(accepts(schema, { ...error, code: Number(code) + 1 })).toBe(false)
    }
  })
})

describe('the tools of the server', () => {
  const spec = readSpec('tools/mcp_tools.schema.json')
  const inputs = spec.$defs as Readonly<Record<string, Schema>>

  test('are listed as the specification says, and could not be otherwise', async () => {
    const { result } = await server.ask('tools/list')
    const { tools } = result as { tools: Schema[] }
    expect(accepts(spec, result)).toBe(true)
    expect(
      Object.fromEntries(tools.map(({ name, inputSchema }) => [String(name).replace('.', '_'), inputSchema])),
    ).toEqual(inputs)
    expect(accepts(spec, { tools: tools.slice(1) })).toBe(false)
    expect(accepts(spec, { tools: [...tools, tools[0]] })).toBe(false)
    expect(accepts(spec, { tools: tools.toReversed() })).toBe(false)
    for (const [at, tool] of tools.entries()) {
      const bent = [
        ...['name', 'description', 'version', 'sideEffects', 'dependencies', 'inputSchema'].map((key) => ({
          ...tool,
          [key]: undefined,
        })),
        { ...tool, version: '0.2.0' },
        { ...tool, sideEffects: [...(tool.sideEffects as string[]), 'more'] },
        { ...tool, dependencies: ['edge.bind'] },
      ]
      for (const one of bent) {
        expect(accepts(spec, { tools: tools.with(at, JSON.parse(JSON.stringify(one))) })).toBe(false)
      }
    }
  })

  const values = [0, 1, 0.5, -1, 1.5, 1e12, 1e13, '0', '1', '', '-1', 'x', null, true, [], {}]
  test.each(Object.entries(inputs))(
    '%s refuses as a bad request exactly what its schema refuses',
    async (name, schema) => {
      const keys = Object.keys(schema.properties as object)
      const good: Record<string, unknown> = {
        ...(keys.includes('path') && { path: 'log.json' }),
        ...Object.fromEntries(
          keys.filter((key) => /^(node_id|src|dst|edge_id)$/.test(key)).map((key) => [key, '0']),
        ),
        ...Object.fromEntries(
          keys.filter((key) => /^(belief|energy|delta|weight)$/.test(key)).map((key) => [key, 0]),
        ),
      }
      const bent = keys.flatMap((key) => values.map((value) => ({ ...good, [key]: value })))
      const short = keys.map((key) => ({ ...good, [key]: undefined }))
      for (const args of [good, { ...good, unknown: 1 }, ...bent, ...short]) {
        const answer = await server.call(name, args)
        const sent = JSON.parse(JSON.stringify(args))
        expect([sent, answer.error?.code === 2000]).toEqual([sent, !accepts(schema, sent)])
        if (answer.error === undefined) stateOf(answer)
      }
    },
  )
})
