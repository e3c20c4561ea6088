import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder, Program, startHttp, sweep } from '../support/binary.ts'
import { request } from '../support/messages.ts'

afterAll(sweep)

/** Two servers, the output of each is the input of the other. */
const joinServers = (binary: string, args: readonly string[]) => {
  const [left, right] = [new Program(args, { binary }), new Program(args, { binary })]
  left.child.stdout.pipe(right.child.stdin)
  right.child.stdout.pipe(left.child.stdin)
  return { left, right }
}

describe('two servers joined back to back', () => {
  it.each([
    ['warrant', ['mcp']],
    ['sentinel-mcp', []],
    ['scg-mcp-server', ['--store', 'memory']],
  ] as const)('%s: an error with a null id is not answered', async (binary, args) => {
    const { left, right } = joinServers(binary, args)
    left.send('no JSON', '{"jsonrpc":"2.0","id":null,"method":"ping"}', '{"jsonrpc":"1.0","id":null}')
    await left.heard(3)
    // Whatever the servers exchange after these answers would precede the answer to this request.
    left.send(request(1, 'ping'))
    await left.heard(4)
    right.send(request(2, 'ping'))
    await right.heard(1)
    await sleep(50)
    expect(left.lines.map((line) => JSON.parse(line).id)).toEqual([null, null, null, 1])
    expect(right.lines.map((line) => JSON.parse(line).id)).toEqual([2])
    left.child.kill('SIGKILL')
    right.child.kill('SIGKILL')
  })
})

describe('a call that reads a long log', () => {
  it('does not keep /health from answering', async () => {
    const cwd = await makeFolder()
    const filling = new Program(['mcp'], { cwd })
    const create = (id: number) =>
      request(id, 'tools/call', { name: 'node_create', arguments: { belief: 0.5, energy: 1 } })
    filling.send(...Array.from({ length: 4_000 }, (_, id) => create(id)))
    await filling.finish()
    const server = await startHttp([], { cwd })
    const call = async (name: string, args: object) => {
      const body = request(1, 'tools/call', { name, arguments: args })
      const accept = 'application/json, text/event-stream'
      const headers = { 'content-type': 'application/json', accept }
      return (await server.fetch('/mcp', { method: 'POST', headers, body })).text()
    }
    expect(await call('node_query', { node_id: '0' })).toContain('belief')
    let isOver = false
    const verdict = call('lineage_verify', {}).finally(() => {
      isOver = true
    })
    let answers = 0
    for (; !isOver; answers += 1) await (await server.fetch('/health')).text()
    expect(await verdict).toContain('intact')
    // A server that verifies without a pause answers one or two: before it begins, and after it ended.
    expect(answers).toBeGreaterThan(4)
    server.child.kill('SIGKILL')
  })
})
