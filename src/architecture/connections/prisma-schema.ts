import { databaseOf } from './addresses.ts'
import type { Outbound } from './connections.ts'

/** Names of providers, for targets whose address is known only at run time. */
const TECHNOLOGIES: Readonly<Record<string, string>> = {
  postgresql: 'PostgreSQL',
  postgres: 'PostgreSQL',
  mysql: 'MySQL',
  sqlite: 'SQLite',
  sqlserver: 'SQL Server',
  mongodb: 'MongoDB',
  cockroachdb: 'CockroachDB',
}

const settingOf = (block: string, key: string): string | undefined =>
  new RegExp(`^[ \\t]*${key}[ \\t]*=[ \\t]*("[^"\\n]*"|env\\("\\w+"\\))`, 'm').exec(block)?.[1]

/** The data source of a Prisma schema: its provider, and its address or the environment variable that holds it. */
export const readPrismaSource = (file: string, text: string): readonly Outbound[] =>
  [...text.matchAll(/^datasource[ \t]+\w+[ \t]*\{([^}]{0,4000})\}/gm)].flatMap((found) => {
    const block = found[1] ?? ''
    const [, provider = ''] = /^"(\w+)"$/.exec(settingOf(block, 'provider') ?? '') ?? []
    const technology = Object.hasOwn(TECHNOLOGIES, provider) ? TECHNOLOGIES[provider] : undefined
    if (technology === undefined) return []
    const url = settingOf(block, 'url') ?? ''
    const [, literal] = /^"([^"]+)"$/.exec(url) ?? []
    const [, variable] = /^env\("(\w+)"\)$/.exec(url) ?? []
    return [
      {
        target_service:
          literal === undefined
            ? technology
            : databaseOf(technology === 'SQLite' ? literal.replace(/^file:/, 'sqlite:') : literal),
        protocol: technology === 'MongoDB' ? 'MongoDB' : 'SQL',
        type: 'Prisma',
        source_file: file,
        line: text.slice(0, found.index).split('\n').length,
        caller: '',
        confidence: literal === undefined ? ('low' as const) : ('high' as const),
        ...(variable !== undefined && { origin: `\${${variable}}` }),
      },
    ]
  })
