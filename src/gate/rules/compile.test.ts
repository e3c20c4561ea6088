import { describe, expect, it } from 'vitest'
import type { GateStage } from '../../evidence/stage.ts'
import { compileChanges } from './assemble-rules.ts'
import { type CompileOptions, compileRules, selectRules } from './compile.ts'
import { readPack } from './packs.ts'
import type { PlatformRoots } from './paths-by-rule.ts'
import type { RuleAlias } from './rule.ts'

const rule = (extra: string, metadata = 'platform: backend'): string =>
  `id: own.rule\nlanguage: TypeScript\nseverity: warning\nmessage: m\nrule: { pattern: a }\nmetadata: { ${metadata} }\n${extra}\n`

const compilePacks = (packs: Parameters<typeof selectRules>[0], options: CompileOptions) =>
  compileRules(selectRules(packs, options), true)

const compile = async (
  text: string,
  roots: PlatformRoots,
  stage: GateStage = 'CI',
  aliases: readonly RuleAlias[] = [],
) =>
  compilePacks([await readPack('own', '1', [{ path: 'a.yml', text }])], {
    roots,
    stage,
    aliases,
  })

const covered = async (text: string, roots: PlatformRoots, paths: readonly string[]) => {
  const rules = await compile(text, roots)
  return paths.filter((path) => rules.some(({ covers }) => covers(path)))
}

const PATHS = [
  'apps/backend/src/a.ts',
  'apps/backend/test/a.ts',
  'services/api/src/a.ts',
  'src/a.ts',
  'apps/backend2/src/a.ts',
]

describe('the reach of a rule', () => {
  it.each([
    [{ backend: ['apps/backend/'] }, ['apps/backend/src/a.ts', 'apps/backend/test/a.ts']],
    [
      { backend: ['apps/backend/', 'services/api/'] },
      ['apps/backend/src/a.ts', 'apps/backend/test/a.ts', 'services/api/src/a.ts'],
    ],
    [{ backend: [''] }, PATHS],
    [{ frontend: [''] }, []],
    [{}, []],
  ])('with roots %j is %j', async (roots, wanted) => {
    expect(await covered(rule(''), roots as PlatformRoots, PATHS)).toEqual(wanted)
  })

  it('counts globs from the folder of the platform', async () => {
    const text = rule("files: ['src/**/*.ts']\nignores: ['**/a.ts']")
    const paths = ['apps/backend/src/b.ts', 'apps/backend/src/a.ts', 'apps/backend/b.ts', 'src/b.ts']
    expect(await covered(text, { backend: ['apps/backend/'] }, paths)).toEqual(['apps/backend/src/b.ts'])
  })

  it('is everything when the rule names no platform', async () => {
    expect(await covered(rule('', 'why: w'), {}, PATHS)).toEqual(PATHS)
  })

  it('holds for names with dots, brackets and letters of all kinds', async () => {
    const paths = ['.hidden/ñandú.ts', 'a[1]/b (2).ts', 'app/[id]/page.ts']
    expect(await covered(rule("files: ['**/*.ts']"), { backend: [''] }, paths)).toEqual(paths)
  })

  it('is one function for rules of equal reach', async () => {
    const texts = ['one', 'two'].map((name) => ({
      path: `${name}.yml`,
      text: rule('').replace('own.rule', `own.${name}`),
    }))
    const rules = compilePacks([await readPack('own', '1', texts)], {
      roots: { backend: [''] },
      stage: 'CI',
    })
    expect(rules[0]?.covers).toBe(rules[1]?.covers)
  })
})

describe('a compiled rule', () => {
  it('takes its severity from the metadata, or from the word of ast-grep', async () => {
    const severity = async (text: string) => (await compile(text, { backend: [''] }))[0]?.severity
    expect(await severity(rule(''))).toBe('WARN')
    expect(await severity(rule('', 'platform: backend, severity: CRITICAL'))).toBe('CRITICAL')
    expect(await severity(rule('').replace('warning', 'hint'))).toBe('INFO')
    expect(await severity(rule('').replace('warning', "'off'"))).toBeUndefined()
  })

  it('has a code made of its id', async () => {
    expect((await compile(rule(''), { backend: [''] }))[0]?.code).toBe('OWN_RULE')
  })

  it('speaks of comments and strings in the words of each language', async () => {
    const text = rule('', 'languages: [java, go]').replace(
      '{ pattern: a }',
      '{ any: [{ kind: comment }, { kind: string_fragment, regex: x }] }',
    )
    const rules = await compile(text, {})
    expect(rules.map(({ language }) => language)).toEqual(['typescript', 'java', 'go'])
    expect(JSON.stringify(rules[1]?.matcher)).toContain('block_comment')
    expect(JSON.stringify(rules[2]?.matcher)).toContain('raw_string_literal_content')
  })

  it('goes by a second name from a stage on, in the folders of a platform', async () => {
    const aliases: RuleAlias[] = [
      { id: 'skills.own', of: 'own.rule', severity: 'CRITICAL', platform: 'backend', from: 'PRE_PUSH' },
    ]
    const roots = { backend: ['api/'], frontend: ['web/'] }
    const text = rule('', 'platform: [backend, frontend]')
    const ids = async (stage: GateStage) => (await compile(text, roots, stage, aliases)).map(({ id }) => id)
    expect(await ids('PRE_COMMIT')).toEqual(['own.rule'])
    expect(await ids('PRE_PUSH')).toEqual(['own.rule', 'skills.own'])
    const [, second] = await compile(text, roots, 'CI', aliases)
    expect(second).toMatchObject({ severity: 'CRITICAL', code: 'SKILLS_OWN' })
    expect([second?.covers('api/a.ts'), second?.covers('web/a.ts')]).toEqual([true, false])
  })
})

describe('a rule about changes', () => {
  const text = `
id: own.tests
message: m
metadata: { severity: CRITICAL, platform: ios }
changes:
  when: ['Domain/**', '**/Domain/**']
  require: ['Tests/Domain/**', '**/Tests/Domain/**']
  ignores: ['Tests/**', '**/Tests/**']
`
  const missing = async (changed: readonly string[], roots: PlatformRoots = { ios: [''] }) => {
    const pack = await readPack('own', '1', [{ path: 'a.yml', text }])
    return compileChanges([pack], { roots }).flatMap((one) => one.missing(changed))
  }

  it.each([
    [['Domain/a.swift'], ['Domain/a.swift']],
    [['App/Domain/a.swift', 'App/b.swift'], ['App/Domain/a.swift']],
    [['Domain/a.swift', 'Tests/Domain/aTests.swift'], []],
    [['Tests/Domain/aTests.swift'], []],
    [['README.md'], []],
    [[], []],
  ])('of %j misses tests for %j', async (changed, wanted) => {
    expect(await missing(changed)).toEqual(wanted)
  })

  it('says nothing where its platform is not', async () => {
    expect(await missing(['Domain/a.swift'], {})).toEqual([])
    expect(await missing(['Domain/a.swift'], { ios: ['apps/ios/'] })).toEqual([])
  })
})
