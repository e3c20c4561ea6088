import type { FrameworkSnippets } from './snippet-corpus.ts'

const EXPOSED: FrameworkSnippets = {
  framework: 'Exposed',
  language: 'Kotlin',
  finds: ['stores'],
  found: [
    {
      title: 'a connection with an address',
      files: {
        'Database.kt': `import org.jetbrains.exposed.sql.Database
fun connect() {
    Database.connect("jdbc:h2:mem:test;DB_CLOSE_DELAY=-1", driver = "org.h2.Driver")
}
`,
      },
      rows: ['out 3: JDBC Exposed -> jdbc:h2:mem:test'],
    },
    {
      title: 'an address in a variable',
      files: {
        'Database.kt': `import org.jetbrains.exposed.sql.*
class Databases {
    private val url = "jdbc:postgresql://db:5432/shop"
    fun open() = Database.connect(url, user = "x")
}
`,
      },
      rows: ['out 4: JDBC Exposed -> jdbc:postgresql://db:5432/shop, Databases'],
    },
    {
      title: 'a data source',
      files: {
        'Database.kt': `import org.jetbrains.exposed.sql.Database
object Databases {
    fun open(source: HikariDataSource) {
        Database.connect(source)
    }
}
`,
      },
      rows: ['out 4: JDBC Exposed -> JDBC store, Databases [low]'],
    },
  ],
  notFound: [
    {
      title: 'another connection',
      files: {
        'A.kt': 'import org.jetbrains.exposed.sql.Table\n\nfun open() { socket.connect("jdbc:h2:mem:x") }\n',
      },
    },
  ],
}

export const JAVA_MAPPER_SNIPPETS: readonly FrameworkSnippets[] = [EXPOSED]
