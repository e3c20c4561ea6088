import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { holdRoot } from '../../platform/jail/handles.ts'
import { openJail } from '../../platform/jail/jail.ts'
import { syntaxTrees } from '../../platform/syntax/syntax-trees.ts'
import { textRules } from '../access-rules.ts'
import type { JobContext } from '../job-context.ts'
import { JOBS } from '../jobs.ts'

const FILES: Readonly<Record<string, string>> = {
  'Orders.java': `package shop;
// Order in a comment
public class Orders {
  private final int limit = 1, other = 2;
  public Orders() { int local = 3; }
  public Order find(String id) { return new Order("Order"); }
  static class Inner { void deep() {} }
}
enum Kind { A, B; void f() {} }
record Order(String id) { }
@interface Mark { String value(); }
`,
  'a.ts': `export class Cart { #items = []; add(x: Order) { const y = x } get size() { return 1 } }
export const total = () => 1, tax = 2
export default function main() {}
interface Line { price: number; sum(): number }
namespace N { export enum E { A } }
export type T = { a: 1 }
`,
  'b.py':
    '@d\nclass Cart:\n  limit = 1\n  def add(self):\n    inner = 1\nasync def main(): pass\nTOTAL = 3\n',
  'c.go':
    'package a\ntype T struct { X int }\ntype I interface { M() }\nfunc (t *T) F() {}\nfunc G() {}\nconst C = 1\nvar V = 2\n',
  'd.kt':
    'package a\n\nclass A(val x: Int) {\n  val y = 1\n  fun f(): Int {\n    return 1\n  }\n}\n\nobject O {\n}\n\nfun top() {\n}\n',
  'e.swift':
    'struct S {\n  var x: Int\n  func f() {}\n  init() {}\n}\nprotocol P { func g() }\nenum E { case a }\nextension S { func h() {} }\nfunc top() {}\n',
  'f.js': 'class Cart { add() {} }\nvar x = 1\nfoo(function () { var hidden = 1 })\n',
  'g.mjs': 'class Cart { #items = []; size = 0 }\nvar a = b < c, d > (e)\n',
  '.gitignore': 'gen/\n',
  'gen/G.java': 'class Order {}\n',
}

let root: string
let context: JobContext
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'warrant-symbols-'))
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  context = {
    jail: openJail(holdRoot(root)),
    rules: textRules([]),
    checkDeadline: () => {},
    now: () => 0,
    parser: syntaxTrees(),
    fileBytes: 10_485_760,
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const outline = (path: string, depth = 9, limit = 100) =>
  JOBS.outline(context, { path, depth, limit, bytes: 100_000 })
/** The outline without its line numbers. */
const shape = (path: string) => outline(path).text.replace(/^( *)\d+-\d+ /gm, '$1')

describe('the outline of a file', () => {
  it.each([
    [
      'Orders.java',
      'class Orders\n  variable limit\n  variable other\n  constructor Orders\n  method find\n  class Inner\n    method deep\nenum Kind\n  case A\n  case B\n  method f\nrecord Order\nannotation Mark\n  method value',
    ],
    [
      'a.ts',
      'class Cart\n  field #items\n  method add\n  method size\nvariable total\nvariable tax\nfunction main\ninterface Line\n  property price\n  method sum\nnamespace N\n  enum E\ntype T\n  property a',
    ],
    ['b.py', 'class Cart\n  variable limit\n  function add\nfunction main\nvariable TOTAL'],
    ['c.go', 'type T\n  field X\ntype I\n  method M\nmethod T/F\nfunction G\nconstant C\nvariable V'],
    ['d.kt', 'class A\n  property y\n  function f\nobject O\nfunction top'],
    [
      'e.swift',
      'struct S\n  property x\n  function f\n  constructor init\nprotocol P\n  method g\nenum E\n  case a\nextension S\n  function h\nfunction top',
    ],
    ['f.js', 'class Cart\n  method add\nvariable x'],
    ['g.mjs', 'class Cart\n  field #items\n  field size\nvariable a\nvariable d'],
  ])('%s', (path, expected) => {
    expect(shape(path)).toBe(expected)
  })

  it('has line numbers, and fewer levels when all do not fit', () => {
    expect(outline('Orders.java', 1).text.split('\n')[0]).toBe('3-8 class Orders')
    expect(outline('Orders.java', 9, 4)).toMatchObject({ depth: 1, symbols: 4, truncated: false })
    expect(outline('Orders.java', 9, 3)).toMatchObject({ depth: 1, symbols: 3, truncated: true })
  })

  it('is not made of what has no grammar', () => {
    expect(() => outline('.gitignore')).toThrow(/not available for this file type/)
  })
})

describe('declarations', () => {
  it.each([
    ['Order', false, 'Orders.java:10-10 record Order'],
    ['Orders/find', false, 'Orders.java:6-6 method Orders/find'],
    ['Inner/deep', false, 'Orders.java:7-7 method Orders/Inner/deep'],
    ['Cart/add', false, 'a.ts:1-1 method Cart/add\nb.py:4-5 function Cart/add\nf.js:1-1 method Cart/add'],
    [
      'Ord',
      true,
      'Orders.java:3-8 class Orders\nOrders.java:5-5 constructor Orders/Orders\nOrders.java:10-10 record Order',
    ],
    ['T/F', false, 'c.go:4-4 method T/F'],
    ['local', false, ''],
    ['nothing', false, ''],
  ])('of %s are found', (name, part, expected) => {
    expect(JOBS.symbol(context, { name, part, path: '.', limit: 50, bytes: 100_000 }).text).toBe(expected)
  })

  it('are cut at the limit', () => {
    expect(
      JOBS.symbol(context, { name: 'add', part: false, path: '.', limit: 1, bytes: 100_000 }),
    ).toMatchObject({
      symbols: 1,
      truncated: true,
    })
  })
})

describe('uses', () => {
  it('are names, not words in comments and strings', () => {
    expect(JOBS.uses(context, { name: 'Order', path: '.', limit: 50, bytes: 100_000 }).text).toBe(
      [
        'Orders.java:6: public Order find(String id) { return new Order("Order"); }',
        'Orders.java:10: record Order(String id) { }',
        'a.ts:1: export class Cart { #items = []; add(x: Order) { const y = x } get size() { return 1 } }',
      ].join('\n'),
    )
  })

  it('are of one name, not of a pattern', () => {
    expect(() => JOBS.uses(context, { name: '.*', path: '.', limit: 5, bytes: 100_000 })).toThrow(
      /not an identifier/,
    )
  })
})

it('lets no name of a symbol forge a line, paint, or fill the answer', () => {
  const long = 'x'.repeat(5_000)
  writeFileSync(join(root, 'Odd.kt'), `class \`a\u202eb\` { fun \`e\u001b[2J\`() {} }\nclass ${long}\n`)
  const { text } = outline('Odd.kt')
  expect(text).toContain('\\u202e')
  expect(text).not.toMatch(/[\u202e]/)
  expect(text).toContain('\\u001b[2J')
  expect(text.length).toBeLessThan(600)
  const many = Array.from({ length: 50 }, (_, at) => `class C${at} {}`).join('\n')
  writeFileSync(join(root, 'Many.java'), many)
  const cut = JOBS.outline(context, { path: 'Many.java', depth: 1, limit: 100, bytes: 100 })
  expect(cut.truncated).toBe(true)
  expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(100)
  rmSync(join(root, 'Odd.kt'))
  rmSync(join(root, 'Many.java'))
})
