import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { readBook } from '../../scripts/rules.ts'
import { LANGUAGES } from '../../src/gate/languages.ts'
import type { CompiledRule } from '../../src/gate/ports.ts'
import { parseAs, readYaml } from '../../src/gate/rule-text.ts'
import { asFiles, compileAll, scanAll } from '../support/scan.ts'

/** Every rule that is shipped, on every snippet beside it, through the engine that will run it. */

const Snippets = z.strictObject({
  id: z.string(),
  valid: z.array(z.string()).min(2),
  invalid: z.array(z.string()).min(2),
})

const book = await readBook()
const compiled = compileAll(book.packs)

const pathFor = (rule: CompiledRule, index: number): string =>
  `src/sample-${index}.${Object.keys(LANGUAGES[rule.language]?.grammars ?? {})[0]}`

const folders = book.packs.map(({ name }) => join('rules', name))
const tests = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => /\.test\.yml$/.test(name))
    .map((name) => join(folder, name)),
)

/** Which snippets the rule matches, by their place in the list. */
const matched = async (id: string, snippets: readonly string[]): Promise<number[]> => {
  const rules = compiled.filter((rule) => rule.id === id).slice(0, 1)
  const [rule] = rules
  if (rule === undefined) throw new Error(`no rule ${id}`)
  // The scope of a rule has tests of its own.
  const anywhere = rules.map((one) => ({ ...one, covers: () => true }))
  const files = asFiles(Object.fromEntries(snippets.map((text, index) => [pathFor(rule, index), text])))
  const reports = await scanAll(files, anywhere, { inlineFiles: 1_000, inlineBytes: 10_000_000 })
  return reports.flatMap((report, index) => ('matches' in report && report.matches.length > 0 ? [index] : []))
}

describe('the rules that are shipped', () => {
  it.each(tests)('%s holds', async (path) => {
    const { id, valid, invalid } = parseAs(Snippets, path, await readYaml(path, readFileSync(path, 'utf8')))
    expect(await matched(id, valid)).toEqual([])
    expect(await matched(id, invalid)).toEqual(invalid.map((_, index) => index))
  })

  it('have snippets, each beside its rule', () => {
    const silent = folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.yml') && !name.endsWith('.test.yml'))
        .map((name) => join(folder, name))
        .filter((path) => !/^changes:/m.test(readFileSync(path, 'utf8')))
        .filter((path) => !existsSync(path.replace(/\.yml$/, '.test.yml'))),
    )
    expect(silent).toEqual([])
  })
})
