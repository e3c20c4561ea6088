import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GateReport } from '../../src/gate/reports/report.ts'
import { gateEnvironment } from '../support/gate.ts'
import { readMessage, request } from '../support/messages.ts'
import { Repo } from '../support/repository.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const OPTIONAL = ['lang-kotlin', 'lang-swift']

/** The package as npm installs it: without the grammars that are no dependencies. */
const installWithoutGrammars = (folder: string): string => {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@ast-grep'), { recursive: true })
  cpSync(join(ROOT, 'dist'), join(modules, 'warrant/dist'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(modules, 'warrant/package.json'))
  for (const name of readdirSync(join(ROOT, 'node_modules/@ast-grep')))
    if (!OPTIONAL.includes(name))
      symlinkSync(join(ROOT, 'node_modules/@ast-grep', name), join(modules, '@ast-grep', name))
  for (const name of ['@photostructure', 'pg'])
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  return join(modules, 'warrant/dist/bin/warrant.js')
}

const KEY = ['AKIA', 'Q7RZ4MND2XKJ5TLP'].join('')
const KOTLIN = `package a\nclass A {\n  fun run() { println(value!!) }\n}\n// ${KEY}\n`

describe('an installation without the grammars of Kotlin and Swift', () => {
  const folder = mkdtempSync(join(tmpdir(), 'warrant-test-'))
  const install = join(folder, 'install')
  let binary: string
  let repo: Repo
  const warrant = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [binary, ...args], {
      cwd: repo.folder,
      env: gateEnvironment(),
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  const judge = (): GateReport => JSON.parse(warrant('gate', '--json', '--stage', 'PRE_COMMIT').stdout)
  const missing = ({ findings }: GateReport) =>
    findings.filter(({ ruleId }) => ruleId === 'gate.grammar-missing')

  beforeAll(() => {
    binary = installWithoutGrammars(install)
    // A grammar in a folder further up is the one of another program.
    mkdirSync(join(folder, 'node_modules/@ast-grep'), { recursive: true })
    const above = join(folder, 'node_modules/@ast-grep/lang-swift')
    symlinkSync(join(ROOT, 'node_modules/@ast-grep/lang-swift'), above)
    repo = Repo.init('main').commit({ 'settings.gradle.kts': 'rootProject.name = "a"\n' })
    repo.git('checkout', '-q', '-b', 'feature/x')
    repo.stage({
      'app/src/main/kotlin/A.kt': KOTLIN,
      'app/src/main/kotlin/B.kt': 'package a\nclass B\n',
      'ios/C.swift': 'struct C {}\n',
      'src/ok.py': 'import os\n\ndef f(x):\n    os.system(x)\n',
      // Rules of the repository cannot be checked either, and do not stop the judgement of other files.
      '.warrant/rules/own.yml':
        'id: own.kotlin\nlanguage: kotlin\nseverity: warning\nmessage: m\nrule: { pattern: println($A) }\n',
    })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('reports the number of files and the command of a global installation, and blocks every commit', () => {
    const report = judge()
    expect(report.status).toBe('BLOCKED')
    expect(missing(report)).toMatchObject([
      {
        severity: 'CRITICAL',
        file: 'app/src/main/kotlin/A.kt',
        message: expect.stringMatching(/^2 Kotlin files were not parsed, /),
        fix: expect.stringContaining('`npm install -g @ast-grep/lang-kotlin@0.0.7`'),
      },
      {
        severity: 'CRITICAL',
        file: 'ios/C.swift',
        message: expect.stringMatching(/^1 Swift file was not parsed, /),
        fix: expect.stringContaining('`npm install -g @ast-grep/lang-swift@0.0.8`'),
      },
    ])
    expect(report.files.skipped).toMatchObject({ no_grammar: 3 })
    const rules = report.findings.map(({ ruleId, file }) => `${file} ${ruleId}`)
    // Text of the same files, and the syntax of other languages.
    expect(rules.filter((one) => one.startsWith('app/src/main/kotlin/A.kt secrets.'))).toHaveLength(1)
    expect(rules).toContain('src/ok.py python.no-os-system')
  })

  it('names the command of a project where it is installed in one', () => {
    writeFileSync(join(install, 'package.json'), '{}')
    expect(missing(judge())[0]?.fix).toContain('`npm install --save-dev @ast-grep/lang-kotlin@0.0.7`')
  })

  it('says so in the outline of a file and in a search of a name', () => {
    const calls = [
      ['project_symbols', { path: 'app/src/main/kotlin/A.kt' }],
      ['project_find_symbol', { name: 'A' }],
    ] as const
    const lines = calls.map(([name, args], id) => request(id, 'tools/call', { name, arguments: args }))
    const { stdout } = spawnSync(process.execPath, [binary, 'mcp'], {
      cwd: repo.folder,
      env: gateEnvironment(),
      encoding: 'utf8',
      input: `${lines.join('\n')}\n`,
    })
    const answers = new Map(
      stdout
        .trim()
        .split('\n')
        .map(readMessage)
        .map(({ id, result }) => [id, result]),
    )
    expect(answers.get(0)?.isError).toBe(true)
    expect(JSON.stringify(answers.get(0))).toMatch(/grammar of Kotlin is not installed.*npm install/s)
    expect(JSON.stringify(answers.get(1))).toMatch(
      /1 Kotlin file with this name could not be parsed: .*npm install/,
    )
  })

  it('says so in the report of the architecture', () => {
    expect(warrant('report').stdout).toMatch(/2 Kotlin files were not analysed: .*npm install/)
  })

  it('says so when it builds a packet', () => {
    const { status, stderr } = warrant(
      'packet',
      'build',
      'app',
      '--name',
      'a',
      '--version',
      '1',
      '--out',
      join(folder, 'out'),
    )
    expect(status).toBe(0)
    expect(stderr).toMatch(/split by lines, not by declarations: 2 Kotlin files, .*npm install/)
  })

  it('uses a grammar that is beside the package, and no other', () => {
    const beside = join(install, 'node_modules/@ast-grep/lang-kotlin')
    symlinkSync(join(ROOT, 'node_modules/@ast-grep/lang-kotlin'), beside)
    expect(missing(judge()).map(({ file }) => file)).toEqual(['ios/C.swift'])
  })
})
