import { expect, it } from 'vitest'
import { unitRows } from '../../../test/support/project-rows.ts'
import { readSwift } from './swift-reader.ts'

it('reads types, extensions, properties, labelled arguments and closures', () => {
  const text = `import Vapor
@Model final class Todo: Content, Model {
  @Field(key: "title") var title: String
  static let base = URL(string: "https://x.dev/\\(version)")!
  var path: URL { URL(string: base + "/todos")! }
  init(id: Int? = nil) { self.id = id }
}
extension Todo: RouteCollection {
  func boot(routes: any RoutesBuilder) throws {
    let host = Environment.get("HOST") ?? "db"
    routes.get("todos", use: index)
    routes.group("x") { x in x.post { req in 1 } }
  }
}
protocol Store { func find() }
let key = ProcessInfo.processInfo.environment["KEY"]
`
  expect(unitRows(readSwift, 'swift', text)).toMatchInlineSnapshot(`
    [
      "import Vapor",
      "@Model",
      "2: class Todo implements Content, Model",
      "  field @Field title: String",
      "  field base = new URL({string="https://x.dev/" ~ version})",
      "  field path: URL = new URL({string=base ~ "/todos"})",
      "  4: new URL({string="https://x.dev/" ~ version})",
      "  5: new URL({string=base ~ "/todos"})",
      "  6: constructor init(id: Int)",
      "8: class Todo implements RouteCollection",
      "  9: method boot(routes: RoutesBuilder)",
      "    local host = "\${HOST:db}"",
      "    11: routes.get("todos", {use=index})",
      "    12: routes.group("x", {{}=x})",
      "    12: x.post({{}=req})",
      "15: interface Store",
      "top-level key = "\${KEY}"",
    ]
  `)
})

it('reads code that is not complete', () => {
  expect(unitRows(readSwift, 'swift', 'class A { func b( { app.get("x")')).toBeDefined()
  expect(unitRows(readSwift, 'swift', 'app.get("x") {')).toBeDefined()
})
