import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describePeers, peerNode } from '../peers/peers.ts'
import { sweep } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { IN_MEMORY, stopServers } from './scg-client.ts'
import { runScript, writeScript } from './scg-script.ts'

afterAll(async () => {
  stopServers()
  await sweep()
})

const script = writeScript()
let first: Awaited<ReturnType<typeof runScript>>

beforeAll(async () => {
  first = await runScript(script)
})

describe('one script', () => {
  test('has something of everything', () => {
    expect(script.length).toBeGreaterThan(400)
    const tools = [
      'node.create',
      'node.mutate',
      'node.query',
      'edge.bind',
      'edge.propagate',
      'governor.status',
    ]
    const rest = ['esv.audit', 'lineage.replay', 'lineage.export', 'governance.status', 'this is no JSON']
    for (const word of [...tools, ...rest]) {
      expect(script.filter((line) => line.includes(word)).length).toBeGreaterThan(4)
    }
  })

  test('run twice gives the same bytes on stdout and in the export', async () => {
    expect(await runScript(script)).toEqual(first)
  })

  test('gives the same bytes line by line as all at once', async () => {
    expect(await runScript(script, { slowly: true })).toEqual(first)
  })

  test('gives the same bytes whatever keeps the log', async () => {
    expect(await runScript(script, { args: IN_MEMORY })).toEqual(first)
  })

  test('gives the same bytes when the server ends and another goes on', async () => {
    for (const restartAt of someRows([100, 333], 2, 1))
      expect(await runScript(script, { restartAt })).toEqual(first)
  })

  test('gives the same bytes however often the graph is saved on the way', async () => {
    expect(await runScript(script, { args: ['--snapshot-every', '1'] })).toEqual(first)
  })

  test('gives other bytes when one number in it is another', async () => {
    const other = script.map((line) => line.replace('"delta":0.', '"delta":0.0'))
    const { stdout, exported } = await runScript(other)
    expect(stdout).not.toBe(first.stdout)
    expect(exported).not.toBe(first.exported)
  })
})

await describePeers('one script on a newer Node.js', () => {
  test('gives the same bytes', async () => {
    expect(await runScript(script, { launch: [peerNode()] })).toEqual(first)
  })
})
