import { expect, it } from 'vitest'
import { unitRows } from '../../../test/support/project-rows.ts'
import { readJava } from './java-reader.ts'

const SNIPPETS = [
  {
    title: 'reads package, imports and the head of a type',
    text: `package shop.orders;
import java.util.List;
import static shop.Paths.*;
@Service("orders")
public class Orders extends Base<Order> implements Api, Closeable {}`,
    rows: [
      'package shop.orders',
      'import java.util.List',
      'import shop.Paths.*',
      '@Service(value="orders")',
      '5: class Orders extends Base<Order> implements Api, Closeable',
    ],
  },
  {
    title: 'tells the kinds of types apart, nested ones included',
    text: `abstract class A { interface B {} }
record C(String id) {}
enum D { X; static final int Y = 1; }
@interface E {}`,
    rows: [
      '1: abstract class A',
      '1: interface B',
      '2: record C',
      '  field id: String',
      '3: enum D',
      '  field Y: int = "1"',
      '4: @interface E',
    ],
  },
  {
    title: 'reads fields with their values: texts, concatenations, lists and text blocks',
    text: `class A {
  static final String A = "a\\tb", B = A + "/" + Paths.C;
  String[] list = {"x", "y"};
  String block = """
      one
      two""";
  @Value("\${x}") private final long n = 5_000L;
}`,
    rows: [
      '1: class A',
      '  field A: String = "a\\tb"',
      '  field B: String = A ~ "/" ~ Paths.C',
      '  field list: String[] = ["x", "y"]',
      '  field block: String = "one\\ntwo"',
      '  field @Value(value="${x}") n: long = "5000"',
    ],
  },
  {
    title: 'reads a method with the calls that matter, and its locals',
    text: `class A {
  @GetMapping(path = "/x")
  public Order find(@PathVariable String id) {
    var url = "http://a/" + id;
    log.info(url);
    return this.rest.getForObject(url, Order.class);
  }
}`,
    rows: [
      '1: class A',
      '  @GetMapping(path="/x")',
      '  3: method find(@PathVariable id: String): Order',
      '    local url = "http://a/" ~ id',
      '    6: rest.getForObject(url, <Order.class>)',
    ],
  },
  {
    title: 'reads locals of a constructor always, of a method only beside calls that matter',
    text: `class A {
  A(Client client) { this.client = client; }
  void x(int a) { int b = a; }
}`,
    rows: [
      '1: class A',
      '  2: constructor A(client: Client)',
      '    local client = client',
      '  3: method x(): void',
    ],
  },
  {
    title: 'marks catch blocks without content; a comment is content',
    text: `class A {
  void x() {
    try { a(); } catch (E e) {}
    try { b(); } catch (E e) { /* wanted */ }
  }
}`,
    rows: ['1: class A', '  2: method x(): void', '    3: empty catch'],
  },
  { title: 'reads nothing from an empty or broken file', text: 'class {', rows: [] },
] as const

it.each(SNIPPETS)('$title', ({ text, rows }) => {
  expect(unitRows(readJava, 'java', text)).toEqual(rows)
})
