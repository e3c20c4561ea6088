import { joinRoutes } from '../../connections/addresses.ts'
import type { DetectionContext, Framework, Inbound } from '../../connections/framework.ts'
import { HTTP_METHODS, toInbound } from '../../connections/inbound-web.ts'
import { memoized } from '../../source/memoized.ts'
import { folderOf, joinPath } from '../../source/source-files.ts'
import type { SourceIndex } from '../../source/source-index.ts'
import { findAnnotation, recordEntry, type SourceUnit } from '../../source/source-unit.ts'
import { TypeScope } from '../../source/type-scope.ts'

/** Next.js: the path of a route is the path of its file. */

const ROUTE_FILE = /(^|\/)app\/(.*\/)?route\.[jt]sx?$/
const API_FILE = /(^|\/)pages\/api\/.*\.[jt]sx?$/
const PAGE_FILE = /(^|\/)app\/(.*\/)?page\.[jt]sx?$|(^|\/)pages\/(?!api\/).*\.[jt]sx?$/
const MIDDLEWARE_FILE = /(^|\/)(middleware|proxy)\.[jt]s$/
const CONFIG_FILE = /(^|\/)next\.config\.[cm]?[jt]s$/
const SERVER_ACTION = 'use server'

/** Folders with a file below them that imports Next.js. */
const nextFolders = memoized(({ units }: SourceIndex): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const { file, imports } of units)
    if (imports.some((name) => /^next(\/|$)/.test(name)))
      for (let at = folderOf(file); !found.has(at); at = folderOf(at)) found.add(at)
  return found
})

const withoutSources = (folder: string): string => folder.replace(/(^|\/)src$/, '')

/** The path of a file in a Next.js application: `web/src/app/a/route.ts` gives `a/route.ts` in `web`. */
interface RoutedFile {
  readonly path: string
  readonly application: string
}

const routedFile = (root: string, { unit, index }: TypeScope): RoutedFile | undefined => {
  const steps = unit.file.split('/')
  const applicationAt = (position: number) => withoutSources(steps.slice(0, position).join('/'))
  const at = steps.findIndex(
    (step, position) => step === root && nextFolders(index).has(applicationAt(position)),
  )
  return at < 0 ? undefined : { path: steps.slice(at + 1).join('/'), application: applicationAt(at) }
}

const configOf = (application: string, { index }: TypeScope): SourceUnit | undefined =>
  index.units.find(({ file }) => CONFIG_FILE.test(file) && folderOf(file) === application)

/** `basePath` in the configuration of the application. */
const configuredBase = (application: string, scope: TypeScope, { resolver }: DetectionContext): string => {
  const { index } = scope
  const unit = configOf(application, scope)
  if (unit === undefined) return ''
  const there = new TypeScope(index, unit, undefined, unit.topLevel)
  for (const { value } of unit.topLevel.locals)
    for (const one of value?.kind === 'call' ? value.call.args : [value]) {
      const given = recordEntry(one, 'basePath')
      const known = resolver.text(given, there)
      if (known !== undefined && known.confidence !== 'low') return known.text
    }
  return ''
}

/** The path of a route; undefined for folders that are not routed. Groups and slots are no part of it. */
const routePath = (path: string): string | undefined => {
  const steps = path.split('/')
  // Private folders, and routes that another page shows.
  if (steps.some((step) => /^_|^\(\.+\)/.test(step))) return undefined
  return joinRoutes(...steps.filter((step) => !/^\(.*\)$|^@/.test(step)))
}

const declarationLine = (name: string, { functions, topLevel }: SourceUnit): number =>
  [...functions, ...topLevel.locals].find((one) => one.name === name)?.line ?? 1

/** The route of a file below a folder, with the base path; undefined for files that are not routed. */
const fileRoute = (
  root: string,
  pathOf: (path: string) => string,
  scope: TypeScope,
  context: DetectionContext,
): string | undefined => {
  const found = routedFile(root, scope)
  const route = found === undefined ? undefined : routePath(pathOf(found.path))
  return found === undefined || route === undefined
    ? undefined
    : joinRoutes(configuredBase(found.application, scope, context), route)
}

/** `app/users/route.ts` with exported functions `GET`, `POST`, …. */
const routeHandlers = (scope: TypeScope, context: DetectionContext): readonly Inbound[] => {
  const { unit } = scope
  const route = ROUTE_FILE.test(unit.file) ? fileRoute('app', folderOf, scope, context) : undefined
  if (route === undefined) return []
  return HTTP_METHODS.flatMap((verb) => {
    const local = unit.exports.get(verb)
    if (local === undefined) return []
    const name = typeof local === 'string' ? local : verb
    return [
      toInbound(
        { method: verb, path: route, confidence: 'high' },
        { file: unit.file, line: declarationLine(name, unit), handler: name },
      ),
    ]
  })
}

const withoutIndex = (path: string): string => path.replace(/\.\w+$/, '').replace(/(^|\/)index$/, '')

/** `app/users/page.tsx` and `pages/users.tsx` with a default export. */
const pageRoute = (scope: TypeScope, context: DetectionContext): readonly Inbound[] => {
  const { unit } = scope
  const component = unit.exports.get('default')
  if (!PAGE_FILE.test(unit.file) || component === undefined) return []
  const inApp = /(^|\/)page\.[jt]sx?$/.test(unit.file) ? routedFile('app', scope) : undefined
  const found = inApp ?? routedFile('pages', scope)
  // Other folders are called `pages` too.
  if (found === undefined || configOf(found.application, scope) === undefined) return []
  const route =
    inApp === undefined
      ? fileRoute('pages', withoutIndex, scope, context)
      : fileRoute('app', folderOf, scope, context)
  if (route === undefined) return []
  const name = typeof component === 'string' ? component : 'default'
  return [named('Page', route, declarationLine(name, unit), name === 'default' ? '' : name, unit)]
}

const named = (
  protocol: string,
  endpoint: string,
  line: number,
  handler: string,
  { file }: SourceUnit,
): Inbound => ({ protocol, endpoint, source_file: file, line, handler, confidence: 'high' })

/** `middleware.ts` beside `app` or `pages`, with the paths of `config.matcher`; without one, all paths. */
const middleware = (scope: TypeScope, { resolver }: DetectionContext): readonly Inbound[] => {
  const { unit, index } = scope
  const handler = ['middleware', 'proxy', 'default'].find((name) => unit.exports.has(name))
  if (!MIDDLEWARE_FILE.test(unit.file) || handler === undefined) return []
  const folder = folderOf(unit.file)
  const routed = ['app/', 'pages/'].map((name) => joinPath(folder, name))
  const isBeside = index.units.some(({ file }) => routed.some((one) => file.startsWith(one)))
  if (!isBeside && configOf(withoutSources(folder), scope) === undefined) return []
  if (!unit.imports.some((name) => /next/.test(name))) return []
  const config = unit.topLevel.locals.find(({ name }) => name === 'config')
  const given = config?.value?.kind === 'record' ? config.value.entries.get('matcher') : undefined
  const items = given?.kind === 'list' ? given.items : given === undefined ? [] : [given]
  const paths = items
    .flatMap((one) => resolver.texts(one.kind === 'record' ? one.entries.get('source') : one, scope))
    .map(({ text }) => text)
    .filter((text) => text.startsWith('/'))
  const local = unit.exports.get(handler)
  const name = typeof local === 'string' ? local : handler
  const line = paths.length === 0 ? declarationLine(name, unit) : (config?.line ?? 1)
  return (paths.length === 0 ? ['/:path*'] : paths).map((path) => named('Middleware', path, line, name, unit))
}

/** `pages/api/users/[id].ts` with a default export, which answers every method. */
const apiRoute = (scope: TypeScope, context: DetectionContext): readonly Inbound[] => {
  const { unit } = scope
  const handler = unit.exports.get('default')
  if (!API_FILE.test(unit.file) || handler === undefined) return []
  const isApi = routedFile('pages', scope)?.path.startsWith('api') === true
  const route = isApi ? fileRoute('pages', withoutIndex, scope, context) : undefined
  if (route === undefined) return []
  const name = typeof handler === 'string' ? handler : 'default'
  return [
    toInbound(
      { method: 'ANY', path: route, confidence: 'high' },
      { file: unit.file, line: declarationLine(name, unit), handler: name === 'default' ? '' : name },
    ),
  ]
}

/** Exported functions with `'use server'`: forms and components of the browser call them. */
const serverActions = ({ unit, index }: TypeScope): readonly Inbound[] => {
  const exported = new Set([...unit.exports.values()].filter((one) => typeof one === 'string'))
  return unit.functions
    .filter(({ name, annotations }) => exported.has(name) && findAnnotation(annotations, SERVER_ACTION))
    .filter(() => nextFolders(index).size > 0)
    .map(({ name, line }) => named('Server Action', name, line, name, unit))
}

export const NEXT: Framework = {
  name: 'Next.js',
  language: 'script',
  applies: ({ file, functions }) =>
    ROUTE_FILE.test(file) ||
    API_FILE.test(file) ||
    PAGE_FILE.test(file) ||
    MIDDLEWARE_FILE.test(file) ||
    functions.some(({ annotations }) => findAnnotation(annotations, SERVER_ACTION) !== undefined),
  inbound: (scope, context) => [
    ...routeHandlers(scope, context),
    ...apiRoute(scope, context),
    ...pageRoute(scope, context),
    ...middleware(scope, context),
    ...serverActions(scope),
  ],
}
