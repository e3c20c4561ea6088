import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { describePeers, importPeer, peerFile } from '../peers/peers.ts'
import { BACKEND, gate, gateJson, LOG } from '../support/gate.ts'
import { makePem } from '../support/private-key.ts'
import { Repo } from '../support/repository.ts'

type Validate = ((value: unknown) => boolean) & { readonly errors?: readonly unknown[] | null }
type Ajv = new (
  options: object,
) => { addMetaSchema(schema: unknown): void; compile(schema: unknown): Validate }

/** The schema its editors publish, and the validator that is installed with it: it is written in draft 4. */
const sarifValidator = (): Validate => {
  const load = createRequire(peerFile('@microsoft/jest-sarif/package.json'))
  const Validator = load('ajv') as Ajv
  const ajv = new Validator({ schemaId: 'id', allErrors: true })
  ajv.addMetaSchema(load('ajv/lib/refs/json-schema-draft-04.json'))
  return ajv.compile(load('./lib/schemas/sarif-2.1.0-rtm.5.json'))
}

interface XmlLibrary {
  readonly XMLValidator: { validate(text: string): unknown }
  readonly XMLParser: new (options: object) => { parse(text: string): Xml }
}
type Attributes = Readonly<Record<string, string>>
interface TestCase extends Attributes {}
interface Xml {
  readonly testsuites: Attributes & { readonly testsuite: { readonly testcase: readonly TestCase[] } }
}

const HOSTILE = `src/a "b" <c> & 'd' ñ 100% #?.ts`

/** Every kind of finding there is: new, known, suppressed, without a place, in a file with any name. */
const everything = (): Repo => {
  const repo = Repo.init().commit({ 'package.json': BACKEND, 'src/old.ts': LOG, 'openspec/project.md': '' })
  return repo.stage({
    'src/old.ts': `${LOG}// warrant-ignore backend.no-console-log: "meant" <so>\n${LOG}`,
    [HOSTILE]: `${LOG}let a: any = '\u0007]]>'\n`,
    'src/broken.ts': 'let a = (1 +\n',
    'src/huge.ts': `// ${'x'.repeat(2 * 1024 * 1024)}\n`,
  })
}
// A guard that was switched off is a finding without a line.
const BYPASS = { env: { PUMUKI_SDD_BYPASS: '1' } }
const clean = () => Repo.init().commit({ 'package.json': BACKEND })

await describePeers('reports of the gate', () => {
  it.each([
    ['with everything in it', everything, 1],
    ['with nothing in it', clean, 0],
  ])('%s are SARIF by its published schema', (_, build, status) => {
    const validate = sarifValidator()
    const run = gate(build(), ['--sarif'], BYPASS)
    const document = JSON.parse(run.stdout)
    expect(run.status).toBe(status)
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true)
    // The schema rejects an unknown level and a line below 1.
    for (const [level, startLine] of [['fatal', 1] as const, ['error', 0] as const]) {
      const location = { physicalLocation: { artifactLocation: { uri: 'a' }, region: { startLine } } }
      const result = { message: { text: 'm' }, level, locations: [location] }
      expect(validate({ ...document, runs: [{ ...document.runs[0], results: [result] }] })).toBe(false)
    }
  })

  it.each(['text', 'json', 'sarif', 'junit'])('as %s show no secret they found', (format) => {
    const credential = ['AK', 'IAQ3EGRZ7WN5MXK2TB'].join('')
    const pem = makePem()
    const [, body = ''] = pem.split('\n')
    const repo = Repo.init().commit({ 'package.json': BACKEND })
    repo.stage({
      'src/a.ts': `${LOG}const a = '${credential}'\n${LOG}const b = '${pem.replaceAll('\n', '\\n')}'\n`,
      'src/b.ts': `const b = \`${pem}\`\n${LOG}export const apiToken = '${body}'\n`,
    })
    const options = format === 'text' ? [] : [`--${format}`]
    const { stdout, stderr } = gate(repo, options, BYPASS)
    expect(stdout).toMatch(/aws-access-key-id|AWS_ACCESS_KEY_ID/)
    expect(stdout).toMatch(/private-key|PRIVATE_KEY/)
    for (const secret of [credential, body]) expect(stdout + stderr).not.toContain(secret)
  })

  it('name the rule of every result, and the file as an address that leads back to it', () => {
    const repo = everything()
    const { findings } = gateJson(repo, [], BYPASS)
    const [run] = JSON.parse(gate(repo, ['--sarif'], BYPASS).stdout).runs
    const back = run.results.map(
      ({ ruleId, ruleIndex, locations }: { ruleId: string; ruleIndex: number; locations: [Location] }) => [
        ruleId === run.tool.driver.rules[ruleIndex].id,
        ruleId,
        decodeURIComponent(locations[0].physicalLocation.artifactLocation.uri),
      ],
    )
    expect(back).toEqual(findings.map(({ ruleId, file }) => [true, ruleId, file]))
    expect(back.map(([, , file]: string[]) => file)).toContain(HOSTILE)
  })

  it('are XML that a parser reads, with what the report counts', async () => {
    const { XMLValidator, XMLParser } = await importPeer<XmlLibrary>('fast-xml-parser/src/fxp.js')
    const repo = everything()
    const { findings } = gateJson(repo, [], BYPASS)
    const xml = gate(repo, ['--junit'], BYPASS).stdout
    expect(XMLValidator.validate(xml)).toBe(true)
    const options = {
      ignoreAttributes: false,
      attributeNamePrefix: '',
      isArray: (name: string) => name === 'testcase',
    }
    const { testsuites } = new XMLParser(options).parse(xml)
    const cases = testsuites.testsuite.testcase
    const having = (name: string) => String(cases.filter((one) => name in one).length)
    expect(testsuites).toMatchObject({
      tests: String(findings.length),
      failures: having('failure'),
      skipped: having('skipped'),
    })
    expect(cases.map(({ file }) => file)).toEqual(findings.map(({ file }) => file))
    expect(Number(testsuites.failures)).toBeGreaterThan(0)
  })
})

interface Location {
  readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } }
}
