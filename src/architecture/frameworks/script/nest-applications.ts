import { pushTo } from '../../../kernel/multimap.ts'
import { joinRoutes } from '../../connections/addresses.ts'
import type { DetectionContext, FindIn } from '../../connections/framework.ts'
import { memoized } from '../../source/memoized.ts'
import { folderOf } from '../../source/source-files.ts'
import type { SourceIndex } from '../../source/source-index.ts'
import type { CallExpression, Expression, SourceUnit } from '../../source/source-unit.ts'
import { itemsOf, recordEntry } from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import { NO_TEXT } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'

/** What the start of a Nest application gives to all routes: `setGlobalPrefix` and `enableVersioning`. */

interface StartCall {
  readonly unit: SourceUnit
  readonly call: CallExpression
}

/** Start calls by name and folder of their file; the controllers are in or below that folder. */
type StartCalls = ReadonlyMap<string, readonly StartCall[]>

/** More applications in one folder are a mistake of the analysis or an attack. */
const MAX_STARTS = 16

/** What the calls are looked up by. */
const START_KINDS: Readonly<Record<string, string>> = {
  setGlobalPrefix: 'setGlobalPrefix',
  enableVersioning: 'enableVersioning',
  createMicroservice: 'microservice',
  connectMicroservice: 'microservice',
}

const startCalls = memoized(({ units }: SourceIndex): StartCalls => {
  const found = new Map<string, StartCall[]>()
  for (const unit of units)
    if (unit.language === 'script')
      for (const { calls } of [unit.topLevel, ...unit.types.flatMap(({ methods }) => methods)])
        for (const call of calls)
          if (Object.hasOwn(START_KINDS, call.name))
            enter(found, START_KINDS[call.name] ?? '', { unit, call })
  return found
})

/** By the folder of the file, and by the folder of sources above it, in which helpers of the start may be anywhere. */
const enter = (found: Map<string, StartCall[]>, kind: string, start: StartCall): void => {
  const folder = folderOf(start.unit.file)
  pushTo(found, `${kind}\0${folder}`, start)
  const [, sources] = /^((?:.*\/)?src)\//.exec(`${folder}/`) ?? []
  if (sources !== undefined && sources !== folder) pushTo(found, `${kind}\0${sources}\0below`, start)
}

/** The call in the nearest folder above a file; undefined when calls in that folder differ. */
const nearestCall = (
  name: string,
  { index, unit }: TypeScope,
  textOf: (start: StartCall) => string,
): StartCall | undefined => {
  const calls = startCalls(index)
  if (calls.size === 0) return undefined
  for (let folder = folderOf(unit.file); ; folder = folderOf(folder)) {
    const key = `${name}\0${folder}`
    const nearest = (calls.get(key) ?? calls.get(`${key}\0below`))?.slice(0, MAX_STARTS)
    if (nearest !== undefined) return new Set(nearest.map(textOf)).size === 1 ? nearest[0] : undefined
    if (folder === '') return undefined
  }
}

const option = (call: CallExpression, at: number, name: string): Expression | undefined =>
  recordEntry(call.args[at], name)

/** `users/(.*)` and `users/*path` exclude all routes below. */
const excludes = (excluded: string, path: string): boolean => {
  const pattern = joinRoutes(excluded)
  const wild = pattern.search(/\(\.\*\)|\*|\{/)
  return wild < 0 ? pattern === path : path.startsWith(pattern.slice(0, wild))
}

/** The prefix of all routes of the application that a controller belongs to. */
export const globalPrefix = (path: string, scope: TypeScope, { resolver }: DetectionContext): KnownText => {
  const textIn = ({ unit, call }: StartCall) =>
    resolver.text(call.args[0], scope.at(unit, undefined, unit.topLevel))
  const start = nearestCall('setGlobalPrefix', scope, (one) => textIn(one)?.text ?? '')
  if (start === undefined) return NO_TEXT
  const there = scope.at(start.unit, undefined, start.unit.topLevel)
  const given = option(start.call, 1, 'exclude')
  const items = itemsOf(given)
  const excluded = items.flatMap((one) =>
    resolver.texts(one.kind === 'record' ? one.entries.get('path') : one, there),
  )
  if (excluded.some(({ text }) => excludes(text, joinRoutes(path)))) return NO_TEXT
  return textIn(start) ?? NO_TEXT
}

/** The versions of a route as segments of its path: `v1`. One empty text when versions are not in the path. */
export const versionSegments: FindIn<Expression | undefined, readonly string[]> = (
  given,
  scope,
  { resolver },
) => {
  const start = nearestCall('enableVersioning', scope, ({ unit, call }) => `${unit.file}:${call.line}`)
  if (start === undefined) return ['']
  const type = option(start.call, 0, 'type')
  if (type !== undefined && !(type.kind === 'name' && type.name.endsWith('.URI'))) return ['']
  const there = scope.at(start.unit, undefined, start.unit.topLevel)
  const prefix = option(start.call, 0, 'prefix')
  const mark = prefix === undefined ? 'v' : (resolver.text(prefix, there)?.text.replace(/^false$/, '') ?? '')
  const versions =
    given === undefined
      ? resolver.texts(option(start.call, 0, 'defaultVersion'), there)
      : resolver.texts(given, scope)
  // An unresolved name is `VERSION_NEUTRAL` or a value known only at run time.
  const segments = versions.map(({ text }) => (text.startsWith('{') ? '' : `${mark}${text}`))
  return segments.length === 0 ? [''] : segments
}

/** The options of the microservice that a file belongs to. */
export const startRecord = (scope: TypeScope): Expression | undefined => {
  const start = nearestCall('microservice', scope, ({ unit, call }) => {
    const transport = option(call, call.name === 'createMicroservice' ? 1 : 0, 'transport')
    return transport?.kind === 'name' ? transport.name : unit.file
  })
  return start?.call.args[start.call.name === 'createMicroservice' ? 1 : 0]
}
