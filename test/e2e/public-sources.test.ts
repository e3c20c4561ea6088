import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Program, sweep } from '../support/binary.ts'
import { fetchPackage, type PublicPackage } from '../support/public-package.ts'

/** Public packages as test data. The expected numbers were counted by other tools. */

afterAll(sweep)

const ANDROID: PublicPackage = {
  name: '@capacitor/android',
  version: '8.5.2',
  integrity:
    'sha512-rtiaz78egCcS+vs29wkWCL3C+RhazKMSygXcjutwWP8NmO6r5UBxOvGf3Wjz5+ahobyQ723tn9gCePwRwcNDZQ==',
}
const TEMPLATES: PublicPackage = {
  name: 'generator-jvm',
  version: '1.18.99',
  integrity:
    'sha512-UOttSuZISF9tFgNpdC4X0og3tjI2L/wONNJFod6HIqhDBMSpbs3xyeDj/ukAkrJGZk47n+3CbmQGaKLhH+/qOg==',
}

const filesIn = (root: string, ending: RegExp): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => ending.test(path) && !/\/(test|androidTest)\//.test(path))
    .sort()

const askAll = async (root: string, ...calls: readonly (readonly [name: string, args: object])[]) => {
  const program = new Program(['--root', root], { binary: 'sentinel-mcp' })
  const answers = []
  for (const [at, [name, args]] of calls.entries()) {
    const params = { name, arguments: args }
    program.send(JSON.stringify({ jsonrpc: '2.0', id: at, method: 'tools/call', params }))
    const answer = (await program.answers(at + 1, 120_000)).at(-1) as {
      result?: { content: [{ text: string }]; structuredContent?: unknown }
      error?: unknown
    }
    expect(answer.error).toBeUndefined()
    answers.push(answer.result?.content[0].text ?? '')
  }
  expect((await program.finish()).code).toBe(0)
  return answers
}

describe('public packages', () => {
  test('an Android library of 60 files: every file is seen and every type found', async ({ skip }) => {
    const root = await fetchPackage(ANDROID)
    if (root === undefined) return skip('offline')
    const [structure = '', signatures = '', report = ''] = await askAll(
      root,
      ['get_project_structure', { projectPath: '.' }],
      ['extract_architectural_signatures', { projectPath: '.' }],
      ['generate_master_arch_report', { projectPath: '.' }],
    )
    const sources = filesIn(root, /\.java$/)
    expect(sources.length).toBeGreaterThan(50)
    const { files: found } = JSON.parse(signatures) as {
      files: { file: string; types: { name: string }[] }[]
    }
    const java = found.filter(({ file }) => file.endsWith('.java'))
    expect(java.map(({ file }) => file).sort()).toEqual(sources)
    const unnamed = java.filter(
      ({ file, types }) => !types.some(({ name }) => name === basename(file, '.java')),
    )
    expect(unnamed).toEqual([])
    expect(JSON.stringify(JSON.parse(structure))).toContain('com.getcapacitor')
    expect(report).toContain('Sentinel Architecture Report')
  })

  test('ready-made Spring and Jakarta services in Java and Kotlin: the routes that a reader finds', async ({
    skip,
  }) => {
    const root = await fetchPackage(TEMPLATES)
    if (root === undefined) return skip('offline')
    const [text = ''] = await askAll(root, ['discover_service_interconnections', { projectPath: '.' }])
    const { inbound_services: inbound } = JSON.parse(text).discovery_summary as {
      inbound_services: { endpoint: string; source_file: string; line: number }[]
    }
    const routes = (path: string) =>
      inbound
        .filter(({ source_file }) => source_file.startsWith(`generators/app/templates/${path}/`))
        .map(({ endpoint }) => endpoint)
    expect(routes('java-spring-boot-1.x')).toEqual(['GET /', 'GET /{name}'])
    expect(routes('java-spring-boot-2.0.x')).toEqual(['GET /', 'GET /api/hello', 'GET /api/**'])
    expect(routes('kotlin-spring-boot-1.x')).toEqual(['GET /', 'GET /{name}'])
    expect(routes('kotlin-spring-boot-2.0.x')).toEqual(['GET /', 'GET /api/**'])
    expect(routes('java-thorntail')).toEqual(['GET /api/v1/hello', 'GET /api/v1/hello/{uuid}'])
    expect(routes('java-payara-micro')).toEqual(['POST /', 'GET /'])
    // The line of each row contains the route.
    for (const { source_file, line } of inbound) {
      const lines = readFileSync(join(root, source_file), 'utf8').split('\n')
      expect(lines.slice(Math.max(0, line - 4), line + 4).join('\n')).toMatch(/Get|GET|Post|POST|Path|route/)
    }
  })
})
