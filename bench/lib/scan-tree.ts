import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileContent } from '../../src/gate/ports.ts'
import { expandRules, knownGlobs, reachRules } from '../../src/gate/rules/compile.ts'
import type { RuleBook } from '../../src/gate/rules/packs.ts'
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
const { packs, words, globs } = JSON.parse(readFileSync(join(build, 'rules.json'), 'utf8')) as RuleBook
const roots = { backend: [''], frontend: [''] }
const reached = reachRules(packs, { roots, stage: 'CI', words, glob: knownGlobs(globs) })
const rules = expandRules(reached, true, (language) => language === 'typescript')
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
