import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder, Program, sweep } from '../support/binary.ts'
import { request } from '../support/messages.ts'

afterAll(sweep)

/** Two nodes that pull node 2 in opposite directions, and what `belief_explain` says about it. */
const explain = async (args: readonly string[]) => {
  const program = new Program(['mcp', '--store', 'memory', ...args])
  const calls: readonly (readonly [string, object])[] = [
    ['node_create', { belief: 1, energy: 10 }],
    ['node_create', { belief: 0, energy: 10 }],
    ['node_create', { belief: 0.5, energy: 10 }],
    ['edge_bind', { src: '0', dst: '2', weight: 1 }],
    ['edge_bind', { src: '1', dst: '2', weight: 0.5 }],
    ['edge_propagate', { edge_id: '0' }],
    ['belief_explain', { node_id: '2' }],
  ]
  program.send(...calls.map(([name, input], id) => request(id + 1, 'tools/call', { name, arguments: input })))
  await program.finish()
  const line = program.lines.find((one) => JSON.parse(one).id === calls.length)
  return JSON.parse(line ?? '{}').result.structuredContent
}

describe('the topology of a belief graph', () => {
  it('is not told by belief_explain: amounts by sign, and no source', async () => {
    const told = await explain([])
    expect(Object.keys(told)).toEqual(['node_id', 'belief', 'raised', 'lowered', 'history', 'truncated'])
    expect(told.raised).toBeGreaterThan(0)
    expect(told.lowered).toBeLessThan(0)
    expect(told.belief).toBeCloseTo(0.5 + told.raised + told.lowered, 12)
  })

  it('is told where the operator says --reveal-topology', async () => {
    const { influences, raised, lowered } = await explain(['--reveal-topology'])
    expect(influences).toEqual([
      { source: 0, moved: raised, ticks: 1 },
      { source: 1, moved: lowered, ticks: 1 },
    ])
  })

  it('is not opened by a warrant.json that came with the repository', async () => {
    const folder = await makeFolder()
    await writeFile(join(folder, 'warrant.json'), '{"revealTopology":true}')
    const program = new Program(['mcp', '--store', 'memory'], { cwd: folder })
    const { code, stderr } = await program.finish()
    expect(code).not.toBe(0)
    expect(stderr).toContain('revealTopology')
  })
})
