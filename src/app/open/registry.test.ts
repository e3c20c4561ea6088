import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { CallRecord } from '../../kernel/ports.ts'
import type { RegistryReader } from '../../packets/ports.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { loadConfig } from '../config/load-config.ts'
import { openRegistry, recordResolutions } from './registry.ts'

const root = mkdtempSync(join(tmpdir(), 'warrant-resolve-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const repository = join(root, 'repository')
mkdirSync(join(repository, '.git', 'objects'), { recursive: true })
mkdirSync(join(repository, '.git', 'refs'))

const { signal } = new AbortController()
const { config } = loadConfig({}, { environment: {}, cwd: root })
const [ONE, OTHER] = [`sha256:${'1'.repeat(64)}`, `sha256:${'2'.repeat(64)}`] as const

const open = (folder: string, over: Partial<typeof config> = {}, fails = false) => {
  const records: CallRecord[] = []
  let digest: typeof ONE | typeof OTHER = ONE
  const registry = { resolve: async () => ({ digest, bytes: new Uint8Array() }) } as unknown as RegistryReader
  const record = async (call: CallRecord) => {
    if (fails) throw new Error('disk full')
    records.push(call)
    return undefined
  }
  const ports = { clock: systemClock, log: { write: () => {} }, recorder: { record } }
  const watched = recordResolutions(registry, { ...config, ...over }, folder, ports)
  const ask = (ref: object) => watched.resolve({ host: 'h', repository: 'r', ...ref }, signal)
  return { records, ask, move: () => (digest = OTHER) }
}

describe('a tag of a packet', () => {
  it('is recorded with the digest it stood for, once for each digest', async () => {
    const { records, ask, move } = open(repository)
    for (let n = 0; n < 3; n += 1) await ask({ tag: '1.0' })
    move()
    for (let n = 0; n < 3; n += 1) await ask({ tag: '1.0' })
    expect(records.map(({ tool, verdict }) => ({ tool, ...verdict }))).toEqual([
      { tool: 'packet.resolve', reference: 'oci://h/r:1.0', digest: ONE },
      { tool: 'packet.resolve', reference: 'oci://h/r:1.0', digest: OTHER },
    ])
  })

  it('is not recorded when a digest was asked for, for signatures, and outside of repositories', async () => {
    const { records, ask } = open(repository)
    await ask({ digest: ONE })
    await ask({ tag: `sha256-${'1'.repeat(64)}.sig` })
    const outside = open(root)
    await outside.ask({ tag: '1.0' })
    const readOnly = open(repository, { readOnly: true })
    await readOnly.ask({ tag: '1.0' })
    expect([...records, ...outside.records, ...readOnly.records]).toEqual([])
  })

  it('is answered although the record fails, which the log says', async () => {
    expect(await open(repository, {}, true).ask({ tag: '1.0' })).toMatchObject({ digest: ONE })
  })
})

describe('a registry of the settings', () => {
  it('is spoken to without TLS only where it is named with http://', () => {
    const registries = ['http://Plain.example:5000', 'https://b.example', 'c.example']
    const { settings } = openRegistry({ ...config, registry: 'a.example/team', registries }, {})
    expect(settings).toMatchObject({
      trusted: ['a.example', 'plain.example:5000', 'b.example', 'c.example'],
      plain: ['plain.example:5000'],
    })
  })
})
