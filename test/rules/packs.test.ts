import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { readShippedRules } from '../../scripts/rules.ts'
import { addEdits } from '../../src/gate/findings/edits.ts'
import { excerptOf, regionText } from '../../src/gate/findings/secret-matches.ts'
import type { ScanReport } from '../../src/gate/ports.ts'
import { applyEdits, pickEdits, splitWithEnds } from '../../src/gate/repair.ts'
import { compileChanges } from '../../src/gate/rules/assemble-rules.ts'
import type { CompiledRule } from '../../src/gate/rules/compiled-rule.ts'
import { parseAs, readRuleDocuments } from '../../src/gate/rules/parse-rule.ts'
import { LANGUAGES } from '../../src/kernel/text/languages.ts'
import { rewriteMatch } from '../../src/platform/scanner/rewrite.ts'
import { asFiles, compileAll, scanAll } from '../support/scan.ts'

/** Every rule that is shipped, on every snippet beside it, through the engine that will run it. */

const Snippets = z.strictObject({
  id: z.string(),
  /** The path that the snippets of a rule about text have; `files` of the rule must cover it. */
  path: z.string().optional(),
  valid: z.array(z.string()).min(2),
  invalid: z.array(z.string()).min(2),
})

const shippedRules = await readShippedRules()
const compiled = compileAll(shippedRules.packs)

const folders = shippedRules.packs.map(({ name }) => join('rules', name))
const tests = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => /\.test\.yml$/.test(name))
    .map((name) => join(folder, name)),
)

/** `{{}}` divides text that has the format of a secret, so that no scanner takes the snippet for one. */
const joinParts = (texts: readonly string[]): string[] => texts.map((text) => text.replaceAll('{{}}', ''))

const readSnippets = async (path: string) =>
  (await readRuleDocuments(path, readFileSync(path, 'utf8')))
    .map((value) => parseAs(Snippets, path, value))
    .map((one) => ({ ...one, valid: joinParts(one.valid), invalid: joinParts(one.invalid) }))

/** The first compiled rule with the id: the one for its own language. */
const ruleOf = (id: string): CompiledRule => {
  const rule = compiled.find((one) => one.id === id)
  if (rule === undefined) throw new Error(`no rule ${id}`)
  return rule
}

const LIMITS = { inlineFiles: 100_000, inlineBytes: 100_000_000 }

const isMatched = (report: ScanReport): boolean => 'matches' in report && report.matches.length > 0

/** Which snippets of the same path the rule matches, by their place in the list. */
const matchedAt = async (
  rule: CompiledRule,
  snippets: readonly string[],
  path: string,
): Promise<number[]> => {
  if (!rule.covers(path)) throw new Error(`${rule.id} does not cover ${path}`)
  const files = snippets.flatMap((text) => asFiles({ [path]: text }))
  const reports = await scanAll(files, [rule], LIMITS)
  return reports.flatMap((report, index) => (isMatched(report) ? [index] : []))
}

const folderOf = (id: string, kind: string): string => `src/${id}/${kind}/`

const extensionFor = ({ language }: CompiledRule): string | undefined =>
  language === undefined ? 'txt' : LANGUAGES[language].extensions[0]

/** The paths of the snippets that a rule matches. All snippets are scanned together: a scan has a price of its own. */
const matchedPaths = async (): Promise<ReadonlySet<string>> => {
  const all = (await Promise.all(tests.map(readSnippets))).flat().filter(({ path }) => path === undefined)
  const files = all.flatMap(({ id, valid, invalid }) =>
    Object.entries({ valid, invalid }).flatMap(([kind, texts]) =>
      texts.flatMap((text, index) =>
        asFiles({ [`${folderOf(id, kind)}${index}.${extensionFor(ruleOf(id))}`]: text }),
      ),
    ),
  )
  // The scope of a rule has tests of its own: here each rule reads the folder of its snippets.
  const rules = all.map(({ id }) => ({
    ...ruleOf(id),
    covers: (path: string) => path.startsWith(`src/${id}/`),
  }))
  return new Set((await scanAll(files, rules, LIMITS)).filter(isMatched).map(({ path }) => path))
}
let matching: Promise<ReadonlySet<string>> | undefined

const matched = async (id: string, kind: string, texts: readonly string[]): Promise<number[]> => {
  matching ??= matchedPaths()
  const paths = await matching
  const extension = extensionFor(ruleOf(id))
  return texts.flatMap((_, index) => (paths.has(`${folderOf(id, kind)}${index}.${extension}`) ? [index] : []))
}

/** The text with all edits of a rule; undefined when it offers none. */
const repairOnce = async (rule: CompiledRule, path: string, text: string): Promise<string | undefined> => {
  const reports = await scanAll(asFiles({ [path]: text }), [rule], { inlineFiles: 1_000 })
  const lines = text.split('\n')
  const drafts = reports
    .flatMap((report) => ('matches' in report ? report.matches : []))
    .map((region) => ({
      ...{
        ruleId: rule.id,
        severity: rule.severity,
        code: '',
        message: '',
        matchedBy: '',
        source: '',
        file: path,
      },
      region,
      text: regionText(lines, region),
      excerpt: excerptOf(lines, region),
    }))
  const edits = (await addEdits(drafts, [rule], rewriteMatch)).flatMap(({ edit }) => edit ?? [])
  const source = { bom: '', lines: splitWithEnds(text) }
  return edits.length === 0 ? undefined : applyEdits(source, pickEdits(edits).picked)
}

describe('the rules that are shipped', () => {
  it.each(tests)('%s holds', async (path) => {
    for (const { id, valid, invalid, path: place } of await readSnippets(path)) {
      const find = (kind: string, texts: readonly string[]) =>
        place === undefined ? matched(id, kind, texts) : matchedAt(ruleOf(id), texts, place)
      expect([id, await find('valid', valid)]).toEqual([id, []])
      expect([id, await find('invalid', invalid)]).toEqual([id, invalid.map((_, index) => index)])
    }
  })

  it('no longer match what their own repair made of a snippet', async () => {
    const repaired: string[] = []
    for (const { id, invalid } of (await Promise.all(tests.map(readSnippets))).flat()) {
      const rule = compiled.find((one) => one.id === id)
      if (rule?.repair === undefined) continue
      for (const text of invalid) {
        const anywhere = { ...rule, covers: () => true }
        const path = `src/sample.${extensionFor(rule)}`
        const after = await repairOnce(anywhere, path, text)
        if (after === undefined) continue
        repaired.push(id)
        expect([id, after, await matchedAt(anywhere, [after], path)]).toEqual([id, after, []])
      }
    }
    expect(repaired).toContain('frontend.no-debugger')
  })

  it('have snippets, each beside its rule', async () => {
    const silent = folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.yml') && !name.endsWith('.test.yml'))
        .map((name) => join(folder, name))
        .filter((path) => !/^changes:/m.test(readFileSync(path, 'utf8')))
        .filter((path) => !existsSync(path.replace(/\.yml$/, '.test.yml'))),
    )
    expect(silent).toEqual([])
    const tested = new Set((await Promise.all(tests.map(readSnippets))).flat().map(({ id }) => id))
    expect(compiled.map(({ id }) => id).filter((id) => !tested.has(id))).toEqual([])
  })

  it('about text name keywords, so that files without any of them cost nothing', () => {
    const slow = compiled.filter(({ text }) => text !== undefined && text.keywords === undefined)
    expect(slow.map(({ id }) => id)).toEqual([])
  })

  it('compile for every language they are for, and find nothing in nothing', async () => {
    const anywhere = compiled.map((rule) => ({ ...rule, covers: () => true, trusted: false }))
    const extensions = Object.values(LANGUAGES).flatMap(({ extensions }) => extensions)
    const files = asFiles(Object.fromEntries(extensions.map((extension) => [`a.${extension}`, '\n'])))
    const reports = await scanAll(files, anywhere)
    expect(reports.map(({ path, outcome }) => [path, outcome])).toEqual(
      files.map(({ path }) => [path, 'scanned']),
    )
  })

  it.each([
    ['a.ts', '// TODO later', "const k = '\u202e'"],
    ['a.jsx', '// TODO later', "const k = '\u202e'"],
    ['a.swift', '/* TODO later */', 'let k = "\u202e"'],
    ['a.kt', '// TODO later', 'val k = "\u202e"'],
    ['A.java', '/* TODO later */', 'class A { String k = "\u202e"; }'],
    ['a.py', '# TODO later', 'k = "\u202e"'],
    ['a.go', '// TODO later', 'package p\nvar k = `\u202e`'],
  ])('look into comments and strings of %s', async (path, comment, string) => {
    const generic = compiled.filter(({ id }) => id.startsWith('generic.'))
    const [report] = await scanAll(asFiles({ [path]: `${comment}\n${string}\n` }), generic)
    const ids = report !== undefined && 'matches' in report ? report.matches.map(({ ruleId }) => ruleId) : []
    expect(ids).toEqual(['generic.no-todo-without-owner', 'generic.no-hidden-direction'])
  })

  it('ask for tests when the domain of an iOS app changes', () => {
    const [rule] = compileChanges(shippedRules.packs, { roots: { ios: ['apps/ios/'] } })
    expect(rule).toMatchObject({ id: 'ios.tdd.domain-changes-require-tests', severity: 'CRITICAL' })
    const change = 'apps/ios/Shop/Domain/Cart.swift'
    expect(rule?.missing([change, 'Domain/other.swift'])).toEqual([change])
    expect(rule?.missing([change, 'apps/ios/Tests/Domain/CartTests.swift'])).toEqual([])
  })

  it('are in dist as the build read them', async () => {
    const { loadShippedRules } = await import('../../src/app/open/load-rules.ts')
    expect(await loadShippedRules()).toEqual(JSON.parse(JSON.stringify(shippedRules)))
  })
})
