import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { build } from 'esbuild'
import { afterAll, describe, expect, test } from 'vitest'
import { startFixtures } from '../conformance/entry.ts'
import { type Check, gradeServer, type Revision, readRequired } from '../conformance/runner.ts'
import { describePeers } from '../peers/peers.ts'
import { AUTHORIZED, makeFolder, startHttp, sweep } from '../support/binary.ts'

const local = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const BASELINE = local('../conformance/expected-failures.yml')
const GRADE = { timeout: 120_000 }

// How many scenarios each revision requires of a server: a run that graded fewer has graded nothing.
const REQUIRED: readonly [Revision, number][] = [
  ['2025-11-25', 30],
  ['2026-07-28', 37],
]

const isBad = ({ status }: Check): boolean => status !== 'SUCCESS' && status !== 'INFO'

const describeCheck = ({ scenario, id, status, errorMessage = '' }: Check): string =>
  `${status} ${scenario}:${id} ${errorMessage}`

afterAll(sweep)

/** Adds the token, which the suite cannot send. */
const startProxy = async (port: number) => {
  const proxy = createServer((incoming, response) => {
    const headers = { ...incoming.headers, ...AUTHORIZED }
    const forward = { port, host: '127.0.0.1', path: incoming.url, method: incoming.method, headers }
    const outgoing = ask(forward, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port: own } = proxy.address() as AddressInfo
  return { url: `http://127.0.0.1:${own}/mcp`, close: () => proxy.close() }
}

const toolNames = async (url: string): Promise<readonly string[]> => {
  const client = new Client({ name: 'conformance-test', version: '1' })
  const requestInit = { headers: AUTHORIZED }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  const { tools } = await client.listTools()
  await client.close()
  return tools.map(({ name }) => name)
}

// The suite waits most of the time, so its runs overlap, each with a server of its own.
await describePeers('the official conformance suite', () => {
  test.concurrent.for(REQUIRED)(
    'passes the fixture server in all that revision %s requires',
    GRADE,
    async ([revision, count]) => {
      const server = await startFixtures()
      const grade = await gradeServer(server.url, revision)
      await server.close()
      expect(grade.checks.filter(isBad).map(describeCheck)).toEqual([])
      expect(grade.exitCode, grade.report).toBe(0)
      expect(grade.required).toHaveLength(count)
      expect(new Set(grade.checks.map(({ scenario }) => scenario)).size).toBe(count)
    },
  )

  test.concurrent(
    'misses nothing in the stateless leg of the old era but what needs a way back to the client',
    GRADE,
    async () => {
      const stateless = await startFixtures({ sessions: false })
      const { checks } = await gradeServer(stateless.url, '2025-11-25')
      await stateless.close()
      expect(checks.filter(isBad).map(({ scenario, status }) => `${status} ${scenario}`)).toEqual([
        'FAILURE tools-call-sampling',
        'FAILURE tools-call-elicitation',
        'FAILURE elicitation-sep1034-defaults',
        'WARNING server-sse-multiple-streams',
        'FAILURE elicitation-sep1330-enums',
        'FAILURE resources-subscribe',
        'FAILURE resources-unsubscribe',
      ])
    },
  )

  test.concurrent.for(REQUIRED)(
    'fails the product in revision %s where it asks for fixtures, and nowhere else',
    GRADE,
    async ([revision, count]) => {
      const server = await startHttp([], { cwd: await makeFolder() })
      const proxy = await startProxy(server.port)
      const grade = await gradeServer(proxy.url, revision, BASELINE)
      proxy.close()
      expect(grade.exitCode, grade.report).toBe(0)
      expect(grade.required).toHaveLength(count)
    },
  )

  test('never lists as an expected failure a scenario that it does not require', async () => {
    const required = (await Promise.all(REQUIRED.map(([revision]) => readRequired(revision)))).flat()
    const expected = [...(await readFile(BASELINE, 'utf8')).matchAll(/^ {2}- ([^\s:]+)/gm)]
    expect(expected).not.toEqual([])
    expect(expected.map(([, name = '']) => name).filter((name) => !required.includes(name))).toEqual([])
  })
})

describe('the fixture server', () => {
  test('has names that the product does not have', async () => {
    const [product, fixtures] = await Promise.all([
      startHttp([], { cwd: await makeFolder() }),
      startFixtures(),
    ])
    const [ours, theirs] = await Promise.all([toolNames(`${product.url}/mcp`), toolNames(fixtures.url)])
    await fixtures.close()
    expect(ours).not.toEqual([])
    expect(ours.filter((name) => name.startsWith('test_'))).toEqual([])
    expect(theirs.filter((name) => !name.startsWith('test_'))).toEqual([])
  })

  test('is built on the modules that answer in the product', async () => {
    const { metafile } = await build({
      entryPoints: [local('../conformance/entry.ts')],
      absWorkingDir: local('../..'),
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
    })
    const shipped = JSON.parse(await readFile(local('../../dist/meta.json'), 'utf8'))
    const modules = [
      'src/kernel/catalog.ts',
      'src/kernel/invoke.ts',
      'src/kernel/tool.ts',
      'src/http/server.ts',
      'src/http/guards.ts',
      'src/mcp/dialect.ts',
      'src/mcp/http.ts',
      'src/mcp/sdk.ts',
      'src/mcp/sdk-http.ts',
      'src/mcp/service.ts',
      'src/mcp/http.ts',
    ]
    expect(shipped.inputs).toEqual(expect.arrayContaining(modules))
    expect(Object.keys(metafile.inputs)).toEqual(expect.arrayContaining(modules))
  })
})
