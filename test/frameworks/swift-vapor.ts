import type { FrameworkSnippets } from './snippet-corpus.ts'

const VAPOR: FrameworkSnippets = {
  framework: 'Vapor',
  language: 'Swift',
  finds: ['endpoints'],
  found: [
    {
      title: 'routes of an application',
      files: {
        'Sources/App/routes.swift': `import Vapor

func routes(_ app: Application) throws {
    app.get { req async in "It works!" }
    app.get("hello", ":name") { req -> String in "x" }
    app.post("users", .parameter("id"), use: create)
    app.on(.PUT, "files", .catchall, body: .stream) { req in .ok }
}`,
      },
      rows: [
        'in 4: REST GET /',
        'in 5: REST GET /hello/:name',
        'in 6: REST POST /users/:id, create',
        'in 7: REST PUT /files/**',
      ],
    },
    {
      title: 'a collection that is registered on a group',
      files: {
        'Sources/App/routes.swift': `import Vapor
func routes(_ app: Application) throws {
    let api = app.grouped("api", "v1")
    try api.register(collection: TodoController())
}`,
        'Sources/App/TodoController.swift': `import Vapor
struct TodoController: RouteCollection {
    func boot(routes: any RoutesBuilder) throws {
        let todos = routes.grouped("todos")
        todos.get(use: self.index)
        todos.group(":todoID") { todo in
            todo.delete(use: self.delete)
        }
        let secure = todos.grouped(UserToken.authenticator()).grouped("mine")
        secure.post(use: create)
    }
}`,
      },
      rows: [
        'in 5: REST GET /api/v1/todos, TodoController.index',
        'in 7: REST DELETE /api/v1/todos/:todoID, TodoController.delete',
        'in 10: REST POST /api/v1/todos/mine, TodoController.create',
      ],
    },
    {
      title: 'groups in groups, and a function that gets a group',
      files: {
        'Sources/App/routes.swift': `import Vapor
func routes(_ app: Application) throws {
    app.group("shop") { shop in
        shop.group("carts") { carts in
            carts.patch(":id", use: change)
            shop.get("offers", use: offers)
        }
        shop.group(Auth()) { $0.get("mine", use: mine) }
    }
    adminRoutes(app.grouped("admin"))
}
func adminRoutes(_ admin: RoutesBuilder) {
    admin.get("users") { req in [] }
}`,
      },
      rows: [
        'in 5: REST PATCH /shop/carts/:id, change',
        'in 6: REST GET /shop/offers, offers',
        'in 8: REST GET /shop/mine, mine',
        'in 13: REST GET /admin/users',
      ],
    },
  ],
  notFound: [
    {
      title: 'methods of the same names on other objects',
      files: {
        'Sources/App/a.swift': `import Vapor
func load(_ cache: Cache, req: Request) async throws {
    cache.get("users")
    req.session.data.get("id") { x in x }
    defaults.delete("users") { ok in ok }
}`,
      },
    },
  ],
}

const FLUENT: FrameworkSnippets = {
  framework: 'Fluent',
  language: 'Swift',
  finds: ['stores'],
  found: [
    {
      title: 'host and database with defaults of the environment',
      files: {
        'Sources/App/configure.swift': `import FluentPostgresDriver
import Vapor
public func configure(_ app: Application) throws {
    app.databases.use(.postgres(
        hostname: Environment.get("DATABASE_HOST") ?? "db",
        port: 5432,
        username: Environment.get("DATABASE_USERNAME") ?? "vapor",
        password: Environment.get("DATABASE_PASSWORD") ?? "secret",
        database: Environment.get("DATABASE_NAME") ?? "shop"
    ), as: .psql)
}`,
      },
      rows: ['out 4: SQL Fluent -> postgresql://db:5432/shop, configure [medium]'],
    },
    {
      title: 'a configuration of its own, and a file',
      files: {
        'Sources/App/configure.swift': `import FluentPostgresDriver
import FluentSQLiteDriver
func configure(_ app: Application) throws {
    let config = SQLPostgresConfiguration(hostname: "users-db", username: "u", password: "p", database: "users")
    app.databases.use(.postgres(configuration: config), as: .psql)
    app.databases.use(DatabaseConfigurationFactory.sqlite(.file("cache.sqlite")), as: .sqlite)
}`,
      },
      rows: [
        'out 5: SQL Fluent -> postgresql://users-db/users, configure',
        'out 6: SQL Fluent -> sqlite:cache.sqlite, configure',
      ],
    },
    {
      title: 'an address of the environment, and Redis',
      files: {
        'Sources/App/configure.swift': `import FluentMongoDriver
import Redis
func configure(_ app: Application) throws {
    try app.databases.use(.mongo(connectionString: Environment.get("MONGO_URL")!), as: .mongo)
    app.redis.configuration = try RedisConfiguration(hostname: "cache")
}`,
      },
      rows: [
        'out 4: MongoDB Fluent -> MongoDB, configure [low]',
        'out 5: Redis Redis -> redis://cache, configure',
      ],
    },
  ],
  notFound: [
    {
      title: 'identifiers of databases, and other functions of these names',
      files: {
        'Sources/App/a.swift': `import Fluent
func use(_ app: Application) {
    app.migrations.add(CreateUser(), to: .psql)
    backup.postgres(hostname: "db")
}`,
      },
    },
  ],
}

export const VAPOR_SNIPPETS: readonly FrameworkSnippets[] = [VAPOR, FLUENT]
