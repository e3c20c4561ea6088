import { analyse } from '../../src/architecture/architecture.ts'
import type { BuildModule } from '../../src/architecture/build/build-module.ts'
import type { Inbound, Outbound } from '../../src/architecture/connections/framework.ts'
import { memoryFiles } from '../../src/architecture/source/memory-files.fake.ts'
import type {
  Annotation,
  CallExpression,
  Expression,
  Method,
  SourceUnit,
  TypeUnit,
  Variable,
} from '../../src/architecture/source/source-unit.ts'
import type { SyntaxNode } from '../../src/kernel/syntax-tree.ts'
import type { Grammar } from '../../src/kernel/text/languages.ts'
import { syntaxTrees } from '../../src/platform/syntax/syntax-trees.ts'

interface ModuleReading {
  readonly modules: readonly BuildModule[]
  readonly warnings: readonly { readonly code: string; readonly file: string }[]
}

/** A row of a table test: source files in, one line of text for each record out. */
export interface Snippet {
  readonly title: string
  readonly files: Readonly<Record<string, string>>
  readonly rows: readonly string[]
}

/** Confidence is shown when it is not high. */
const doubt = ({ confidence }: Inbound | Outbound): string =>
  confidence === 'high' ? '' : ` [${confidence}]`

/** `line: protocol endpoint, handler [confidence]` */
const inboundRow = (one: Inbound): string =>
  `${one.line}: ${one.protocol} ${one.endpoint}${one.handler === '' ? '' : `, ${one.handler}`}${doubt(one)}`

/** `line: type verb -> target, caller; further fields [confidence]` */
const outboundRow = (one: Outbound): string => {
  const fields = [
    ...(one.path === undefined ? [] : [`path ${one.path}`]),
    ...(one.url === undefined ? [] : [`url ${one.url}`]),
    ...(one.routing_key === undefined ? [] : [`key ${one.routing_key}`]),
    ...(one.calls === undefined ? [] : [`calls ${one.calls.join(' + ')}`]),
  ]
  const kind = [one.protocol, one.type, one.http_method].filter((part) => part !== undefined).join(' ')
  const caller = one.caller === '' ? '' : `, ${one.caller}`
  return `${one.line}: ${kind} -> ${one.target_service}${caller}${fields.map((field) => `; ${field}`).join('')}${doubt(one)}`
}

const connectionsOf = async (files: Snippet['files']) =>
  (await analyse(memoryFiles(files), syntaxTrees(), { at: '', checkDeadline: () => {} })).connections

export const inboundRows = async (files: Snippet['files']): Promise<readonly string[]> =>
  (await connectionsOf(files)).inbound.map(inboundRow)

export const outboundRows = async (files: Snippet['files']): Promise<readonly string[]> =>
  (await connectionsOf(files)).outbound.map(outboundRow)

/** Rows of both directions, `in` before `out`. */
export const connectionRows = async (files: Snippet['files']): Promise<readonly string[]> => {
  const { inbound, outbound } = await connectionsOf(files)
  return [
    ...inbound.map((one) => `in ${inboundRow(one)}`),
    ...outbound.map((one) => `out ${outboundRow(one)}`),
  ]
}

const showArguments = (args: ReadonlyMap<string, Expression>): string =>
  [...args].map(([name, value]) => `${name}=${show(value)}`).join(', ')

const showCall = ({ receiver, name, makes, args }: CallExpression): string =>
  `${makes ? 'new ' : ''}${receiver === undefined ? '' : `${show(receiver)}.`}${name}(${args.map(show).join(', ')})`

/** An expression in one notation for all languages: `"text"`, `name`, `a ~ b` for a concatenation. */
const show = (one: Expression): string => {
  switch (one.kind) {
    case 'text':
      return JSON.stringify(one.text)
    case 'name':
      return one.name
    case 'join':
      return one.parts.map(show).join(' ~ ')
    case 'list':
      return `[${one.items.map(show).join(', ')}]`
    case 'call':
      return showCall(one.call)
    case 'annotation':
      return `@${one.annotation.name}(${showArguments(one.annotation.args)})`
    case 'record':
      return `{${showArguments(one.entries)}}`
    case 'other':
      return `<${one.text}>`
  }
}

const annotationRows = (all: readonly Annotation[]): readonly string[] =>
  all.map(({ name, args }) => (args.size === 0 ? `@${name}` : `@${name}(${showArguments(args)})`))

const variableRow = ({ name, type, value, annotations }: Variable): string =>
  [
    ...annotationRows(annotations),
    `${name}${type === '' ? '' : `: ${type}`}${value === undefined ? '' : ` = ${show(value)}`}`,
  ].join(' ')

const methodRows = (method: Method, label: string): readonly string[] => {
  const parameters = method.parameters.map(variableRow).join(', ')
  const returns = method.returns === '' ? '' : `: ${method.returns}`
  return [
    ...annotationRows(method.annotations).map((row) => `  ${row}`),
    `  ${method.line}: ${label} ${method.name}(${parameters})${returns}`,
    ...method.locals.map((one) => `    local ${variableRow(one)}`),
    ...method.calls.map((one) => `    ${one.line}: ${showCall(one)}`),
    ...method.silentCatches.map((line) => `    ${line}: empty catch`),
  ]
}

const typeRows = (type: TypeUnit): readonly string[] => {
  const base = type.extends === undefined ? '' : ` extends ${type.extends}`
  const interfaces = type.implements.length === 0 ? '' : ` implements ${type.implements.join(', ')}`
  return [
    ...annotationRows(type.annotations),
    `${type.line}: ${type.kind} ${type.name}${base}${interfaces}`,
    ...type.fields.map((one) => `  field ${variableRow(one)}`),
    ...type.calls.map((one) => `  ${one.line}: ${showCall(one)}`),
    ...type.constructors.flatMap((one) => methodRows(one, 'constructor')),
    ...type.methods.flatMap((one) => methodRows(one, 'method')),
  ]
}

/** A unit as rows: package, imports, types with their members, then the code outside of types. */
export const unitRows = (
  read: (file: string, root: SyntaxNode) => SourceUnit,
  grammar: Grammar,
  text: string,
): readonly string[] => {
  const unit = read('file', syntaxTrees().parse(grammar, text))
  return [
    ...(unit.package === '' ? [] : [`package ${unit.package}`]),
    ...unit.imports.map((name) => `import ${name}`),
    ...unit.types.flatMap(typeRows),
    ...unit.topLevel.locals.map((one) => `top-level ${variableRow(one)}`),
    ...unit.topLevel.calls.map((one) => `${one.line}: ${showCall(one)}`),
  ]
}

/** The files of a build as its readers see them. */
export const buildFiles = (files: Snippet['files']) => ({
  has: (path: string) => Object.hasOwn(files, path),
  read: (path: string) => files[path],
})

/** `path group:artifact:version key=value`, then ` + group:artifact:version@scope` for each library; then the warnings. */
export const moduleRows = ({ modules, warnings }: ModuleReading): readonly string[] => [
  ...modules.map((one) => {
    const facts = [
      `${one.path || '.'} ${one.groupId ?? '?'}:${one.artifactId ?? one.name}:${one.version ?? '?'}`,
      ...(one.java === undefined ? [] : [`java=${one.java}`]),
      ...(one.springBoot === undefined ? [] : [`boot=${one.springBoot}`]),
      ...one.dependencies.map(
        ({ groupId, artifactId, version, scope }) => `+ ${groupId}:${artifactId}:${version ?? '?'}@${scope}`,
      ),
    ]
    return facts.join(' ')
  }),
  ...warnings.map(({ code, file }) => `${code} ${file}`),
]
