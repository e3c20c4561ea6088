import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileContent } from '../../src/gate/ports.ts'
import { compileRules, selectRules } from '../../src/gate/rules/compile.ts'
import { joinRules, type RulesIndex, type RulesPart } from '../../src/gate/rules/shipped-parts.ts'
import { astScanner } from '../../src/platform/scanner/scanner.ts'

/** Scans a folder with the shipped rules and prints what it found: `scan-tree BUILD FOLDER`. */

async function* filesIn(folder: string): AsyncGenerator<FileContent> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
  // Reading one after the other is the cheapest way Node has; a gate asks git for many at once.
  for (const path of paths) yield { path, bytes: readFileSync(join(folder, path)) }
}

const [build = '', folder = ''] = process.argv.slice(2)
const readBuilt = <T>(name: string): T => JSON.parse(readFileSync(join(build, name), 'utf8')) as T
const index = readBuilt<RulesIndex>('rules.json')
const parts = index.parts.map((name) => readBuilt<RulesPart>(`rules/${name}.json`))
const shipped = joinRules(index, parts)
// ast-grep knows nothing of kinds of files.
const packs = shipped.packs.map((pack) => ({
  ...pack,
  rules: pack.rules.map((rule) => ({ ...rule, metadata: { ...rule.metadata, production: false } })),
}))
const roots = Object.fromEntries(['backend', 'frontend', 'node'].map((platform) => [platform, ['']]))
const selected = selectRules(packs, { roots, stage: 'CI', literals: shipped.literals, profile: 'seed' })
// ast-grep has no rules about text.
const rules = compileRules(selected, true, (language) => language === 'typescript').filter(
  ({ text }) => text === undefined,
)
const scanner = astScanner({ worker: join(build, 'bin/scan-child.js') })
const found: string[] = []
const odd: string[] = []
for await (const report of scanner.scan(filesIn(folder), rules, new AbortController().signal)) {
  if (report.outcome !== 'scanned') odd.push(`${report.path} ${report.outcome}`)
  if ('matches' in report)
    for (const { ruleId, line, column } of report.matches)
      found.push(`${ruleId} ${report.path}:${line}:${column}`)
}
process.stdout.write(JSON.stringify({ found, odd }))
