import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { compileRules, rulePlatforms, selectRules } from '../src/gate/rules/compile.ts'
import type { Examples } from '../src/gate/rules/explain.ts'
import {
  type Pack,
  type RuleSource,
  readAliases,
  readPack,
  type ShippedRules,
} from '../src/gate/rules/packs.ts'
import { parseAs, readRuleDocuments, readRuleYaml } from '../src/gate/rules/parse-rule.ts'
import { splitRules, storePart } from '../src/gate/rules/shipped-parts.ts'
import { requiredLiterals } from '../src/platform/scanner/prefilter.ts'

const Versions = z.record(z.string(), z.string())

const readSources = (folder: string): RuleSource[] =>
  readdirSync(folder)
    .sort()
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(folder, name), 'utf8') }))

const readYamlFile = async <T>(path: string, schema: z.ZodType<T>): Promise<T> =>
  parseAs(schema, path, await readRuleYaml(path, readFileSync(path, 'utf8')))

/** The required literals of every rule, in each of its languages. */
const findLiterals = (packs: readonly Pack[]): ShippedRules['literals'] => {
  const roots = Object.fromEntries(
    packs.flatMap(({ rules }) => rules.flatMap(rulePlatforms)).map((name) => [name, ['']]),
  )
  const literals: ShippedRules['literals'] = {}
  const rules = selectRules(packs, { roots, stage: 'CI' })
  for (const { id, language, matcher } of compileRules(rules, true))
    if (language !== undefined)
      literals[id] = {
        ...literals[id],
        [language]: requiredLiterals(matcher, language).map((choices) => [...choices]),
      }
  return literals
}

/** Reads and validates everything under `rules/`. */
export const readShippedRules = async (folder = 'rules'): Promise<ShippedRules> => {
  const versions = await readYamlFile(join(folder, 'packs.yml'), Versions)
  const packs: Pack[] = []
  for (const [name, version] of Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1))) {
    packs.push(await readPack(name, version, readSources(join(folder, name))))
  }
  const aliases = readAliases(
    join(folder, 'skills.yml'),
    await readYamlFile(join(folder, 'skills.yml'), z.unknown()),
  )
  return { packs, aliases, literals: findLiterals(packs) }
}

const Example = z.looseObject({ id: z.string(), valid: z.array(z.string()), invalid: z.array(z.string()) })

/** The examples in the tests of the rules, by rule id. */
const readExamples = async ({ packs }: ShippedRules, folder = 'rules'): Promise<Examples> => {
  const files = packs.flatMap(({ name }) => readSources(join(folder, name)))
  const tests = files.filter(({ path }) => path.endsWith('.test.yml'))
  const examples = await Promise.all(
    tests.map(async ({ path, text }) =>
      (await readRuleDocuments(path, text)).map((value) => parseAs(Example, path, value)),
    ),
  )
  return Object.fromEntries(examples.flat().map(({ id, valid, invalid }) => [id, { valid, invalid }]))
}

export const main = async ([out = 'dist/rules.json']: readonly string[]): Promise<void> => {
  const shippedRules = await readShippedRules()
  const { index, parts } = splitRules(shippedRules)
  writeFileSync(out, JSON.stringify(index))
  mkdirSync(join(dirname(out), 'rules'), { recursive: true })
  for (const [name, part] of parts)
    writeFileSync(join(dirname(out), `rules/${name}.json`), JSON.stringify(storePart(part)))
  writeFileSync(join(dirname(out), 'rule-examples.json'), JSON.stringify(await readExamples(shippedRules)))
}
