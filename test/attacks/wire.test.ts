import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { Program, sweep } from '../support/binary.ts'
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
