import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { makeFolder } from '../support/binary.ts'
import { notification, request } from '../support/messages.ts'
import { ScgServer } from './scg-client.ts'

/** A linear congruential generator with a fixed seed. */
const dice = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

/** A few hundred lines: valid calls, refused calls, and invalid messages. */
export const writeScript = (length = 400): readonly string[] => {
  const roll = dice(20_240_101)
  const pick = (count: number) => Math.floor(roll() * count)
  const id = () => String(pick(40))
  const moves: readonly (() => readonly [string, object?])[] = [
    () => ['node.create', { belief: roll(), energy: roll() * 100 }],
    () => ['node.create', { belief: roll(), energy: roll() / 1_000, claim: `claim ${pick(9)}` }],
    () => ['node.create', { belief: roll() * 2, energy: roll() * 2e12 }],
    () => ['node.mutate', { node_id: id(), delta: roll() - 0.5 }],
    () => ['node.query', { node_id: id() }],
    () => ['edge.bind', { src: id(), dst: id(), weight: roll() * 2 - 1 }],
    () => ['edge.bind', { src: id(), dst: id(), weight: (roll() - 0.5) * 2e6 }],
    () => ['edge.propagate', { edge_id: id() }],
    () => ['governor.status'],
    () => ['governance.status'],
    () => ['esv.audit', { node_id: id() }],
    () => ['lineage.replay', { limit: 1 + pick(20) }],
    () => ['lineage.export', { path: `part-${pick(3)}.json` }],
    () => ['tools/call', { name: 'node.query', arguments: { node_id: id() } }],
    () => [['ping', 'tools/list', 'resources/list', 'prompts/list', 'nonsense'][pick(5)] as string],
  ]
  const lines = Array.from({ length }, (_, line) => {
    const [method, params] = (moves[pick(moves.length)] as (typeof moves)[number])()
    if (pick(40) === 0) return 'this is no JSON'
    return pick(20) === 0 ? notification(method, params) : request(line, method, params)
  })
  return [
    request('open', 'initialize', {}),
    ...lines,
    request('end', 'lineage.export', { path: 'whole.json' }),
  ]
}

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

interface RunOptions {
  readonly args?: readonly string[]
  readonly launch?: readonly string[]
  /** Sends the next line only when the one before it is answered. */
  readonly slowly?: boolean
  /** Ends the server at this line and goes on with another. */
  readonly restartAt?: number
}

const hasAnswer = (line: string): boolean => !line.startsWith('{"jsonrpc":"2.0","method"')

/** Runs a script with the deterministic clock and returns the digests of its output and export. */
export const runScript = async (
  script: readonly string[],
  { args = [], launch = [process.execPath], slowly = false, restartAt = script.length }: RunOptions = {},
): Promise<{ readonly stdout: string; readonly exported: string }> => {
  const cwd = await makeFolder()
  let said = ''
  for (const lines of [script.slice(0, restartAt), script.slice(restartAt)]) {
    if (lines.length === 0) continue
    const server = new ScgServer({ args, cwd, launch, env: { SCG_DETERMINISM: '1' } })
    let expected = 0
    for (const line of slowly ? lines : []) {
      server.send(line)
      expected += hasAnswer(line) ? 1 : 0
      await server.received(expected)
    }
    if (!slowly) server.send(...lines)
    // On a busy machine the answers take longer than a server goes on after its client has hung up.
    const answers = lines.filter(hasAnswer).length
    for (let count = Math.min(100, answers); count <= answers; count += 100) await server.received(count)
    const { code, stdout, stderr } = await server.finish()
    expect(code).toBe(0)
    expect(stderr).not.toContain('"level":"error"')
    said += stdout
  }
  expect(said.split('\n')).toHaveLength(script.filter(hasAnswer).length + 1)
  return { stdout: sha256(said), exported: sha256(await readFile(join(cwd, 'whole.json'))) }
}
