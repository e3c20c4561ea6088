import type { Inbound } from '../connections/framework.ts'
import type { SourceUnit } from '../source/source-unit.ts'
import { type DeclaredApi, isApiJson, isApiText, readApiFile } from './api-files.ts'

const TOKEN = /"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*|([A-Za-z_]\w*)|([{}()[\]:@])/g

interface Word {
  readonly text: string
  readonly index: number
}

/** Libraries that serve a schema. A client has a copy of it. */
const SERVER =
  /^(@apollo\/server|apollo-server|graphql-yoga|mercurius|type-graphql|@nestjs\/graphql|@graphql-tools\/schema|graphene|strawberry|ariadne|github\.com\/(99designs\/gqlgen|graph-gophers|graphql-go)|com\.netflix\.graphql\.dgs|org\.springframework\.graphql|graphql\.kickstart|io\.smallrye\.graphql)/

const servesGraphql = (units: readonly SourceUnit[]): boolean =>
  units.some(({ imports }) => imports.some((name) => SERVER.test(name)))

/** The operation types that a schema names; by convention they are called like the operation. */
const rootTypes = (words: readonly Word[]): ReadonlyMap<string, string> => {
  const roots = new Map([
    ['Query', 'query'],
    ['Mutation', 'mutation'],
    ['Subscription', 'subscription'],
  ])
  const at = words.findIndex(({ text }, index) => text === 'schema' && words[index + 1]?.text === '{')
  for (let index = at + 2; at >= 0 && index < words.length && words[index]?.text !== '}'; index += 3) {
    const operation = words[index]?.text ?? ''
    const type = words[index + 2]?.text ?? ''
    if (/^(query|mutation|subscription)$/.test(operation)) roots.set(type, operation)
  }
  return roots
}

/** A name before its arguments or its type; not that of a directive. */
const isField = (words: readonly Word[], at: number): boolean =>
  /^\w+$/.test(words[at]?.text ?? '') &&
  /^[(:]$/.test(words[at + 1]?.text ?? '') &&
  words[at - 1]?.text !== '@'

/** The fields of the operation types of a schema. */
const readGraphqlSchema = (file: string, text: string): readonly Inbound[] => {
  const words = [...text.matchAll(TOKEN)].flatMap(({ 1: name, 2: mark, index }) => {
    const found = name ?? mark
    return found === undefined ? [] : [{ text: found, index }]
  })
  const roots = rootTypes(words)
  const found: Inbound[] = []
  let [line, counted] = [1, 0]
  for (let at = 0; at < words.length; at += 1) {
    const operation = words[at]?.text === 'type' ? roots.get(words[at + 1]?.text ?? '') : undefined
    if (operation === undefined) continue
    while (at < words.length && words[at]?.text !== '{') at += 1
    let depth = 1
    for (at += 1; at < words.length && depth > 0; at += 1) {
      const { text: word, index } = words[at] ?? { text: '', index: 0 }
      if (/^[{([]$/.test(word)) depth += 1
      else if (/^[})\]]$/.test(word)) depth -= 1
      else if (depth === 1 && isField(words, at)) {
        line += text.slice(counted, index).split('\n').length - 1
        counted = index
        found.push({
          protocol: 'GraphQL',
          endpoint: `${operation} ${word}`,
          source_file: file,
          line,
          handler: `declared in ${file.slice(file.lastIndexOf('/') + 1)}`,
          confidence: 'high',
        })
      }
    }
  }
  return found
}

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
