import { describe, expect, it } from 'vitest'
import { analyse } from '../src/architecture/architecture.ts'
import { memoryFiles } from '../src/architecture/source/memory-files.fake.ts'
import type { SyntaxNode, SyntaxParser } from '../src/kernel/syntax-tree.ts'
import { syntaxTrees } from '../src/platform/syntax/syntax-trees.ts'
import { javaProject } from './support/java-project.ts'

/** Counts every call on the nodes of a tree. */
const counting = (parser: SyntaxParser) => {
  let calls = 0
  const wrap = (node: SyntaxNode): SyntaxNode => ({
    id: node.id,
    get kind() {
      return node.kind
    },
    get line() {
      return node.line
    },
    get lastLine() {
      return node.lastLine
    },
    text: () => count(node.text()),
    field: (name) => maybe(count(node.field(name))),
    children: () => count(node.children()).map(wrap),
    words: () => count(node.words()),
    descend: (kinds) => count(node.descend(kinds)).map(wrap),
    leaves: (regex) => count(node.leaves(regex)).map(wrap),
    parent: () => maybe(count(node.parent())),
  })
  const maybe = (node: SyntaxNode | undefined) => (node === undefined ? undefined : wrap(node))
  const count = <T>(value: T): T => {
    calls += 1
    return value
  }
  return {
    ...parser,
    parse: (...args: Parameters<SyntaxParser['parse']>) => wrap(parser.parse(...args)),
    calls: () => calls,
  }
}

const workOf = async (texts: Record<string, string>) => {
  const files = memoryFiles(texts)
  const parser = counting(syntaxTrees())
  const found = await analyse(files, parser, { at: '', checkDeadline: () => {} })
  return { calls: parser.calls(), read: files.bytesRead(), found }
}

describe('work', () => {
  it('grows with the project, and no faster', async () => {
    const [small, large] = [await workOf(javaProject(90)), await workOf(javaProject(360))]
    expect(large.found.graph.nodes.length).toBeGreaterThan(3 * small.found.graph.nodes.length)
    expect(large.calls / small.calls).toBeLessThan(4.4)
    expect(large.read / small.read).toBeLessThan(4.4)
  })

  it('reads every file once', async () => {
    const texts = javaProject(60)
    const total = Object.values(texts).join('').length
    // The build file is read twice: as build file and as configuration.
    expect((await workOf(texts)).read).toBeLessThanOrEqual(total + (texts['pom.xml']?.length ?? 0))
  })

  it('takes linear time on hostile code', async () => {
    const hurt = (count: number) => ({
      'A.java': `class A { WebClient c; String s = ${Array(count).fill('"a"').join(' + ')};
        void f() { c${'.get().uri("/x")'.repeat(count)}; } void g() { ${'if (a) { '.repeat(count)} c.uri("/y"); ${'}'.repeat(count)} } }`,
      'B.java': `class B { String A0 = "x"; ${Array.from({ length: 40 }, (_, at) => `String A${at + 1} = A${at} + A${at};`).join('\n')} @GetMapping(A40) void h() {} }`,
      'C.java': `@RestController class C { static final String L = M; static final String M = L; @GetMapping(L) void i() {} }`,
    })
    const [small, large] = [await workOf(hurt(500)), await workOf(hurt(2_000))]
    expect(large.calls / small.calls).toBeLessThan(4.5)
  })
})
