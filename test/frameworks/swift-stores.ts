import type { FrameworkSnippets } from './snippet-corpus.ts'

const SWIFT_DATA: FrameworkSnippets = {
  framework: 'SwiftData',
  language: 'Swift',
  finds: ['stores'],
  found: [
    {
      title: 'the container of a scene',
      files: {
        'App.swift': `import SwiftData
import SwiftUI
@main
struct TripsApp: App {
    var body: some Scene {
        WindowGroup { ContentView() }
            .modelContainer(for: Trip.self)
    }
}`,
      },
      rows: ['out 7: SwiftData SwiftData -> SwiftData, TripsApp'],
    },
    {
      title: 'a container with a schema',
      files: {
        'Store.swift': `import SwiftData
class Store {
    func make() throws { let container = try ModelContainer(for: schema, configurations: [configuration]) }
}`,
      },
      rows: ['out 3: SwiftData SwiftData -> SwiftData, Store'],
    },
    {
      title: 'a shared container',
      files: {
        'App.swift': `import SwiftData
struct ShopApp {
    let container = try! ModelContainer(for: Item.self, Order.self)
}`,
      },
      rows: ['out 3: SwiftData SwiftData -> SwiftData, ShopApp'],
    },
  ],
  notFound: [
    {
      title: 'models and queries',
      files: {
        'Trip.swift': `import SwiftData
@Model final class Trip { var name: String = "" }
struct List { @Query var trips: [Trip] }`,
      },
    },
  ],
}

const CORE_DATA: FrameworkSnippets = {
  framework: 'Core Data',
  language: 'Swift',
  finds: ['stores'],
  found: [
    {
      title: 'a container',
      files: {
        'Stack.swift': `import CoreData
class Stack {
    let container = NSPersistentContainer(name: "Notes")
}`,
      },
      rows: ['out 3: Core Data Core Data -> Notes, Stack'],
    },
    {
      title: 'a container of CloudKit in an initializer',
      files: {
        'Stack.swift': `import CoreData
class Stack {
    static let model = "Recipes"
    init() { container = NSPersistentCloudKitContainer(name: Stack.model) }
}`,
      },
      rows: ['out 4: Core Data Core Data -> Recipes, Stack'],
    },
    {
      title: 'a lazy container',
      files: {
        'AppDelegate.swift': `import CoreData
import UIKit
class AppDelegate: UIResponder, UIApplicationDelegate {
    func makeContainer() -> NSPersistentContainer { NSPersistentContainer(name: "Shop") }
}`,
      },
      rows: ['out 4: Core Data Core Data -> Shop, AppDelegate'],
    },
  ],
  notFound: [
    {
      title: 'requests and contexts',
      files: {
        'List.swift': `import CoreData
func fetch(_ context: NSManagedObjectContext) { context.fetch(NSFetchRequest<Note>(entityName: "Note")) }`,
      },
    },
  ],
}

const GRDB: FrameworkSnippets = {
  framework: 'GRDB',
  language: 'Swift',
  finds: ['stores'],
  found: [
    {
      title: 'a queue',
      files: {
        'Db.swift': `import GRDB
func open() throws { let queue = try DatabaseQueue(path: "library.sqlite") }`,
      },
      rows: ['out 2: SQL GRDB -> SQLite, open'],
    },
    {
      title: 'a pool',
      files: {
        'Db.swift': `import GRDB
class Db { func open() throws { pool = try DatabasePool(path: url.path, configuration: config) } }`,
      },
      rows: ['out 2: SQL GRDB -> SQLite, Db'],
    },
    {
      title: 'a queue in memory',
      files: {
        'Db.swift': `import GRDB
class Db { let queue = try! DatabaseQueue() }`,
      },
      rows: ['out 2: SQL GRDB -> SQLite, Db'],
    },
  ],
  notFound: [
    {
      title: 'records',
      files: {
        'a.swift': `import GRDB
struct Player: FetchableRecord { var id: Int }
func all(_ db: Database) throws { try Player.fetchAll(db) }`,
      },
    },
  ],
}

export const SWIFT_STORE_SNIPPETS: readonly FrameworkSnippets[] = [SWIFT_DATA, CORE_DATA, GRDB]
