import { describe, expect, it } from 'vitest'
import { readPack } from './packs.ts'
import { parseRules, RULE_LIMITS } from './parse-rule.ts'

const HEAD = 'id: own.rule\nlanguage: TypeScript\nseverity: error\nmessage: m\n'
const RULE = `${HEAD}rule: { pattern: a }\n`
const TEXT = 'id: own.text\nseverity: error\nmessage: m\n'
const deep = (levels: number): string =>
  `${HEAD}rule: ${'{ has: '.repeat(levels)}{ kind: a }${' }'.repeat(levels)}\n`

describe('a rule file', () => {
  it('may use the whole language of ast-grep', async () => {
    const text = `${HEAD}
rule:
  all: [{ pattern: { context: 'f()', selector: call_expression, strictness: ast } }, { matches: x }]
  not: { inside: { kind: a, stopBy: { kind: b }, field: c } }
  nthChild: { position: 2n+1, reverse: true, ofRule: { regex: a } }
constraints: { A: { regex: a } }
utils: { x: { any: [{ has: { kind: a, stopBy: end } }, { precedes: { kind: b } }, { follows: { kind: c } }] } }
files: ['**/*.ts', { glob: 'A/*', caseInsensitive: true }]
ignores: ['**/x/**']
note: n
url: https://example.com
fix: g()
transform: { B: { replace: { source: $A, replace: a, by: b } } }
rewriters: [{ id: r }]
labels: { A: { style: primary } }
metadata: { severity: CRITICAL, code: OWN, platform: [ios, backend], why: w, fix: f, anything: { else: 1 } }
`
    await expect(parseRules('a.yml', text)).resolves.toMatchObject([
      { kind: 'content', file: { id: 'own.rule' } },
    ])
  })

  it.each([
    ['is not YAML', 'id: [', /^a\.yml: .*[^:]$/, 'rule.unreadable'],
    ['holds a broken second document', `${RULE}---\nid: [`, /^a\.yml: /, 'rule.unreadable'],
    ['holds an empty second document', `${RULE}---\n`, /^a\.yml: the document: /, 'rule.malformed'],
    ['has a broken regex', `${TEXT}text: { regex: '(' }\n`, /^a\.yml: text\.regex: /, 'rule.malformed'],
    [
      'has a keyword that cannot occur',
      `${TEXT}text: { regex: a, keywords: [AB] }\n`,
      /^a\.yml: text\.keywords\.0: .*lower case/,
      'rule.malformed',
    ],
    [
      'is about syntax and text',
      `${RULE}text: { regex: a }\n`,
      /^a\.yml: the document: .*"language"/,
      'rule.malformed',
    ],
    ['says a thing twice', `${RULE}id: other\n`, /^a\.yml: .*unique/, 'rule.unreadable'],
    ['has a tag of its own', `${RULE}fix: !!js/function 'x'\n`, /^a\.yml: .*tag/, 'rule.unreadable'],
    ['is a list', '[]', /^a\.yml: the document: /, 'rule.malformed'],
    ['is empty', '', /^a\.yml: the document: /, 'rule.malformed'],
    ['has an unknown member', `${RULE}run: rm\n`, /^a\.yml: the document: .*"run"/, 'rule.malformed'],
    [
      'has an unknown matcher',
      `${HEAD}rule: { has: { script: x } }\n`,
      /^a\.yml: rule\.has: .*"script"/,
      'rule.malformed',
    ],
    [
      'has a wrong type deep inside',
      `${HEAD}rule: { any: [{ kind: 7 }] }\n`,
      /^a\.yml: rule\.any\.0\.kind: /,
      'rule.malformed',
    ],
    [
      'names no language we know',
      RULE.replace('TypeScript', 'cobol'),
      /^a\.yml: language: .*cobol/,
      'rule.malformed',
    ],
    [
      'names a language that is a trap',
      RULE.replace('TypeScript', 'constructor'),
      /language/,
      'rule.malformed',
    ],
    ['has an odd id', RULE.replace('own.rule', "'../x'"), /^a\.yml: id: /, 'rule.malformed'],
    [
      'has a glob with too many alternatives',
      `${RULE}files: ['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}']\n`,
      /files\.0.*64 alternatives/,
      'rule.malformed',
    ],
    ['has an extended glob', `${RULE}files: ['+(a|aa)+(a|aa)']\n`, /files\.0/, 'rule.malformed'],
    ['nests without end', deep(100), /^a\.yml: nested deeper/, 'rule.too_large'],
    ['is too long', `${RULE}note: ${'x'.repeat(RULE_LIMITS.bytes)}\n`, /^a\.yml: longer/, 'rule.too_large'],
    ['has too many values', `${RULE}fix: [${'1,'.repeat(6_000)}]\n`, /^a\.yml: more than/, 'rule.too_large'],
  ])('that %s is a fault that names file and member', async (_, text, message, code) => {
    await expect(parseRules('a.yml', text)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
  })

  it('cannot grow by aliases', async () => {
    const lines = ['a: &a [1,1,1,1,1,1,1,1,1]']
    for (let level = 1; level < 12; level++) {
      const before = String.fromCharCode(96 + level)
      const name = String.fromCharCode(97 + level)
      lines.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(',')}]`)
    }
    await expect(parseRules('a.yml', lines.join('\n'))).rejects.toMatchObject({ code: 'rule.too_large' })
  })

  it('cannot reach prototypes', async () => {
    const text = `${RULE}utils: { __proto__: { kind: a } }\n`
    await expect(parseRules('a.yml', text)).rejects.toMatchObject({ code: 'rule.malformed' })
  })
})

describe('a pack', () => {
  it('reads every document of a file', async () => {
    const text = `${RULE}---\n${TEXT}text: { regex: 'a+', group: 1, keywords: [aa] }\n`
    const pack = await readPack('own', '1', [{ path: 'a.yml', text }])
    expect(pack.rules.map(({ id }) => id)).toEqual(['own.rule', 'own.text'])
    await expect(
      readPack('own', '1', [{ path: 'a.yml', text: `${RULE}---\n${RULE}` }]),
    ).rejects.toMatchObject({
      code: 'rule.duplicate',
    })
  })

  it('is the same whatever the order of its files', async () => {
    const files = [
      { path: 'a.yml', text: RULE },
      { path: 'b.yml', text: RULE.replace('own.rule', 'own.other') },
      { path: 'b.test.yml', text: 'no rule at all' },
    ]
    const pack = await readPack('own', '1', files)
    expect(pack.rules.map(({ id }) => id)).toEqual(['own.other', 'own.rule'])
    expect(pack.digest).toMatch(/^sha256:/)
    expect(await readPack('own', '1', files.toReversed())).toEqual(pack)
  })

  it('has one rule of a name', async () => {
    const files = ['a.yml', 'b.yml'].map((path) => ({ path, text: RULE }))
    await expect(readPack('own', '1', files)).rejects.toMatchObject({
      code: 'rule.duplicate',
      message: 'b.yml: own.rule is also in a.yml',
    })
  })

  it('has a bounded number of rules', async () => {
    const files = Array.from({ length: RULE_LIMITS.rules + 1 }, (_, index) => ({
      path: `${index}.yml`,
      text: RULE.replace('own.rule', `own.r${index}`),
    }))
    await expect(readPack('own', '1', files)).rejects.toMatchObject({ code: 'rule.too_large' })
  })
})
