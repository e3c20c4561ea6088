import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasUnclosedToken, isSyntaxError } from './syntax-error.ts'

const VALID: readonly (readonly [grammar: string, text: string])[] = [
  ['TypeScript', "const a = await load<typeof import('a')>()"],
  ['TypeScript', "type A = import('a').B[]"],
  ['TypeScript', 'interface A { <T>(a: T): T; (a: string): string }'],
  ['TypeScript', 'const a = 1; const a = 2'],
  ['Tsx', 'const a = <a href="/x?a=1&b=2">x</a>'],
  ['JavaScript', '// @flow\nconst a = (b: ?string): number => 1'],
  ['JavaScript', '@a class B { #c = 1; static { } }'],
  ['kotlin', 'fun interface A { fun a() }'],
  ['kotlin', `val a = "\${b("\${c}")} }" + """ { "x" ${'${d}'} """" + '{' + '\\''`],
  ['kotlin', '/* { /* ( */ } */ // {\nfun `a(b`() {}'],
  ['swift', 'let a = "\\(b("}")) {" + #"\\( "{ \\#(c)"# + """\n{ \\(d) "\n"""'],
  ['swift', 'class A {\n#if DEBUG\n  func a() {\n#else\n  func b() {\n#endif\n  }\n}'],
  ['swift', 'let a = /[({]/'],
  ['go', 'package a\nvar b, c = new("d"), new(e.F())\n'],
  ['go', 'package a\nvar b, c = new(d.E{F: new(true)}), new([]int)\n'],
  ['go', 'package a\nvar b, c, d = new([]string{"e"}), new(1), new([]int)\n'],
  ['java', 'class A { void b(String @NonNull... c) {} }\n'],
  ['python', 'print "a"\nraise ValueError, "b"\n'],
  // Templates.
  ['JavaScript', '{% if a %}const b = {{ c }};{% endif %}'],
  ['JavaScript', '---\nlayout: a\n---\nconst b = <%= c %>'],
  ['java', 'package ${package};\nclass {{name}} { int a = {{ b }}; }'],
  ['python', 'a = {{ b.c | d }}\n{% for e in f %}\ng = 1\n{% endfor %}\n'],
]

const INVALID: readonly (readonly [grammar: string, text: string])[] = [
  ['TypeScript', 'const a = = 1'],
  ['Tsx', 'const a = <a>'],
  ['JavaScript', 'function ( {'],
  ['kotlin', 'fun a() {'],
  ['kotlin', 'val a = "b\nval c = 1'],
  ['kotlin', 'fun a() { ) }'],
  ['swift', 'func a() { /* }'],
  ['swift', 'let a = "\\(b"'],
  ['python', 'def a(:'],
  ['go', 'func {'],
  ['go', 'package a\nvar b = new("d"\n'],
  ['java', 'class {'],
  ['Tsx', 'const a = <b style={{ c: 1 }}>'],
  ['python', 'a = {{ b }}\ndef c = 1\n'],
]

describe('isSyntaxError', () => {
  it.each(VALID)('%s accepts %s', async (grammar, text) => {
    expect(await isSyntaxError(grammar, text)).toBe(false)
  })

  it.each(INVALID)('%s refuses %s', async (grammar, text) => {
    expect(await isSyntaxError(grammar, text)).toBe(true)
  })

  it('ends for every text, however deep', async () => {
    expect(await isSyntaxError('TypeScript', '('.repeat(50_000))).toBe(true)
    const token = fc.constantFrom(
      '"',
      '"""',
      '#',
      '${',
      '\\(',
      '{',
      '}',
      '(',
      ')',
      '/*',
      '*/',
      '//',
      '\n',
      'a',
      '`',
      "'",
    )
    fc.assert(
      fc.property(fc.constantFrom('kotlin', 'swift'), fc.array(token), (grammar, tokens) => {
        expect(typeof hasUnclosedToken(grammar, tokens.join(''))).toBe('boolean')
      }),
    )
  })
})
