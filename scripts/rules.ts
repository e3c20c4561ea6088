import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { compileRules, platformsOf, selectRules } from '../src/gate/rules/compile.ts'
import type { Examples } from '../src/gate/rules/explain.ts'
import {
  type Pack,
  type RuleSource,
  readAliases,
  readPack,
  type ShippedRules,
} from '../src/gate/rules/packs.ts'
import { parseAs, readRuleYaml } from '../src/gate/rules/parse-rule.ts'
import { requiredLiterals } from '../src/platform/scanner/prefilter.ts'

const Versions = z.record(z.string(), z.string())

const sourcesIn = (folder: string): RuleSource[] =>
  readdirSync(folder)
    .sort()
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(folder, name), 'utf8') }))

const readFolder = async <T>(path: string, schema: z.ZodType<T>): Promise<T> =>
  parseAs(schema, path, await readRuleYaml(path, readFileSync(path, 'utf8')))

/** What the scanner would work out of every rule, in every language it is for. */
const wordsOf = (packs: readonly Pack[]): ShippedRules['words'] => {
  const roots = Object.fromEntries(
    packs.flatMap(({ rules }) => rules.flatMap(platformsOf)).map((name) => [name, ['']]),
  )
  const words: ShippedRules['words'] = {}
  const rules = selectRules(packs, { roots, stage: 'CI' })
  for (const { id, language, matcher } of compileRules(rules, true))
    words[id] = {
      ...words[id],
      [language]: requiredLiterals(matcher, language).map((choices) => [...choices]),
    }
  return words
}

/** Everything under `rules/`, read and checked. */
export const readBook = async (folder = 'rules'): Promise<ShippedRules> => {
  const versions = await readFolder(join(folder, 'packs.yml'), Versions)
  const packs: Pack[] = []
  for (const [name, version] of Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1))) {
    packs.push(await readPack(name, version, sourcesIn(join(folder, name))))
  }
  const relabels = readAliases(
    join(folder, 'skills.yml'),
    await readFolder(join(folder, 'skills.yml'), z.unknown()),
  )
  return { packs, relabels, words: wordsOf(packs) }
}

const Example = z.looseObject({ id: z.string(), valid: z.array(z.string()), invalid: z.array(z.string()) })

/** What the tests of the rules show, by the id of the rule. */
const readExamples = async ({ packs }: ShippedRules, folder = 'rules'): Promise<Examples> => {
  const files = packs.flatMap(({ name }) => sourcesIn(join(folder, name)))
  const tests = files.filter(({ path }) => path.endsWith('.test.yml'))
  const shown = await Promise.all(
    tests.map(async ({ path, text }) => parseAs(Example, path, await readRuleYaml(path, text))),
  )
  return Object.fromEntries(shown.map(({ id, valid, invalid }) => [id, { valid, invalid }]))
}

export const main = async ([out = 'dist/rules.json']: readonly string[]): Promise<void> => {
  const book = await readBook()
  writeFileSync(out, JSON.stringify(book))
  writeFileSync(join(dirname(out), 'rule-examples.json'), JSON.stringify(await readExamples(book)))
}
