import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { firstSeq, packRun, unpackRun } from '../../src/platform/log-stores/sqlite/row-packing.ts'
import { LOG_SPAN } from '../../src/platform/log-stores/sqlite/schema.ts'
import { BINARY, cleanEnvironment } from '../support/binary.ts'
import { request } from '../support/messages.ts'

const bin = (name: string) => join(dirname(BINARY), `${name}.js`)
const folder = mkdtempSync(join(tmpdir(), 'warrant-lineage-'))

const run = (name: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin(name), ...args], {
    cwd: folder,
    env: cleanEnvironment({ WARRANT_GRAPH: 'default' }),
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}
const json = (...args: readonly string[]) => {
  const { status, stdout } = run('warrant', ...args, '--json')
  return { status, ...JSON.parse(stdout) }
}

const talk = (...lines: readonly string[]) =>
  execFileSync(process.execPath, [bin('scg-mcp-server')], {
    cwd: folder,
    env: cleanEnvironment({ WARRANT_GRAPH: 'default' }),
    input: `${lines.join('\n')}\n`,
    encoding: 'utf8',
  })

beforeAll(() => {
  talk(
    request(1, 'node.create', { belief: 0.9, energy: 10, claim: 'a <claim> & "more"' }),
    request(2, 'node.create', { belief: 0.1, energy: 10 }),
    request(3, 'edge.bind', { src: '0', dst: '1', weight: 0.5 }),
    request(4, 'edge.propagate', { edge_id: '0' }),
  )
})

describe('warrant log graph', () => {
  it('lists graphs, shows nodes with their claims, and queries one', () => {
    expect(json('log', 'graph', 'ls')).toMatchObject({
      status: 0,
      graphs: [{ graph: 'default', entries: 4, quarantine: null }],
    })
    expect(json('log', 'graph', 'show')).toMatchObject({
      nodes: [{ id: 0, claim: 'a <claim> & "more"' }, { id: 1 }],
      edges: [{ src: 0, dst: 1, weight: 0.5 }],
    })
    expect(json('log', 'graph', 'query', '1')).toMatchObject({ id: 1, incoming: [{ src: 0 }], outgoing: [] })
    expect(json('log', 'graph', 'stats')).toMatchObject({ healthy: true, node_count: 2, drift: 0 })
  })

  it.each([
    ['--dot', 'digraph', 'n0 -> n1'],
    ['--mermaid', 'flowchart', 'n0 -->'],
    ['--svg', '<svg', 'a &#60;claim&#62; &#38; &#34;more&#34;'],
  ])('draws with %s', (flag, start, part) => {
    const { status, stdout } = run('warrant', 'log', 'graph', 'show', flag)
    expect(status).toBe(0)
    expect(stdout.startsWith(start)).toBe(true)
    expect(stdout).toContain(part)
  })

  it('refuses a node that is not there, and a verb that is none', () => {
    expect(json('log', 'graph', 'query', '99')).toMatchObject({
      status: 4,
      error: { code: 'belief.node_unknown' },
    })
    expect(json('log', 'graph', 'dance')).toMatchObject({ status: 2, error: { code: 'usage.argument' } })
  })
})

describe('warrant log', () => {
  it('verifies the chain and does everything again', () => {
    expect(json('log', 'verify')).toMatchObject({
      status: 0,
      chain: { outcome: 'intact', size: 4 },
      execution: { outcome: 'same', entries: 4 },
    })
    expect(json('log', 'replay', '2').entries.map(({ seq }: { seq: number }) => seq)).toEqual([2, 3])
    expect(json('log', 'prove', '1')).toMatchObject({ index: 1, size: 4, holds: true })
    expect(json('log', 'repair')).toMatchObject({ status: 0, outcome: 'healthy' })
  })

  it('proves that the log has only grown since a checkpoint, and refuses one that was changed', () => {
    const old = run('warrant', 'log', 'checkpoint').stdout
    writeFileSync(join(folder, 'old.txt'), old)
    talk(request(1, 'node.mutate', { node_id: '0', delta: -0.1 }))
    expect(json('log', 'consistency', '--checkpoint', 'old.txt')).toMatchObject({
      status: 0,
      outcome: 'consistent',
    })
    writeFileSync(join(folder, 'forged.txt'), old.replace(/\n\d+\n/, '\n3\n'))
    expect(json('log', 'consistency', '--checkpoint', 'forged.txt')).toMatchObject({
      status: 1,
      outcome: 'unsigned',
    })
  })

  it('exports a bundle that the stand-alone verifier accepts, and not with a byte changed', () => {
    expect(json('log', 'export', 'bundle.json', '--bundle')).toMatchObject({ status: 'ok' })
    const good = run('lineage-verify', 'bundle.json')
    expect(good.status).toBe(0)
    expect(JSON.parse(good.stdout)).toMatchObject({ chain: { outcome: 'intact' }, matches: true })
    const text = readFileSync(join(folder, 'bundle.json'), 'utf8')
    writeFileSync(join(folder, 'bad.json'), text.replace('"node.mutate"', '"node.mutatE"'))
    expect(run('lineage-verify', 'bad.json').status).toBe(1)
  })

  it('erases what an entry was made from, with a reason, and every proof holds', () => {
    expect(json('log', 'erase', '0')).toMatchObject({ status: 2, error: { code: 'usage.option' } })
    expect(json('log', 'erase', '99', '--reason', 'x')).toMatchObject({ status: 4 })
    expect(json('log', 'erase', '0', '--reason', 'asked to')).toMatchObject({
      status: 0,
      outcome: 'erased',
      seq: 0,
    })
    expect(json('log', 'erase', '0', '--reason', 'again')).toMatchObject({ outcome: 'already erased' })
    // Without the entry that records the erasure, the payload would be missing without explanation.
    expect(json('log', 'erase', '5', '--reason', 'no trace')).toMatchObject({
      status: 3,
      error: { code: 'store.kept' },
    })
    expect(json('log', 'graph', 'show').nodes[0]).not.toHaveProperty('claim')
    expect(json('log', 'verify')).toMatchObject({
      status: 0,
      chain: { outcome: 'intact' },
      execution: { outcome: 'erased', at: 0 },
      erasures: { recorded: [0], unexplained: [] },
    })
    expect(json('log', 'prove', '0')).toMatchObject({ holds: true })
    const state = join(folder, '.warrant')
    for (const name of readdirSync(state)) {
      expect(readFileSync(join(state, name), 'latin1')).not.toContain('a <claim>')
    }
    expect(run('lineage-verify', 'bundle.json').status).toBe(0)
  })

  it('reports a payload that is missing without a recorded erasure', () => {
    const db = new DatabaseSync(join(folder, '.warrant', 'lineage.db'))
    const found = db.prepare('SELECT id, sizes, bytes FROM runs WHERE id & 4294967295 >= 2 ORDER BY id').get()
    const { id, sizes, bytes } = found as { id: number; sizes: Uint8Array; bytes: Uint8Array }
    const run = { seq: id % LOG_SPAN, sizes, bytes }
    const rows = unpackRun(run, firstSeq(run), LOG_SPAN)
    const forged = packRun(rows.map((row) => (row.seq === 2 ? { ...row, payload: null } : row)))
    db.prepare('UPDATE runs SET sizes = ?, bytes = ? WHERE id = ?').run(forged.sizes, forged.bytes, id)
    db.close()
    expect(json('log', 'verify')).toMatchObject({ status: 1, erasures: { unexplained: [2] } })
  })
})
