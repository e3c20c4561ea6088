import { optional } from '../../kernel/optional.ts'
import type { SourceIndex } from '../source/source-index.ts'
import type { CallExpression, Expression, SourceLanguage, SourceUnit } from '../source/source-unit.ts'
import { recordEntry } from '../source/source-unit.ts'
import type { TextResolver } from '../source/text-resolver.ts'
import { fileCalls, TypeScope } from '../source/type-scope.ts'

/** A port that a program listens on. */
export interface ListeningPort {
  readonly port: string
  readonly file: string
  /** The environment variable that may hold another one. */
  readonly variable?: string
}

interface ServerStart {
  /** The name of the call. */
  readonly name: RegExp
  /** Where the port or the address stands. */
  readonly given: (args: readonly Expression[]) => readonly (Expression | undefined)[]
}

const keyed = (args: readonly Expression[], name: string): Expression | undefined =>
  recordEntry(
    args.find((one) => one.kind === 'record'),
    name,
  )

/** Calls with which servers start: `app.listen(3000)`, `uvicorn.run(app, port=8000)`, `http.ListenAndServe(":80", r)`. */
const SERVER_STARTS: Readonly<Partial<Record<SourceLanguage, ServerStart>>> = {
  script: { name: /^(listen|bindAsync)$/, given: (args) => [args[0], keyed(args, 'port')] },
  python: {
    name: /^(run|add_(in)?secure_port)$/,
    given: (args) => [keyed(args, 'port'), args[0]],
  },
  go: { name: /^(Listen|ListenAndServe(TLS)?|Run|Start)$/, given: (args) => [args[0], args[1]] },
}

/** `3000`, `:3000` and `0.0.0.0:3000`. */
const PORT = /^(?:(?:[\w.-]*|\[::\]):)?(\d{2,5})$/
const VARIABLE = /^(?:[\w.]*:)?\$\{(\w+)[:}]/

const portOf = (call: CallExpression, start: ServerStart, scope: TypeScope, resolver: TextResolver) => {
  for (const one of start.given(call.args)) {
    const known = one === undefined || one.kind === 'record' ? undefined : resolver.text(one, scope)
    const [, port] = PORT.exec(known?.text ?? '') ?? []
    const [, variable] = VARIABLE.exec(known?.origin ?? known?.text ?? '') ?? []
    if (port !== undefined || variable !== undefined) return { port: port ?? '', ...optional({ variable }) }
  }
  return undefined
}

/** The ports that the servers of a file listen on; an empty port is known from its variable alone. */
export const listeningPorts = (
  unit: SourceUnit,
  index: SourceIndex,
  resolver: TextResolver,
): readonly ListeningPort[] => {
  const start = SERVER_STARTS[unit.language]
  if (start === undefined) return []
  const top = new TypeScope(index, unit, undefined, unit.topLevel)
  return fileCalls(top).flatMap(({ call, scope }) => {
    if (call.makes || call.receiver === undefined || !start.name.test(call.name)) return []
    const found = portOf(call, start, scope.atLine(call.line), resolver)
    return found === undefined ? [] : [{ ...found, file: unit.file }]
  })
}
