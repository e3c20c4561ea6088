import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { inflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import manifest from '../package.json' with { type: 'json' }
import { createZip } from '../scripts/packaging/zip.mjs'
import { OPTIONAL_GRAMMARS } from '../src/kernel/text/languages.ts'
import { trackedFiles } from './support/module-graph.ts'

const read = (path: string): string => readFileSync(path, 'utf8')

describe('the packed package', () => {
  it('has the programs, the documents and the manual page, and no sources', () => {
    const words = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error']
    const [{ files, size }] = JSON.parse(execFileSync('npm', words, { encoding: 'utf8' }))
    const paths: string[] = files.map(({ path }: { path: string }) => path)
    expect(paths).toEqual(expect.arrayContaining([...Object.values(manifest.bin), ...manifest.man]))
    // Pages of docs/ link to the schemas.
    expect(paths.filter((path) => path.startsWith('spec/'))).toEqual(
      trackedFiles('spec').toSorted((a, b) => a.localeCompare(b)),
    )
    expect(paths.filter((path) => /^(?:src|test|scripts|rules|node_modules)\//.test(path))).toEqual([])
    // The model of the sentence embedder is most of it.
    const model = paths.filter((path) => path.startsWith('dist/model/'))
    expect(new Set(model)).toEqual(
      new Set(
        ['NOTICE.txt', 'minilm.bin', 'vocabulary.bin', 'vocabulary.txt'].map((name) => `dist/model/${name}`),
      ),
    )
    const rest: { path: string; size: number }[] = files.filter(
      ({ path }: { path: string }) => !model.includes(path),
    )
    expect(rest.reduce((sum, { size: bytes }) => sum + bytes, 0)).toBeLessThan(7_000_000)
    expect(size).toBeLessThan(3_000_000 + 15_500_000)
  })
})

describe('server.json', () => {
  it('has what the MCP registry asks for', () => {
    const Server = z.strictObject({
      $schema: z
        .string()
        .regex(/^https:\/\/static\.modelcontextprotocol\.io\/schemas\/[\d-]+\/server\.schema\.json$/),
      name: z
        .string()
        .max(200)
        .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
      title: z.string().min(1).max(100),
      description: z.string().min(1).max(100),
      version: z.literal(manifest.version),
    })
    expect(Server.parse(JSON.parse(read('server.json'))).name).toBe(manifest.mcpName)
  })
})

describe('the bundle', () => {
  const bundle = JSON.parse(read('packaging/mcpb/manifest.json'))

  it('has a manifest that starts our program with a folder that the user chooses', () => {
    const Bundle = z.strictObject({
      manifest_version: z.literal('0.4'),
      name: z.literal('warrant'),
      display_name: z.string(),
      version: z.literal(manifest.version),
      description: z.string(),
      author: z.strictObject({ name: z.string() }),
      license: z.literal(manifest.license),
      server: z.strictObject({
        type: z.literal('node'),
        entry_point: z.literal(`node_modules/warrant/${manifest.bin.warrant}`),
        mcp_config: z.strictObject({
          command: z.literal('node'),
          args: z.array(z.string()),
          env: z.strictObject({}),
        }),
      }),
      user_config: z.record(
        z.string(),
        z.strictObject({
          type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
          title: z.string(),
          description: z.string(),
          required: z.boolean(),
        }),
      ),
      tools: z.array(z.strictObject({ name: z.string(), description: z.string() })),
      tools_generated: z.literal(false),
      compatibility: z.strictObject({ runtimes: z.strictObject({ node: z.literal(manifest.engines.node) }) }),
    })
    const { server, user_config, tools } = Bundle.parse(bundle)
    const asked = server.mcp_config.args.flatMap((arg) => /\$\{user_config\.(\w+)\}/.exec(arg)?.[1] ?? [])
    expect(asked).toEqual(Object.keys(user_config))
    expect(server.mcp_config.args[0]).toBe(`\${__dirname}/${server.entry_point}`)
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
  })

  it('is a ZIP archive that depends on the files alone', () => {
    const files = ['b/ü.txt', 'a.js', 'empty'].map((name, index) => ({
      name,
      bytes: Buffer.from(name === 'empty' ? '' : `${name}\n`.repeat(1_000)),
      mode: index === 1 ? 0o755 : 0o644,
    }))
    const archive = createZip(files)
    expect(createZip(files.toReversed()).equals(archive)).toBe(true)
    // Read back by the directory at its end, as the format says.
    const end = archive.lastIndexOf('PK\u0005\u0006', undefined, 'latin1')
    let at = archive.readUInt32LE(end + 16)
    const found = Array.from({ length: archive.readUInt16LE(end + 10) }, () => {
      const [packed, size, length, offset] = [
        archive.readUInt32LE(at + 20),
        archive.readUInt32LE(at + 24),
        archive.readUInt16LE(at + 28),
        archive.readUInt32LE(at + 42),
      ]
      const name = archive.toString('utf8', at + 46, at + 46 + length)
      const mode = (archive.readUInt32LE(at + 38) >>> 16) & 0o777
      const start = offset + 30 + length
      const bytes = inflateRawSync(archive.subarray(start, start + packed))
      expect(bytes.length).toBe(size)
      at += 46 + length
      return { name, bytes, mode }
    })
    expect(found).toEqual(files.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    expect(at).toBe(end)
  })
})

describe('the container', () => {
  const lines = read('Containerfile').split('\n')
  const instructions = lines.filter((line) => /^[A-Z]+ /.test(line))

  it('has bases with exact versions, a user without rights, and a command without a shell', () => {
    const bases = instructions.filter((line) => line.startsWith('FROM '))
    for (const base of bases) expect(base).toMatch(/^FROM node:\d+\.\d+\.\d+-[\w-]+(?: AS \w+)?$/)
    expect(instructions.findLast((line) => line.startsWith('USER '))).toBe('USER node')
    expect(instructions.filter((line) => /^(?:CMD|ENTRYPOINT) /.test(line))).toEqual([
      'ENTRYPOINT ["warrant"]',
      'CMD ["mcp"]',
    ])
    expect(lines.join('\n')).not.toMatch(/https?:\/\/|sudo|:latest|curl|wget/)
    expect(
      read('.dockerignore')
        .split('\n')
        .filter((line) => /^[^#]/.test(line)),
    ).toEqual(['*', '!warrant-*.tgz'])
  })

  it('names the grammars in the versions that are tested, as all documents do', () => {
    const named = [...OPTIONAL_GRAMMARS.values()].map(({ name, version }) => `${name}@${version}`)
    const texts = ['Containerfile', 'action.yml', 'docs/install.md', 'docs/gate.md'].map(read).join('\n')
    const found = new Set([...texts.matchAll(/@ast-grep\/lang-\w+@\d[\d.]*\d/g)].map(([spec]) => spec))
    expect([...found].sort()).toEqual(named.sort())
  })
})

describe('the manual page', () => {
  const hasGroff = spawnSync('groff', ['--version']).status === 0

  it.skipIf(!hasGroff)('is formatted without a warning', () => {
    const words = ['-ww', '-man', '-Tutf8', '-z', 'man/warrant.1']
    const { status, stderr } = spawnSync('groff', words, { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})

describe('no text', () => {
  it('advises to install a package of our name from a registry, where it is not ours', () => {
    const texts = trackedFiles().filter((path) => /\.(?:md|ya?ml|ts|mjs|json|1)$|^Containerfile$/.test(path))
    const advice =
      /npm (?:i|install|add|exec)(?: -{1,2}[\w=-]+)* ["']?warrant(?:@|["'`\s),]|$)|npx (?!--no-install )(?:-\w+ )*warrant\b/
    const found = texts
      // Commands that the hook of agents judges are no advice.
      .filter((path) => !/^test\/(distribution|attacks)|^src\/hooks\/.*\.test\.ts$/.test(path))
      .flatMap((path) =>
        read(path)
          .split('\n')
          .flatMap((line, index) => (advice.test(line) ? [`${path}:${index + 1}`] : [])),
      )
    expect(found).toEqual([])
  })
})
