import { chmod, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { analyse } from '../../src/architecture/architecture.ts'
import { memoryFiles } from '../../src/architecture/source/memory-files.fake.ts'
import { maskAll } from '../../src/kernel/text/secrets.ts'
import { syntaxTrees } from '../../src/platform/syntax/syntax-trees.ts'
import { describePeers } from '../peers/peers.ts'
import { converse, makeFolder, sweep } from '../support/binary.ts'
import { javaProject } from '../support/java-project.ts'
import { parseMermaid } from '../support/mermaid.ts'
import { factsOf, type Message, request } from '../support/messages.ts'
import { Sentinel, textOf, verdict } from '../support/sentinel.ts'

const copyOf = async (fixture: string): Promise<string> => {
  const folder = await makeFolder()
  await cp(join('test/fixtures', fixture), folder, { recursive: true })
  return folder
}

const readFixture = async (name: string): Promise<Record<string, string>> => {
  const root = join('test/fixtures', name)
  const entries = (await readdir(root, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  )
  const texts = entries.map(async (one) => {
    const path = join(one.parentPath, one.name)
    return [relative(root, path), await readFile(path, 'utf8')] as const
  })
  return Object.fromEntries(await Promise.all(texts))
}

const lay = async (root: string, files: Readonly<Record<string, string>>): Promise<string> => {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return root
}

let orders: Sentinel
let market: Sentinel
let ordersRoot: string

beforeAll(async () => {
  ordersRoot = await copyOf('orders')
  orders = new Sentinel(ordersRoot)
  market = new Sentinel(await copyOf('market'))
})

afterAll(sweep)

const json = async (server: Sentinel, tool: string, args: Record<string, unknown> = { projectPath: '.' }) => {
  const reply = await server.ask(tool, args)
  expect(verdict(reply)).toBe('success')
  const text = textOf(reply)
  expect(JSON.parse(text)).toEqual(reply.result?.structuredContent)
  return JSON.parse(text)
}

/** Starts a server on these files for one call. */
const study = async (
  files: Readonly<Record<string, string>>,
  tool: string,
  args?: Record<string, unknown>,
) => {
  const server = new Sentinel(await lay(await makeFolder(), files))
  const found = await json(server, tool, args)
  await server.finish()
  return found
}

describe('get_project_structure', () => {
  it('tells coordinates, packages in order and what is in-house', async () => {
    const found = await json(orders, 'get_project_structure', { projectPath: '.', orgPattern: 'org.junit.*' })
    expect(found.root.maven).toEqual({
      groupId: 'shop',
      artifactId: 'orders',
      version: '1.2.0',
      modules: [],
      missing: false,
    })
    const names = found.root.modules[0].packages.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['shop.orders', 'shop.orders.client', 'shop.orders.service', 'shop.orders.web'])
    expect(
      found.dependencies.map((one: { groupId: string; inHouse: boolean }) => [one.groupId, one.inHouse]),
    ).toEqual([
      ['org.junit.jupiter', true],
      ['org.springframework.boot', false],
      ['shop.platform', true],
    ])
  })

  it('ends its tree with the numbers of the data', async () => {
    const { tree, project } = await json(market, 'get_project_structure')
    const { javaFilesCount, totalPackages, configFilesCount } = project.statistics
    expect(tree.split('\n')[0]).toBe('market (market:market:2.0-SNAPSHOT)')
    expect(tree.split('\n').at(-1)).toBe(
      `Total: ${javaFilesCount} Java files | ${totalPackages} packages | ${configFilesCount} config files`,
    )
    expect(project.modules).toEqual(['.', 'api', 'core', 'jax'])
  })

  it('follows modules as far as they are there, inherits from parents, and warns of the rest', async () => {
    const pom = (name: string, inside = '', group = '') =>
      `<project>${group}<artifactId>${name}</artifactId>${inside}</project>`
    const parent =
      '<parent><groupId>up</groupId><artifactId>parent-of-all</artifactId><version>7</version></parent>'
    const modules = (...names: string[]) =>
      `<modules>${names.map((name) => `<module>${name}</module>`).join('')}</modules>`
    const found = await study(
      {
        'pom.xml': pom('top', modules('a', 'gone', '../outside'), parent),
        'a/pom.xml': pom('a', modules('deep')),
        'a/deep/pom.xml': pom('deep'),
        'a/deep/src/main/java/x/B.java': 'package x; class B {}',
        'a/deep/src/main/java/x/A.java': 'package x; class A {}',
      },
      'get_project_structure',
    )
    expect(found.root.maven).toMatchObject({ groupId: 'up', artifactId: 'top', version: '7', missing: false })
    expect(found.project.modules).toEqual(['.', 'a', 'a/deep'])
    const deep = found.root.modules.find(({ path }: { path: string }) => path === 'a/deep')
    expect(deep.packages).toMatchObject([
      { name: 'x', files: [/A\.java$/, /B\.java$/].map((name) => expect.stringMatching(name)) },
    ])
    expect(found.warnings.map(({ message }: { message: string }) => message).join('\n')).toMatch(
      /gone[\s\S]*outside|outside[\s\S]*gone/,
    )
  })

  it('does not see what builds and tools leave behind', async () => {
    const found = await study(
      {
        'src/main/java/A.java': 'class A {}',
        'target/B.java': 'class B {}',
        'build/C.java': 'class C {}',
        '.idea/x.xml': '<a/>',
        'out/D.class': '',
      },
      'get_project_structure',
    )
    expect(found.root.maven).toEqual({ missing: true })
    expect(JSON.stringify(found)).not.toMatch(/target|build|\.idea|D\.class/)
  })

  it('expands no entity', async () => {
    const bomb =
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><project><artifactId>&e;</artifactId></project>'
    const found = await study({ 'pom.xml': bomb }, 'get_project_structure')
    expect(found.root.maven.missing).toBe(true)
    expect(found.warnings[0]).toMatchObject({ code: 'pom_invalid', file: 'pom.xml' })
    expect(JSON.stringify(found)).not.toContain('root:')
  })
})

describe('discover_service_interconnections', () => {
  it.each(['orders', 'market'])(
    'tells of %s all that its constructs say, through the binary',
    async (name) => {
      const { discovery_summary: answered } = await json(
        name === 'orders' ? orders : market,
        'discover_service_interconnections',
      )
      const texts = await readFixture(name)
      const known = maskAll(
        await analyse(memoryFiles(texts), syntaxTrees(), { at: '', checkDeadline: () => {} }),
      ).connections
      type Row = {
        protocol: string
        endpoint?: string
        target_service?: string
        source_file: string
        line: number
      }
      const lines = (all: readonly Row[]) =>
        all.map((one) =>
          [one.protocol, one.endpoint ?? one.target_service, one.source_file, one.line].join(' '),
        )
      expect(lines(answered.inbound_services)).toEqual(lines(known.inbound))
      expect(lines(answered.outbound_services)).toEqual(lines(known.outbound))
      expect(answered.inbound_services.length + answered.outbound_services.length).toBeGreaterThan(20)
      expect(JSON.stringify(answered)).not.toMatch(/s3cret|hunter2|pa55/)
    },
  )

  it('has the shape its clients know', async () => {
    const { discovery_summary: found } = await json(orders, 'discover_service_interconnections')
    expect(Object.keys(found)).toEqual(['inbound_services', 'outbound_services', 'connection_mapping'])
    expect(found.connection_mapping.inbound).toContain('Inbound: REST -> GET /api/orders/{id}')
    expect(found.connection_mapping.outbound).toContain('Outbound: http://billing/api via REST')
    expect(found.outbound_services).toContainEqual(
      expect.objectContaining({ target_service: 'inventory', protocol: 'REST', type: 'FeignClient' }),
    )
  })

  it('believes neither comments nor strings nor tests, and takes no namespace for a service', async () => {
    const text = JSON.stringify(await json(orders, 'discover_service_interconnections'))
    expect(text).not.toMatch(/ghost|phantom|only-in-tests|maven\.apache\.org|w3\.org/)
  })

  it('gives each thing once, with its line, the same every time', async () => {
    const first = await json(market, 'discover_service_interconnections')
    expect(await json(market, 'discover_service_interconnections')).toEqual(first)
    const { inbound_services, outbound_services } = first.discovery_summary
    const all = [...inbound_services, ...outbound_services].map((one) => JSON.stringify(one))
    expect(new Set(all).size).toBe(all.length)
    for (const one of [...inbound_services, ...outbound_services]) expect(one.line).toBeGreaterThan(0)
  })

  it.each([
    ['gone', '-32602 not_found'],
    ['pom.xml', '-32602 not_a_directory'],
    ['', '-32602 empty_path'],
    ['../x', '-32000 traversal'],
    ['~', '-32000 home'],
    ['/etc', '-32000 outside_root'],
    ['.git', '-32602 blocked_name'],
    [5, '-32602 invalid_type'],
    [undefined, '-32602 missing_param'],
  ])('answers the path %j with %s', async (projectPath, expected) => {
    for (const tool of [
      'discover_service_interconnections',
      'get_project_structure',
      'extract_architectural_signatures',
    ])
      expect(verdict(await orders.ask(tool, { projectPath }))).toBe(expected)
    expect(verdict(await orders.ask('analyze_project', { rootPath: projectPath }))).toBe(expected)
  })

  it('goes on past loops, links out, and what cannot be read', async () => {
    const root = await lay(await makeFolder(), {
      'src/main/java/A.java': '@RestController class A { @GetMapping("/a") void a() {} }',
      'src/main/java/Latin.java': 'class Latin {}',
      'src/main/java/Locked.java': 'class Locked {}',
    })
    const outside = await lay(await makeFolder(), {
      'B.java': '@RestController class B { @GetMapping("/outside") void b() {} }',
    })
    await symlink('..', join(root, 'src/loop'))
    await symlink(outside, join(root, 'src/main/java/out'))
    await writeFile(join(root, 'src/main/java/Latin.java'), Buffer.from([0x63, 0xe9, 0x0a]))
    await chmod(join(root, 'src/main/java/Locked.java'), 0)
    const server = new Sentinel(root)
    const found = await json(server, 'discover_service_interconnections')
    await server.finish()
    const inbound = found.discovery_summary.inbound_services
    expect(inbound.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual(['GET /a'])
    expect(found.warnings).toContainEqual(
      expect.objectContaining({ code: 'file_unreadable', file: 'src/main/java/Latin.java' }),
    )
  })
})

describe('extract_architectural_signatures', () => {
  it('tells roles, resolved annotations and what is injected', async () => {
    const { files } = await json(orders, 'extract_architectural_signatures')
    const service = files.find(({ file }: { file: string }) => file.endsWith('OrderService.java'))
    expect(service.package).toBe('shop.orders.service')
    expect(service.types[0]).toMatchObject({ name: 'OrderService', kind: 'class', roles: ['Service'] })
    expect(service.types[0].injects).toContain('InventoryClient')
    const configured = service.types[0].methods.find(({ name }: { name: string }) => name === 'configured')
    expect(configured.annotations).toEqual([{ name: 'KafkaListener', args: { topics: ['orders.created'] } }])
    expect(files.some(({ file }: { file: string }) => file.includes('src/test'))).toBe(false)
  })
})

describe('analyze_project', () => {
  it('gives every box and every arrow a source', async () => {
    const { graph, mermaid } = await json(market, 'analyze_project', { rootPath: '.' })
    const lines = mermaid.split('\n')
    expect(lines[0]).toBe('graph TD')
    expect(lines.length).toBe(1 + graph.nodes.length + graph.edges.length)
    const ids = graph.nodes.map(({ id }: { id: string }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^(APP|CTRL|SVC|REP|EXT)_[A-Za-z0-9_]+$/)
    for (const { from, to, source } of graph.edges) {
      expect(ids).toEqual(expect.arrayContaining([from, to]))
      const text = await readFile(join('test/fixtures/market', source.file), 'utf8')
      expect(text.split('\n').length).toBeGreaterThanOrEqual(source.line)
    }
  })

  it('leaves a trace that does not change while the project does not', async () => {
    const first = await json(orders, 'analyze_project', { rootPath: '.' })
    const second = await json(orders, 'analyze_project', { rootPath: '.' })
    expect(second.trace.snapshot).toBe(first.trace.snapshot)
    expect(JSON.stringify(first)).not.toMatch(/s3cret|hunter2/)
  })

  it.each([
    'get_project_structure',
    'discover_service_interconnections',
    'extract_architectural_signatures',
    'analyze_project',
    'generate_master_arch_report',
  ])('reports progress of %s to a client that asks for it', async (name) => {
    const server = new Sentinel(await copyOf('orders'))
    const args = name === 'analyze_project' ? { rootPath: '.' } : { projectPath: '.' }
    server.send(request(1, 'tools/call', { name, arguments: args, _meta: { progressToken: 'p' } }))
    expect((await server.answer(1)).error).toBeUndefined()
    const progress = (await server.answers(server.lines.length)).filter(
      ({ method }) => method === 'notifications/progress',
    )
    expect(progress.length).toBeGreaterThan(0)
    expect(progress.every(({ params }) => params?.progressToken === 'p')).toBe(true)
    await server.finish()
  })
})

await describePeers('the diagram, read by Mermaid itself', () => {
  const diagramOf = async (server: Sentinel) =>
    (await json(server, 'analyze_project', { rootPath: '.' })).mermaid

  it('is a flowchart for the projects of the tests', async () => {
    for (const server of [orders, market])
      expect(await parseMermaid(await diagramOf(server))).toBe('flowchart-v2')
  })

  it('is one for a project of nothing', async () => {
    const { mermaid } = await study({ 'readme.md': '' }, 'analyze_project', { rootPath: '.' })
    expect(mermaid).toBe('graph TD')
    expect(await parseMermaid(mermaid)).toBe('flowchart-v2')
  })

  it('survives names that mean something to Mermaid, and tells namesakes apart', async () => {
    const { mermaid, graph } = await study(
      {
        'a/end.java': 'package a; @Service class end { end(graph g) {} }',
        'b/end.java': 'package b; @Service class end { }',
        'b/graph.java': 'package b; @Service class graph { }',
        'b/Odd.java':
          'package b; @Service class Odd { KafkaTemplate<String,String> k; void x() { k.send("end", "p"); k.send("a\\"]; B-->C[\\"", "p"); k.send("x|y`z<b>#1;%%{init}%%", "p"); k.send("a sentence that ends with end", "p"); } }',
      },
      'analyze_project',
      { rootPath: '.' },
    )
    expect(await parseMermaid(mermaid)).toBe('flowchart-v2')
    expect(mermaid).not.toMatch(/\bend\b/)
    expect(graph.renamed).toEqual(['end (b/end.java)'])
    for (const [, label = ''] of mermaid.matchAll(/"([^"]*)"/g))
      expect([...label].length).toBeLessThanOrEqual(20)
    expect(mermaid.split('\n').length).toBe(1 + graph.nodes.length + graph.edges.length)
  })
})

await describePeers('a large project', () => {
  let large: Sentinel
  let root: string
  beforeAll(async () => {
    root = await lay(await makeFolder(), javaProject(450))
    large = new Sentinel(root)
  })

  it('does not block other calls', async () => {
    const slow = large.call('analyze_project', { rootPath: '.' })
    const quick = large.call('readJavaFile', { path: 'pom.xml' })
    await Promise.all([large.answer(slow), large.answer(quick)])
    const order = large.lines.map((line) => JSON.parse(line).id)
    expect(order.indexOf(quick)).toBeLessThan(order.indexOf(slow))
  })

  it('is drawn as far as it can be shown, and says what is missing', async () => {
    const { mermaid, report, graph } = await json(large, 'analyze_project', { rootPath: '.' })
    expect(graph.nodes.length).toBeGreaterThan(400)
    expect(mermaid.length).toBeLessThan(50_000)
    expect(mermaid.match(/-->/g)?.length).toBeLessThanOrEqual(400)
    expect(await parseMermaid(mermaid)).toBe('flowchart-v2')
    expect(report).toMatch(/\d+ nodes and \d+ edges are not shown/)
  })

  it('is stopped when the client cancels', async () => {
    const id = large.call('analyze_project', { rootPath: '.' })
    large.send(
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }),
    )
    await json(large, 'get_project_structure')
    expect(large.lines.some((line) => JSON.parse(line).id === id)).toBe(false)
  })

  it('is shortened to the answer limit', async () => {
    const { messages } = await converse(
      [
        request(1, 'tools/call', {
          name: 'extract_architectural_signatures',
          arguments: { projectPath: '.' },
        }),
      ],
      ['--root', root],
    )
    const text = textOf(messages[0] as Message)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(100_000)
    expect(JSON.parse(text).cut).toMatch(/files: \d+ of 4\d\d/)
  })
})

describe('generate_master_arch_report', () => {
  const savedAs = (message: Message) => factsOf(message) as { fileName: string; path: string; bytes: number }
  const sections = (text: string) => text.split('\n').filter((line) => /^##? /.test(line))

  it('writes five sections in order, with bullets, tables and one diagram', async () => {
    const reply = await orders.ask('generate_master_arch_report', {})
    const { fileName, path, bytes } = savedAs(reply)
    expect(fileName).toMatch(/^SENTINEL_REPORT_\d{8}(_\d{2})?\.md$/)
    expect(path.endsWith(`/${fileName}`)).toBe(true)
    const text = await readFile(join(ordersRoot, fileName), 'utf8')
    expect(text).toBe(textOf(reply))
    expect(reply.result.content.at(-1).text).toBe(`[saved as ${path}, ${bytes} bytes]`)
    expect(Buffer.byteLength(text)).toBe(bytes)
    expect(sections(text)).toEqual([
      '# Sentinel Architecture Report',
      '## Executive summary',
      '## Dependencies',
      '## Architecture diagram',
      '## Refactoring suggestions',
    ])
    const summary =
      text
        .split('## ')[1]
        ?.split('\n')
        .filter((line) => line.startsWith('- ')) ?? []
    expect(summary.length).toBeGreaterThanOrEqual(3)
    expect(summary.length).toBeLessThanOrEqual(7)
    expect(text).toContain('| Module | GroupId | ArtifactId | Version |')
    expect(text).toContain('| Source | Type | Target | Call type |')
    expect(text).toContain('| OrderService | REST | inventory | FeignClient |')
    expect(text.match(/^```mermaid$/gm)).toHaveLength(1)
    expect(text).not.toMatch(/s3cret|hunter2/)
    expect(text).toMatch(/\*\*critical\*\* `spring\.datasource\.password`/)
  })

  it('writes the next beside it, in Spanish when asked', async () => {
    const reply = await orders.ask('generate_master_arch_report', { lang: 'es' })
    expect(savedAs(reply).fileName).toMatch(/_\d{2}\.md$/)
    expect(sections(textOf(reply))).toEqual([
      '# Sentinel Architecture Report',
      '## Resumen ejecutivo',
      '## Dependencias',
      '## Diagrama de arquitectura',
      '## Sugerencias de refactorización',
    ])
    expect(textOf(reply)).toContain('| Módulo | GroupId | ArtifactId | Version |')
    expect(textOf(reply)).toContain('| Origen | Tipo | Destino | Tipo de llamada |')
  })

  it('has the digest of the build file, which changes with it', async () => {
    const digestOf = async () =>
      /SHA-256 of pom\.xml: `([0-9a-f]{64})`/.exec(
        textOf(await orders.ask('generate_master_arch_report', {})),
      )?.[1]
    const first = await digestOf()
    const pom = join(ordersRoot, 'pom.xml')
    await writeFile(pom, `${await readFile(pom, 'utf8')}\n`)
    expect(await digestOf()).not.toBe(first)
  })

  it('lets no name become markup', async () => {
    const root = await lay(await makeFolder(), {
      'pom.xml':
        '<project><groupId>g</groupId><artifactId>a</artifactId><dependencies><dependency><groupId>a|b</groupId><artifactId>`c`</artifactId><version>&lt;img src=x&gt;</version></dependency></dependencies></project>',
    })
    const server = new Sentinel(root)
    const text = textOf(await server.ask('generate_master_arch_report', {}))
    await server.finish()
    expect(text).toContain('| . | a\\|b | \\`c\\` | &lt;img src=x&gt; |')
    for (const name of await readdir(root)) if (name.startsWith('SENTINEL')) await rm(join(root, name))
  })
})
