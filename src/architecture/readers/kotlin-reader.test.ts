import { expect, it } from 'vitest'
import { unitRows } from '../../../test/support/project-rows.ts'
import { readKotlin } from './kotlin-reader.ts'

const SNIPPETS = [
  {
    title: 'reads package, imports and the head of a type',
    text: `package shop.orders
import java.util.List
@Service("orders")
class Orders(private val client: Client?) : Base<Order>(), Api {
}`,
    rows: [
      'package shop.orders',
      'import java.util.List',
      '@Service(value="orders")',
      '4: class Orders extends Base<Order> implements Api',
      '  field client: Client',
      '  4: constructor Orders(client: Client)',
    ],
  },
  {
    title: 'tells the kinds of types apart',
    text: `abstract class A
sealed class B
data class C(val id: String)
interface D
enum class E { X }
object F
annotation class G`,
    rows: [
      '1: abstract class A',
      '2: abstract class B',
      '3: record C',
      '  field id: String',
      '  3: constructor C(id: String)',
      '4: interface D',
      '5: enum E',
      '6: object F',
      '7: @interface G',
    ],
  },
  {
    title: 'reads properties with their values, those of a companion included',
    text: `class A {
  val a = "x"
  val b: String = "\${a}/y" + C
  val list = listOf("x", "y")
  companion object { const val C = "c" }
}`,
    rows: [
      '1: class A',
      '  field a = "x"',
      '  field b: String = a ~ "/y" ~ C',
      '  field list = ["x", "y"]',
      '  field C = "c"',
    ],
  },
  {
    title: 'reads a method with the calls that matter, and its locals',
    text: `class A(val rest: RestTemplate) {
  @GetMapping(path = ["/x", "/y"])
  fun find(@PathVariable id: String): Order {
    val url = "http://a/$id"
    log.info(url)
    return rest.getForObject(url, Order::class.java)
  }
}`,
    rows: [
      '1: class A',
      '  field rest: RestTemplate',
      '  1: constructor A(rest: RestTemplate)',
      '  @GetMapping(path=["/x", "/y"])',
      '  3: method find(@PathVariable id: String): Order',
      '    local url = "http://a/" ~ id',
      '    6: rest.getForObject(url, <Order.class>)',
    ],
  },
  {
    title: 'reads constants and functions outside of types',
    text: `const val BASE = "http://a"
fun load(rest: RestTemplate) { rest.delete(BASE) }`,
    rows: ['top-level BASE = "http://a"', 'top-level rest: RestTemplate', '2: rest.delete(BASE)'],
  },
  {
    title: 'marks catch blocks without content; a comment is content',
    text: `class A {
  fun x() {
    try { a() } catch (e: E) {}
    try { b() } catch (e: E) { /* wanted */ }
  }
}`,
    rows: ['1: class A', '  2: method x()', '    3: empty catch'],
  },
  {
    title: 'keeps a class whose annotation follows the end of another class',
    text: `class A {
}
@Path("/x")
class B {
}`,
    rows: ['1: class A', '@Path(value="/x")', '4: class B'],
  },
] as const

it.each(SNIPPETS)('$title', ({ text, rows }) => {
  expect(unitRows(readKotlin, 'kotlin', text)).toEqual(rows)
})
