import type { Inbound } from '../connections/connections.ts'
import type { SourceUnit } from '../source/source-unit.ts'
import { type DeclaredApi, isApiJson, isApiText, readApiFile } from './api-files.ts'
import { readGraphqlSchema, servesGraphql } from './graphql-schema.ts'

const SCHEMA = /\.(graphqls?|gql)$/

/** Files that only declare an API. YAML files may. */
export const isApiFile = (path: string): boolean => isApiJson(path) || SCHEMA.test(path)

/** The API files of a project while it is read. */
export class DeclaredApis {
  readonly #apis: DeclaredApi[] = []
  readonly #schemas: Inbound[] = []

  /** Whether the file declares an API. */
  add(path: string, text: string): boolean {
    if (SCHEMA.test(path)) this.#schemas.push(...readGraphqlSchema(path, text))
    else if (isApiText(path, text)) this.#apis.push(readApiFile(path, text))
    else return false
    return true
  }

  /** What the files declare. Schemas count where the code serves one. */
  all(units: readonly SourceUnit[]): readonly DeclaredApi[] {
    const [first] = this.#schemas
    return first === undefined || !servesGraphql(units)
      ? this.#apis
      : [...this.#apis, { file: first.source_file, inbound: this.#schemas, outbound: [] }]
  }
}
